// SP-PIFO: strict-priority queues that approximate a queue sorted by rank.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/discipline.h"

namespace dcc {

/// Gran Alcoz, Dietmüller and Vanbever, "SP-PIFO: Approximating Push-In First-Out Behaviors using
/// Strict-Priority Queues", NSDI 2020, section 4.3.
struct SpPifoParameters final : DisciplineParameters {
  Bytes limit = 36'864;      // queue limit of the port in wire bytes
  std::uint32_t queues = 8;  // number of strict-priority queues

  void describe(ParameterVisitor& v) override;
  const char* replaces() const override { return "pfabric"; }
};

/// A packet's rank is the number of bytes that its sender had left when sending it
/// (Packet::scheme); control packets have rank 0. Each queue has a bound. An arriving packet enters
/// the queue of the lowest priority whose bound is not above the packet's rank, and the rank
/// becomes that bound (push-up). If the bound of the highest priority is above the rank, all bounds
/// fall by the difference and the packet enters the highest priority (push-down). A packet that
/// finds no room is dropped, whatever its rank. Queues are served by priority, each in order of
/// arrival.
class SpPifoPort final : public PortDiscipline {
 public:
  explicit SpPifoPort(const SpPifoParameters& parameters);

  EnqueueResult enqueue(Packet* packet) override;
  Packet* dequeue() override;
  bool empty() const override { return bytes_ == 0; }
  Bytes bytes() const override { return bytes_; }
  void add_state(StateDigest& d) const override;

 private:
  struct Queue {
    std::uint64_t bound = 0;
    PacketFifo packets;
  };
  std::size_t queue_of(std::uint64_t rank);

  const Bytes limit_;
  Bytes bytes_ = 0;
  std::vector<Queue> queues_;  // queues of the port, highest priority first
};

}  // namespace dcc
