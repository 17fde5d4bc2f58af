// Adapter between data packets of a receiver and clock cycles of the verilated notification point.
#include "notification_engine_rtl.h"

#include <Vnotifier_nic.h>
#include <Vnotifier_nic___024root.h>

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "single_thread_context.h"
#include "swept_state.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

// number of flows, set in rtl/packet/CMakeLists.txt
constexpr std::uint32_t kFlows = DCC_NOTIFIER_FLOWS;
constexpr std::size_t kBeat = 64;
constexpr std::size_t kCnpBytes = 74;  // bytes of a CNP's frame without FCS

/// Converts a MAC address to the pin order: the byte sent first in the low bits.
std::uint64_t on_wire(const roce::MacAddress& address) {
  std::uint64_t out = 0;
  for (std::size_t i = address.size(); i-- > 0;) out = out << 8 | address[i];
  return out;
}
std::uint32_t on_wire(std::uint32_t ip) { return __builtin_bswap32(ip); }

class Engine final : public NotificationEngine {
 public:
  explicit Engine(const RtlNotificationOptions& options)
      : fault_(options.fault), name_("host " + std::to_string(options.host)) {
    context_.fatalOnError(false);  // a failed assertion becomes an exception
    block_ = std::make_unique<Vnotifier_nic>(&context_, "notifier");
    block_->m_tready_i = 1;
    block_->rst_ni = 1;
    block_->eval();
    // one for each thread, because several threads may make engines at a time
    static thread_local SweptState<Vnotifier_nic___024root, char> swept;
    if (!swept.copy_to(*block_->rootp, 0)) {
      block_->rst_ni = 0;
      cycle();
      block_->rst_ni = 1;
      for (std::uint32_t flow = 0; flow <= kFlows && !block_->init_done_o; ++flow) cycle();
      need(block_->init_done_o, "is not ready after its sweep");
      swept.keep(*block_->rootp, 0);
    }
    block_->own_mac_i = on_wire(roce::mac_of(options.host));
    block_->own_ip_i = on_wire(roce::ip_of(options.host));
    block_->eval();
    for (std::uint32_t flow = kFlows; flow-- > 0;) free_.push_back(flow);
  }
  ~Engine() override {
    // Verilator's final() uses the calling thread's context, which may still belong to another
    // engine.
    Verilated::threadContextp(&context_);
    block_->final();
    block_.reset();
  }

  void begin(Qpn qpn) override {
    const auto [at, is_new] = flows_.try_emplace(qpn);
    if (is_new) {
      if (free_.empty()) {
        throw std::runtime_error(
            name_ + ": more than " + std::to_string(kFlows) +
            " queue pairs at once, for which the RTL of nic.np.engine was built; write engine: "
            "model, or let fewer flows end at this host");
      }
      at->second.flow = free_.back();
      free_.pop_back();
    }
    block_->begin_valid_i = 1;
    block_->begin_flow_i = at->second.flow;
    block_->eval();
    need(block_->begin_ready_o, "does not take a new queue pair");
    cycle();
    block_->begin_valid_i = 0;
    block_->eval();
  }
  void end(Qpn qpn) override {
    const auto at = flows_.find(qpn);
    if (at == flows_.end()) return;
    free_.push_back(at->second.flow);
    flows_.erase(at);
  }

