// Base of load balancers under a central scheduler: the switch's flow entries, and byte counters of
// the flows that begin at its hosts.
#pragma once

#include <algorithm>
#include <vector>

#include "fabric/flow_entries.h"
#include "schemes/common/edge_choice.h"
#include "schemes/common/key_table.h"
#include "sim/state_digest.h"

namespace dcc {

/// A load balancer with flow entries: a flow with an entry takes the entry's port; every other flow
/// takes the port of unplaced().
class PlacedFlows : public EdgeChoice, private FlowEntries {
 public:
  // Requests every packet, because flows between two hosts of this switch count too: they use the
  // hosts' links.
  Needs needs() const override { return {true, false}; }
  void routes_changed() override { places_.clear(); }
  FlowEntries* flow_entries() override { return this; }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint32_t* const place = places_.find(flow_key(packet));
    if (place != nullptr) return std::min(*place, ports.size() - 1);
    return unplaced(packet, ports);
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    if (packet.kind == PacketKind::kData && fabric_ != nullptr && begins_here(packet)) {
      Count& count = *counts_.find_or_add(flow_key(packet)).first;
      count.name = {packet.source, packet.destination, packet.flow};
      count.bytes += packet.wire_bytes;
    }
    return ports.size() == 1 ? 0 : peek(packet, ports);
  }
  void add_state(StateDigest& d) const override { d(counts_, places_); }

 protected:
  explicit PlacedFlows(std::uint64_t hash_seed) : hash_seed_(hash_seed) {}
  virtual std::uint32_t unplaced(const Packet& packet, PortSet ports) const = 0;

  const std::uint64_t hash_seed_;

 private:
  std::vector<Count> take_counts() override {
    std::vector<Count> list;
    counts_.for_each([&](std::uint64_t, const Count& count) { list.push_back(count); });
    counts_.clear();
    return list;
  }
  void place(const FlowName& name, std::uint32_t index) override {
    *places_.find_or_add(flow_key(name.flow, name.source, name.destination)).first = index;
  }
  void clear_places() override { places_.clear(); }
  std::uint64_t hash_seed() const override { return hash_seed_; }

  KeyTable<Count> counts_;
  KeyTable<std::uint32_t> places_;
};

}  // namespace dcc
