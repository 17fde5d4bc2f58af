#include "debug/packet_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "build/platform.h"
#include "build/wire_selection.h"
#include "config/yaml_reader.h"

namespace dcc::vp {

namespace {
std::string path_of(std::size_t capture) {
  return "output.trace.packets." + std::to_string(capture);
}

/// MAC address of a sending port: a host's port has the host's address; a switch's port has a
/// locally administered address of its own.
roce::MacAddress mac_of_port(const Topology& topology, const Wire& wire) {
  const TopologyNode& node = topology.node(wire.from);
  if (node.is_host) return roce::mac_of(node.host);
  return roce::mac_of_port(static_cast<unsigned>(wire.from), static_cast<unsigned>(wire.from_port));
}

/// Name of the transport in a capture, by which its packets are labelled; empty: packets have RoCE
/// headers.
std::string labels_of(const TransportChoice& choice) {
  const TransportParameters* const transport = choice.chosen();
  return transport == nullptr || transport->on_roce() ? std::string() : choice.name();
}

std::string peer_text(const Topology& topology, const Wire& wire) {
  return fmt::format("port {} of {}, to {}", wire.from_port, topology.node(wire.from).name,
                     topology.node(wire.to).name);
}
}  // namespace

/// One pcapng file and the selection of packets to write to it.
class PacketCapture::File {
 public:
  File(const PacketTraceConfig& config, const PlatformConfig& platform, Partitions& partitions,
       std::size_t flows, const std::string& path)
      : name_(config.name),
        from_(config.from),
        to_(config.to.value_or(PicoSeconds::max())),
        snap_(static_cast<std::size_t>(config.snap)),
        writer_(path, static_cast<std::uint32_t>(config.snap)) {
    std::vector<FrameWriter> frames;
    for (const TransportChoice* const transport : platform.transports()) {
      frames.emplace_back(static_cast<std::uint32_t>(config.snap), labels_of(*transport));
    }
    if (platform.mixes_transports()) {
      writer_of_.resize(platform.topology.port_count());
      for (std::size_t i = 0; i < platform.nics.size(); ++i) {
        for (const HostId host : platform.nics[i].hosts) writer_of_[host] = i + 1;
      }
    }
    for (unsigned p = 0; p < partitions.count(); ++p) {
      shelves_.push_back({frames, partitions.scheduler(p), {}, {}, 0});
    }
    if (config.flows.empty()) return;
    wanted_.resize(flows);
    for (const unsigned flow : config.flows) wanted_[flow] = true;
  }

  /// Makes the tap of a wire; `partition`: partition of the sender.
  Link::Tap tap(const Topology& topology, const Wire& wire, unsigned partition) {
    const Link& link = wire.link();
    const std::uint32_t number =
        writer_.add_interface({topology.wire_name(wire.from, wire.from_port),
                               peer_text(topology, wire), link.parameters().rate.bits_per_second});
    ports_.push_back({number, mac_of_port(topology, wire), &shelves_[partition]});
    const Port* const port = &ports_.back();
    return [this, port](const Packet& packet, PicoSeconds sent) { record(packet, sent, *port); };
  }

  /// Writes the packets that all partitions have collected to the file. Call while all partitions
  /// wait.
  void clear_shelves() {
    order_.clear();
    for (Shelf& shelf : shelves_) {
      for (const Laid& laid : shelf.packets) order_.push_back({&laid, &shelf});
    }
    // Packets of one shelf are in order already; a stable sort keeps that order for equal places.
    std::stable_sort(order_.begin(), order_.end(),
                     [](const auto& a, const auto& b) { return a.first->place < b.first->place; });
    for (const auto& [laid, shelf] : order_) {
      std::memcpy(writer_.begin_packet(laid->port, laid->nanoseconds),
                  shelf->bytes.data() + laid->begin, laid->size.captured);
      writer_.end_packet(laid->size.captured, laid->size.length);
    }
    for (Shelf& shelf : shelves_) {
      shelf.packets.clear();
      shelf.used = 0;
    }
  }
  void close() { writer_.close(); }
  std::string described() const {
    return fmt::format("trace/{}.pcapng: {} packets of {} port{}", name_, writer_.packets(),
                       ports_.size(), ports_.size() == 1 ? "" : "s");
  }

 private:
  struct Laid {
    EventPlace place;
    std::uint64_t nanoseconds;
    std::uint32_t port;
    FrameSize size;
    std::size_t begin;  // offset of the packet in the shelf's bytes
  };
  /// Packets that one partition has collected.
  struct alignas(64) Shelf {
    // writers for frames of hosts of `nic`, then of each entry of `nics`
    std::vector<FrameWriter> frames;
    const Scheduler& scheduler;
    std::vector<Laid> packets;
    std::vector<std::uint8_t> bytes;
    std::size_t used;
  };
  struct Port {
    std::uint32_t number;
    roce::MacAddress mac;
    Shelf* shelf;
  };

