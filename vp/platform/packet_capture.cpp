#include "platform/packet_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "config/yaml_reader.h"
#include "platform/wire_selection.h"

namespace dcc::vp {

namespace {
std::string path_of(std::size_t capture) {
  return "output.trace.packets." + std::to_string(capture);
}

/// A host's ports have its address, a switch's a local one of their own.
roce::MacAddress mac_of_port(const Topology& topology, const Wire& wire) {
  const TopologyNode& node = topology.node(wire.from);
  if (node.is_host) return roce::mac_of(node.host);
  return roce::mac_of_port(static_cast<unsigned>(wire.from), static_cast<unsigned>(wire.from_port));
}

/// Whose name its packets bear in a capture; empty: they have RoCE's headers.
std::string labels_of(const NicConfig& nic) {
  const TransportParameters* const transport = nic.transport.chosen();
  return transport == nullptr || transport->on_roce() ? std::string() : nic.transport.name();
}

std::string peer_text(const Topology& topology, const Wire& wire) {
  return fmt::format("port {} of {}, to {}", wire.from_port, topology.node(wire.from).name,
                     topology.node(wire.to).name);
}
}  // namespace

/// One pcapng file and what goes into it.
class PacketCapture::File {
 public:
  File(const PacketTraceConfig& config, const NicConfig& nic, std::size_t flows,
       const std::string& path)
      : name_(config.name),
        from_(config.from),
        to_(config.to.value_or(PicoSeconds::max())),
        writer_(path, static_cast<std::uint32_t>(config.snap)),
        frames_(static_cast<std::uint32_t>(config.snap), labels_of(nic)) {
    if (config.flows.empty()) return;
    wanted_.resize(flows);
    for (const unsigned flow : config.flows) wanted_[flow] = true;
  }

  Link::Tap tap(const Topology& topology, const Wire& wire) {
    const Link& link = wire.link();
    const std::uint32_t number = writer_.add_interface(
        {wire.name, peer_text(topology, wire), link.parameters().rate.bits_per_second});
    ports_.push_back({number, mac_of_port(topology, wire)});
    const Port* const port = &ports_.back();
    return [this, port](const Packet& packet, PicoSeconds sent) { record(packet, sent, *port); };
  }

  void close() { writer_.close(); }
  std::string described() const {
    return fmt::format("trace/{}.pcapng: {} packets of {} port{}", name_, writer_.packets(),
                       ports_.size(), ports_.size() == 1 ? "" : "s");
  }

 private:
  struct Port {
    std::uint32_t number;
    roce::MacAddress mac;
  };

  bool wants(const Packet& packet) const {
    if (wanted_.empty()) return true;
    // The closed loop's own messages have numbers above those of all flows.
    return !is_link_control(packet.kind) && packet.flow < wanted_.size() && wanted_[packet.flow];
  }

  void record(const Packet& packet, PicoSeconds sent, const Port& port) {
    if (sent < from_ || !(sent < to_) || !wants(packet)) return;
    std::uint8_t* const room =
        writer_.begin_packet(port.number, static_cast<std::uint64_t>(sent / kNanoSecond));
    const FrameSize size = frames_.write(packet, port.mac, room);
    writer_.end_packet(size.captured, size.length);
  }

  std::string name_;
  PicoSeconds from_;
  PicoSeconds to_;
  std::vector<bool> wanted_;  // by flow; empty: all
  PcapngWriter writer_;
  FrameWriter frames_;
  std::deque<Port> ports_;
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

PacketCapture::PacketCapture(const PlatformConfig& config, Network& network, std::size_t flows,
                             const std::filesystem::path& folder) {
  check_trace(config, network.topology(), flows);
  std::vector<std::vector<Link::Tap>> taps(network.wires().size());
  for (std::size_t i = 0; i < config.output.trace.packets.size(); ++i) {
    const PacketTraceConfig& capture = config.output.trace.packets[i];
    files_.push_back(std::make_unique<File>(capture, config.nic, flows,
                                            (folder / (capture.name + ".pcapng")).string()));
    for (const std::size_t wire :
         select_wires(network.topology(), capture.ports, path_of(i) + ".ports")) {
      taps[wire].push_back(files_.back()->tap(network.topology(), network.wires()[wire]));
    }
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

void PacketCapture::close() {
  for (auto& file : files_) file->close();
}

std::vector<std::string> PacketCapture::described() const {
  std::vector<std::string> out;
  for (const auto& file : files_) out.push_back(file->described());
  return out;
}

}  // namespace dcc::vp
