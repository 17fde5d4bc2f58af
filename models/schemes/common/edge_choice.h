// Bases of load balancers that act for the hosts attached to their switch.
#pragma once

#include <cstdint>

#include "fabric/fabric_map.h"
#include "fabric/path_choice.h"
#include "schemes/common/key_table.h"
#include "sim/random.h"

namespace dcc {

/// A load balancer that knows which packets begin and end at the hosts of its switch. In a network
/// without a map every packet begins and ends here.
class EdgeChoice : public PathChoice {
 public:
  void join(const FabricMap& fabric, int self) override {
    fabric_ = &fabric;
    node_ = self;
    self_ = fabric.edge_at(self);
  }

 protected:
  bool begins_here(const Packet& packet) const {
    return fabric_ == nullptr || fabric_->edge_of(packet.source) == self_;
  }
  bool ends_here(const Packet& packet) const {
    return fabric_ == nullptr || fabric_->edge_of(packet.destination) == self_;
  }

  const FabricMap* fabric_ = nullptr;
  int node_ = 0;
  std::uint32_t self_ = FabricMap::kNoEdge;
};

/// A load balancer by entropy: every packet carries a tag that all switches hash with the flow. The
/// switch that a sender is attached to chooses the tags and reads ACKs. Derived has next(Sender&,
/// packet, random), which returns the tag of a data packet; the state of a flow at its sender's
/// switch is a Sender.
template <class Derived, class Sender>
class EntropyChoice : public EdgeChoice {
 public:
  // Requests every packet, because an ACK reaches its host through one port only.
  Needs needs() const final { return {true, false}; }
  std::uint32_t peek(const Packet& packet, PortSet ports) const final {
    if (ports.size() == 1) return 0;
    std::uint8_t tag = packet.overlay.entropy.value;
    if (sends_here(packet)) {
      const Sender* const known = senders_.find(flow_key(packet));
      Sender ahead = known != nullptr ? *known : Sender{};
      RandomStream random = random_;
      tag = static_cast<const Derived&>(*this).next(ahead, packet, random);
    }
    return hashed(packet, tag, ports.size());
  }

 protected:
  explicit EntropyChoice(const PathContext& context)
      : random_(context.seed, "routing", context.index), hash_seed_(context.hash_seed) {}

  /// Chooses the port of a packet, and the tag of a packet that begins here.
  std::uint32_t choose_by_tag(Packet& packet, PortSet ports) {
    if (ports.size() == 1) return 0;
    if (sends_here(packet)) {
      packet.overlay.entropy.value = static_cast<const Derived&>(*this).next(
          *senders_.find_or_add(flow_key(packet)).first, packet, random_);
    }
    return hashed(packet, packet.overlay.entropy.value, ports.size());
  }

  RandomStream random_;
  KeyTable<Sender> senders_;

 private:
  bool sends_here(const Packet& packet) const {
    return packet.kind == PacketKind::kData && begins_here(packet);
  }
  std::uint32_t hashed(const Packet& packet, std::uint8_t tag, std::uint32_t choices) const {
    const std::uint64_t hash = flow_hash(packet, hash_seed_);
    return scaled_down(tag == 0 ? hash : mix64(hash ^ tag), choices);
  }

  std::uint64_t hash_seed_;
};

}  // namespace dcc