  bool wants(const Packet& packet) const {
    if (wanted_.empty()) return true;
    // Messages of the closed loop have flow numbers above those of all flows.
    return !is_link_control(packet.kind) && packet.flow < wanted_.size() && wanted_[packet.flow];
  }

  FrameWriter& frames_for(const Packet& packet, Shelf& shelf) const {
    if (writer_of_.empty() || is_link_control(packet.kind)) return shelf.frames.front();
    return shelf.frames[writer_of_[packet.source]];
  }

  void record(const Packet& packet, PicoSeconds sent, const Port& port) {
    if (sent < from_ || !(sent < to_) || !wants(packet)) return;
    Shelf& shelf = *port.shelf;
    const auto nanoseconds = static_cast<std::uint64_t>(sent / kNanoSecond);
    const EventPlace* const place = shelf.scheduler.place();
    if (place == nullptr) {  // with one partition the packet is written at once
      const FrameSize size =
          frames_for(packet, shelf)
              .write(packet, port.mac, writer_.begin_packet(port.number, nanoseconds));
      writer_.end_packet(size.captured, size.length);
      return;
    }
    const std::size_t begin = shelf.used;
    if (shelf.bytes.size() < begin + snap_) shelf.bytes.resize(2 * (begin + snap_));
    const FrameSize size =
        frames_for(packet, shelf).write(packet, port.mac, shelf.bytes.data() + begin);
    shelf.packets.push_back({*place, nanoseconds, port.number, size, begin});
    shelf.used += size.captured;
  }

  std::string name_;
  PicoSeconds from_;
  PicoSeconds to_;
  std::vector<bool> wanted_;  // flows to capture; empty: all flows
  // index of each host's writer in Shelf::frames; empty: one writer for all hosts
  std::vector<std::size_t> writer_of_;
  std::size_t snap_;
  PcapngWriter writer_;
  std::deque<Shelf> shelves_;  // collected packets, one shelf per partition
  std::deque<Port> ports_;
  std::vector<std::pair<const Laid*, const Shelf*>> order_;
};

void check_trace(const PlatformConfig& config, const Topology& topology, std::size_t flows) {
  for (const unsigned flow : config.output.trace.flows) {
    require_flow(flow, flows, "output.trace.flows");
  }
  for (std::size_t i = 0; i < config.output.trace.packets.size(); ++i) {
    const PacketTraceConfig& capture = config.output.trace.packets[i];
    select_wires(topology, capture.ports, path_of(i) + ".ports");
    for (const unsigned flow : capture.flows) require_flow(flow, flows, path_of(i) + ".flows");
  }
}

PacketCapture::PacketCapture(Platform& p) {
  const PlatformConfig& config = p.config;
  Network& network = p.network;
  const std::size_t flows = p.plan.count();
  check_trace(config, network.topology(), flows);
  std::vector<std::vector<Link::Tap>> taps(network.wires().size());
  for (std::size_t i = 0; i < config.output.trace.packets.size(); ++i) {
    const PacketTraceConfig& capture = config.output.trace.packets[i];
    files_.push_back(
        std::make_unique<File>(capture, config, p.partitions, flows,
                               (p.setup.traces.folder / (capture.name + ".pcapng")).string()));
    for (const std::size_t wire :
         select_wires(network.topology(), capture.ports, path_of(i) + ".ports")) {
      const Wire& tapped = network.wires()[wire];
      taps[wire].push_back(
          files_.back()->tap(network.topology(), tapped, p.partitions.of(tapped.from)));
    }
  }
  if (!files_.empty() && p.partitions.count() > 1) {
    p.partitions.watch([this] {
      for (auto& file : files_) file->clear_shelves();
    });
  }
  for (std::size_t wire = 0; wire < taps.size(); ++wire) {
    if (taps[wire].empty()) continue;
    Link& link = network.wires()[wire].link();
    if (taps[wire].size() == 1) {
      link.set_tap(std::move(taps[wire].front()));
    } else {
      link.set_tap([all = std::move(taps[wire])](const Packet& packet, PicoSeconds sent) {
        for (const Link::Tap& tap : all) tap(packet, sent);
      });
    }
  }
}

PacketCapture::~PacketCapture() = default;

void PacketCapture::finish(RunResults& results) {
  try {
    close();
    results.traces = described();
  } catch (const std::runtime_error& error) {
    results.lost_traces.emplace_back(error.what());
  }
}

void PacketCapture::close() {
  for (auto& file : files_) file->close();
}

std::vector<std::string> PacketCapture::described() const {
  std::vector<std::string> out;
  for (const auto& file : files_) out.push_back(file->described());
  return out;
}

namespace {
const PartKind kPacketCaptureKind(PartKind::kPacketCapture,
                                  [](Platform& p) { return std::make_unique<PacketCapture>(p); });
}  // namespace

}  // namespace dcc::vp
