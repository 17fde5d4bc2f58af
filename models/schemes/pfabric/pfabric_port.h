// A port that serves and drops packets by what is left of their flows (pFabric).
#pragma once

#include <cstdint>
#include <vector>

#include "switch/discipline.h"

namespace dcc {

/// Alizadeh et al., "pFabric: Minimal Near-Optimal Datacenter Transport", SIGCOMM 2013,
/// section 4.1.
struct PfabricPortParameters final : DisciplineParameters {
  Bytes limit = 36'864;  // that may wait at a port

  void describe(ParameterVisitor& v) override;
};

/// Data is the more urgent the less its sender had left when it sent it (Packet::scheme); control
/// packets are more urgent than all data. A packet that finds no room pushes out the least urgent,
/// of equally urgent ones the last that came, until there is: that may be itself. Served is the
/// earliest packet of the flow that the most urgent one is of, so a flow's packets stay in order.
/// Looks through what waits, as the paper's hardware does: two bandwidth-delay products.
class PfabricPort final : public PortDiscipline {
 public:
  explicit PfabricPort(const PfabricPortParameters& parameters) : limit_(parameters.limit) {}

  EnqueueResult enqueue(Packet* packet) override;
  Packet* dequeue() override;
  bool empty() const override { return waiting_.empty(); }
  Bytes bytes() const override { return bytes_; }
  void add_state(StateDigest& d) const override;

 private:
  struct Waiting {
    std::uint64_t urgency = 0;  // the smaller the more urgent
    std::uint64_t flow = 0;     // and direction
    Packet* packet = nullptr;
  };
  Packet* take(std::size_t index);

  Bytes limit_;
  Bytes bytes_ = 0;
  std::vector<Waiting> waiting_;  // by arrival
};

}  // namespace dcc