  std::optional<Notification> packet(const NotifiedPacket& packet,
                                     const CnpParameters& parameters) override {
    Flow& flow = flows_.at(packet.qpn);
    block_->now_i = static_cast<std::uint64_t>(packet.now.count);
    set_interval(flow, static_cast<std::uint32_t>(parameters.interval.count));
    block_->dscp_i = parameters.dscp;
    block_->priority_i = parameters.priority;
    // A packet whose sender wants no CNP is only counted. A clear notification follows the CNP that
    // it belongs to, even if this packet's sender wants no CNP.
    block_->packet_marked_i = packet.marked && packet.wanted && !loses_mark(packet);
    block_->carry_i = packet.marked ? packet.wanted && parameters.carry_marks : 1;
    block_->packet_flow_i = flow.flow;
    block_->packet_mac_i = on_wire(roce::mac_of(packet.sender));
    block_->packet_ip_i = on_wire(roce::ip_of(packet.sender));
    block_->packet_peer_i = packet.sender_qpn;
    block_->packet_valid_i = 1;
    // packet_ready_o does not depend on this cycle's inputs, so its value from the previous cycle
    // holds.
    need(block_->packet_ready_o, "does not take a packet");
    cycle();  // cycle in which the flow's state is read
    block_->packet_valid_i = 0;
    cycle();  // cycle of the decision; a CNP is then at the output
    need(!block_->error_o, "reads a word with wrong parity");
    if (!block_->m_tvalid_o) return std::nullopt;
    return told(packet, parameters);
  }

 private:
  struct Flow {
    std::uint32_t flow = 0;
    // interval last written to the block; none: no interval written
    std::optional<std::uint32_t> interval;
  };

  void cycle() {
    make_clock_cycle(*block_);
    need(!context_.gotError(), "fails an assertion");
  }
  void need(bool holds, const char* what) const {
    if (holds) return;
    throw std::runtime_error(name_ + ": the verilated notification point " + what);
  }
  bool loses_mark(const NotifiedPacket& packet) {
    return fault_ == 2 && packet.marked && ++marks_ % 64 == 0;
  }
  void set_interval(Flow& flow, std::uint32_t interval) {
    if (flow.interval == interval) return;
    flow.interval = interval;
    block_->interval_we_i = 1;
    block_->interval_flow_i = flow.flow;
    block_->interval_i = fault_ == 1 ? interval ^ 1u << 20 : interval;
    cycle();
    block_->interval_we_i = 0;
  }

  /// Takes the two beats of a CNP from the output, and parses the CNP as its receiver does.
  Notification told(const NotifiedPacket& packet, const CnpParameters& parameters) {
    std::array<std::uint8_t, 2 * kBeat> bytes;
    std::size_t size = 0;
    for (bool last = false; !last;) {
      need(block_->m_tvalid_o && size < bytes.size(), "breaks off a frame");
      for (std::size_t i = 0; i < kBeat && (block_->m_tkeep_o >> i & 1) != 0; ++i) {
        bytes[size++] = static_cast<std::uint8_t>(block_->m_tdata_o[i / 4] >> (8 * (i % 4)));
      }
      last = block_->m_tlast_o;
      cycle();
    }
    need(!block_->m_tvalid_o, "sends more than a CNP for a packet");
    const roce::Parsed parsed = roce::parse(bytes.data(), size);
    const roce::Headers& h = parsed.headers;
    need(size == kCnpBytes && parsed.error == roce::ParseError::kNone &&
             h.opcode == roce::Opcode::kCnp && h.becn,
         "sends a frame that is no CNP");
    need(h.destination_mac == roce::mac_of(packet.sender) && h.ecn == Ecn::kEct0,
         "sends a CNP with wrong addresses or ECN");
    Notification out;
    // A CNP without counts stands for one mark (as the parser's counting_i = 0 defines).
    const bool counts = parameters.carry_marks || !packet.marked;
    out.marks = counts ? h.cnp_marks : std::uint8_t{1};
    out.packets = h.cnp_packets;
    out.destination = (h.destination_ip & 0xFFFFFF) - 1;
    out.destination_qpn = h.destination_qpn;
    out.dscp = h.dscp;
    out.priority = block_->m_tuser_o;
    return out;
  }

  unsigned fault_;
  std::string name_;
  SingleThreadContext context_;
  std::unique_ptr<Vnotifier_nic> block_;
  std::unordered_map<Qpn, Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::uint64_t marks_ = 0;
};

}  // namespace

std::uint32_t verilated_notifications() { return kFlows; }

std::unique_ptr<NotificationEngine> make_rtl_notification_engine(
    const RtlNotificationOptions& options) {
  return std::make_unique<Engine>(options);
}

}  // namespace dcc
