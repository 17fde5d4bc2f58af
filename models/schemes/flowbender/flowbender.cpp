// FlowBender (Kabbani et al., CoNEXT'14): every packet of a flow carries a value V that all
// switches hash with the flow. The sender draws another V when too many ACKs of a round trip report
// marks, or when it sends a packet again, so the flow leaves its path. The switch that a sender is
// attached to plays the sender's part: the switch reads ACKs and writes V.
#include "schemes/flowbender/flowbender.h"

#include <algorithm>

#include "describe/visitor.h"
#include "schemes/common/edge_choice.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

/// A flow whose sender is attached to this switch. A round is a round trip: it ends with the ACK
/// of a packet that was sent after the round began.
struct FlowbenderSender {
  std::uint8_t value = 0;       // value V of the flow, from 0
  bool went_back = false;       // true if the sender retransmitted a packet in this round
  std::uint32_t congested = 0;  // number of the flow's consecutive congested rounds
  std::uint32_t acks = 0;       // number of ACKs that the flow received in this round
  std::uint32_t marked = 0;     // number of ACKs in this round that report marks
  Psn next = 0;                 // one above the number of the highest packet that the flow sent
  Psn round_end = 0;
  void add_state(StateDigest& d) const {
    d(value, went_back, congested, acks, marked, next, round_end);
  }
};

class Flowbender final : public EntropyChoice<Flowbender, FlowbenderSender> {
 public:
  Flowbender(const FlowbenderParameters& parameters, const PathContext& context)
      : EntropyChoice(context),
        parameters_(parameters),
        share_q16_(static_cast<std::uint64_t>(parameters.mark_share.to_fixed(16))) {}

  std::uint32_t choose(Packet& packet, PortSet ports) override {
    if (packet.kind == PacketKind::kAck && ends_here(packet)) on_ack(packet);
    return choose_by_tag(packet, ports);
  }
  void add_state(StateDigest& d) const override { d(random_, senders_); }
  /// Returns the tag that a data packet carries: V + 1.
  std::uint8_t next(FlowbenderSender& sender, const Packet& packet, RandomStream& random) const {
    if (packet.psn < sender.next && !sender.went_back) {
      sender.went_back = true;
      move(sender, random);
    }
    sender.next = std::max(sender.next, packet.psn + 1);
    return static_cast<std::uint8_t>(sender.value + 1);
  }

 private:
  /// Draws another value V for a flow.
  void move(FlowbenderSender& sender, RandomStream& random) const {
    const auto other = 1 + random.below(parameters_.values - 1);
    sender.value = static_cast<std::uint8_t>((sender.value + other) % parameters_.values);
    sender.congested = 0;
  }
  void on_ack(const Packet& ack) {
    const std::uint64_t key = flow_key(ack.flow, ack.destination, ack.source);
    FlowbenderSender* const sender = senders_.find(key);
    if (sender == nullptr) return;
    ++sender->acks;
    if (ack.ce_echo) ++sender->marked;
    if (ack.psn < sender->round_end) return;
    const bool congested = std::uint64_t{sender->marked} << 16 > sender->acks * share_q16_;
    sender->congested = congested ? sender->congested + 1 : 0;
    if (sender->congested >= parameters_.rounds) move(*sender, random_);
    sender->acks = sender->marked = 0;
    sender->went_back = false;
    sender->round_end = sender->next;
  }

  FlowbenderParameters parameters_;
  std::uint64_t share_q16_;
};

const Balancers::Registered<FlowbenderParameters> kFlowbender{
    "flowbender", "flows by a hash that a flow changes when its ACKs report many marks",
    kMakes<Flowbender>};

}  // namespace

void FlowbenderParameters::describe(ParameterVisitor& v) {
  v.field("mark_share", mark_share, {"0", "1"},
          {"share of marked ACKs above which a round trip counts as congested",
           "FlowBender, CoNEXT'14: T"});
  v.field(
      "rounds", rounds, {"1", "1000"},
      {"congested round trips in a row until a flow changes its path", "FlowBender, CoNEXT'14: N"});
  v.field("values", values, {"2", "255"},
          {"number of values of the field that switches hash besides the flow",
           "FlowBender, CoNEXT'14: V"});
}

}  // namespace dcc
