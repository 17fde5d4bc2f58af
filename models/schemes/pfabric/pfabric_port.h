// A port that schedules and drops packets by the bytes left of their flows (pFabric).
#pragma once

#include <cstdint>
#include <vector>

#include "switch/discipline.h"

namespace dcc {

/// Alizadeh et al., "pFabric: Minimal Near-Optimal Datacenter Transport", SIGCOMM 2013,
/// section 4.1.
struct PfabricPortParameters final : DisciplineParameters {
  Bytes limit = 36'864;  // queue limit of the port in wire bytes

  void describe(ParameterVisitor& v) override;
};

/// Data is more urgent the fewer bytes its sender had left when sending it (Packet::scheme);
/// control packets are more urgent than all data. If an arriving packet finds no room, the port
/// drops the least urgent packets (of equal ones the last arrived) until there is room; the
/// arriving packet may be one of them. The port sends the earliest packet of the flow that owns the
/// most urgent packet, so a flow's packets stay in order. Every choice searches all waiting
/// packets, as the paper's hardware does. The waiting packets have at most about two
/// bandwidth-delay products of bytes.
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
    // urgency of the packet by its flow's bytes left; a smaller value is more urgent
    std::uint64_t urgency = 0;
    std::uint64_t flow = 0;  // key of the packet's flow and direction
    Packet* packet = nullptr;
  };
  Packet* take(std::size_t index);

  Bytes limit_;
  Bytes bytes_ = 0;
  std::vector<Waiting> waiting_;  // packets that wait at the port, in order of arrival
};

}  // namespace dcc
