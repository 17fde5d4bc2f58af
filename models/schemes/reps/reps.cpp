// REPS (Bonato et al., 2024: recycled entropies for packet spraying): every packet carries an
// entropy value that all switches hash with the flow. A value that an ACK brings back without a
// mark is used once more; a sender without such a value draws a random one. So packets stay on
// paths that were free a round trip ago. The switch to which a sender is attached does the NIC's
// work: it draws values and reads ACKs.
#include "schemes/reps/reps.h"

#include <array>

#include "describe/visitor.h"
#include "schemes/common/edge_choice.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

/// A flow whose sender is attached to this switch: its recycled entropy values, oldest first, as
/// a ring.
struct RepsSender {
  std::array<std::uint8_t, RepsParameters::kMaxKept> kept{};
  std::uint8_t first = 0;
  std::uint8_t count = 0;
  // number of packets that the flow sent, counted during the warm-up only
  std::uint32_t sent = 0;
};

class Reps final : public EntropyChoice<Reps, RepsSender> {
 public:
  Reps(const RepsParameters& parameters, const PathContext& context)
      : EntropyChoice(context), parameters_(parameters) {}

  /// Drops the recycled entropy values of all flows, which belong to the old routes.
  void routes_changed() override { senders_.clear(); }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    if (packet.kind == PacketKind::kAck && packet.overlay.entropy.echo != 0 && ends_here(packet)) {
      recycle(packet);
    }
    return choose_by_tag(packet, ports);
  }
  void add_state(StateDigest& d) const override {
    d(random_);
    d.unordered([this](auto one) {
      senders_.for_each([&](std::uint64_t key, const RepsSender& sender) {
        StateDigest tags;
        for (std::uint32_t i = 0; i < sender.count; ++i) {
          tags(sender.kept[place(sender.first + i)]);
        }
        one(key, sender.sent, tags.value());
      });
    });
  }

  std::uint8_t next(RepsSender& sender, const Packet&, RandomStream& random) const {
    const bool warm = sender.sent >= parameters_.warm_up;
    if (!warm) ++sender.sent;
    if (warm && sender.count > 0) {
      const std::uint8_t tag = sender.kept[sender.first];
      sender.first = place(sender.first + 1u);
      --sender.count;
      return tag;
    }
    return static_cast<std::uint8_t>(1 + random.below(parameters_.entropies));
  }

 private:
  /// Adds an ACK's entropy value to the flow's ring; a full ring drops its oldest value.
  void recycle(const Packet& ack) {
    if (ack.ce_echo) return;
    RepsSender& sender =
        *senders_.find_or_add(flow_key(ack.flow, ack.destination, ack.source)).first;
    if (sender.count == parameters_.kept) {
      sender.first = place(sender.first + 1u);
      --sender.count;
    }
    sender.kept[place(sender.first + std::uint32_t{sender.count})] = ack.overlay.entropy.echo;
    ++sender.count;
  }
  std::uint8_t place(std::uint32_t i) const {
    return static_cast<std::uint8_t>(i % parameters_.kept);
  }

  RepsParameters parameters_;
};

const Balancers::Registered<RepsParameters> kReps{
    "reps", "packets by entropy values that ACKs bring back", kMakes<Reps>};

}  // namespace

void RepsParameters::describe(ParameterVisitor& v) {
  v.field("entropies", entropies, {"1", "255"},
          {"number of different values that a packet may carry", "REPS, 2024: EVS size"});
  v.field("kept", kept, {"1", kMaxKept},
          {"number of values kept for each flow: the last ones that came back without a mark",
           "REPS, 2024: 8"});
  v.field("warm_up", warm_up, {"0", "1000000"},
          {"number of first packets of a flow that take random paths; about a bandwidth-delay "
           "product",
           "REPS, 2024"});
}

}  // namespace dcc
