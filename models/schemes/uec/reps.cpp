// REPS (Bonato et al., 2024: recycled entropies for packet spraying): every packet carries a number
// that all switches hash with it; numbers that an ACK brings back without a mark are used again,
// each once, and only where none is left one is drawn. So packets stay with ways that were free a
// round trip ago. The NICs' part is played by the switch they are at: it draws, and reads ACKs.
#include <array>

#include "fabric/fabric_map.h"
#include "fabric/path_choice.h"
#include "fabric/routing_parameters.h"
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

  // ACKs reach their host by the only way there is.
  Wishes wishes() const override { return {true, false}; }
  void join(const FabricMap& fabric, int self) override {
    fabric_ = &fabric;
    self_ = fabric.edge_at(self);
  }
  /// What came back did so by other ways.
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
  /// Of a flow whose sender is here: tags that came back, the oldest first, as a ring.
  struct Sender {
    std::array<std::uint8_t, RepsParameters::kMaxKept> kept{};
    std::uint8_t first = 0;
    std::uint8_t count = 0;
    std::uint32_t sent = 0;  // up to the end of the warm-up
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
  /// Of a full ring the oldest goes.
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

}  // namespace

std::unique_ptr<PathChoice> make_reps(const RoutingParameters& parameters,
                                      const PathContext& context) {
  return std::make_unique<Reps>(parameters.reps, context);
}

}  // namespace dcc
