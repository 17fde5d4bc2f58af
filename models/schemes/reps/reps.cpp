// REPS (Bonato et al., 2024: recycled entropies for packet spraying): every packet carries an
// entropy value that all switches hash with the flow. A value that an ACK brings back without a
// mark is used once more; a sender without such a value draws a random one. So packets stay on
// paths that were free a round trip ago. The switch to which a sender is attached does the NIC's
// work: it draws values and reads ACKs.
#include "schemes/reps/reps.h"

#include <array>

#include "describe/visitor.h"
#include "fabric/fabric_map.h"
#include "schemes/common/key_table.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {

class Reps final : public PathChoice {
 public:
  Reps(const RepsParameters& parameters, const PathContext& context)
      : parameters_(parameters),
        hash_seed_(context.hash_seed),
        random_(context.seed, "routing", context.index) {}

  // Requests every packet, because an ACK reaches its host through one port only.
  Needs needs() const override { return {true, false}; }
  void join(const FabricMap& fabric, int self) override {
    fabric_ = &fabric;
    self_ = fabric.edge_at(self);
  }
  /// Drops the recycled entropy values of all flows, which belong to the old routes.
  void routes_changed() override { senders_.clear(); }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    if (ports.size() == 1) return 0;
    std::uint8_t tag = packet.overlay.entropy.value;
    if (begins_here(packet)) {
      const Sender* const known = senders_.find(key_of(packet));
      Sender ahead = known != nullptr ? *known : Sender{};
      RandomStream random = random_;
      tag = next(ahead, random);
    }
    return hashed(packet, tag, ports.size());
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    if (packet.kind == PacketKind::kAck && packet.overlay.entropy.echo != 0 && ends_here(packet)) {
      recycle(packet);
    }
    if (ports.size() == 1) return 0;
    if (begins_here(packet)) {
      packet.overlay.entropy.value = next(*senders_.find_or_add(key_of(packet)).first, random_);
    }
    return hashed(packet, packet.overlay.entropy.value, ports.size());
  }
  void add_state(StateDigest& d) const override {
    d(random_);
    d.unordered([this](auto one) {
      senders_.for_each([&](std::uint64_t key, const Sender& sender) {
        StateDigest tags;
        for (std::uint32_t i = 0; i < sender.count; ++i) {
          tags(sender.kept[place(sender.first + i)]);
        }
        one(key, sender.sent, tags.value());
      });
    });
  }

 private:
  /// A flow whose sender is attached to this switch: its recycled entropy values, oldest first, as
  /// a ring.
  struct Sender {
    std::array<std::uint8_t, RepsParameters::kMaxKept> kept{};
    std::uint8_t first = 0;
    std::uint8_t count = 0;
    // number of packets that the flow sent, counted during the warm-up only
    std::uint32_t sent = 0;
  };

  bool begins_here(const Packet& packet) const {
    return packet.kind == PacketKind::kData &&
           (fabric_ == nullptr || fabric_->edge_of(packet.source) == self_);
  }
  bool ends_here(const Packet& packet) const {
    return fabric_ == nullptr || fabric_->edge_of(packet.destination) == self_;
  }
  static std::uint64_t key_of(const Packet& packet) {
    return flow_key(packet.flow, packet.source, packet.destination);
  }
  std::uint32_t hashed(const Packet& packet, std::uint8_t tag, std::uint32_t choices) const {
    const std::uint64_t hash = flow_hash(packet, hash_seed_);
    return scaled_down(tag == 0 ? hash : mix64(hash ^ tag), choices);
  }

  std::uint8_t next(Sender& sender, RandomStream& random) const {
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
  /// Adds an ACK's entropy value to the flow's ring; a full ring drops its oldest value.
  void recycle(const Packet& ack) {
    if (ack.ce_echo) return;
    Sender& sender = *senders_.find_or_add(flow_key(ack.flow, ack.destination, ack.source)).first;
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
  std::uint64_t hash_seed_;
  RandomStream random_;
  const FabricMap* fabric_ = nullptr;
  std::uint32_t self_ = FabricMap::kNoEdge;
  KeyTable<Sender> senders_;
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
