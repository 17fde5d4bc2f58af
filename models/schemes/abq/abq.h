// ABQ: a port with a bounded queue that holds back the senders' ACKs while the queue is long.
#pragma once

#include "switch/drop_tail.h"

namespace dcc {

/// Xu, Xu, Li, Zheng, Shen, Du, Du, "ABQ: Active Buffer Queueing in Datacenters", IEEE Network
/// 34(2), 2020, implemented from its abstract and summaries; this model chose the threshold and the
/// pace of held-back ACKs itself.
struct AbqParameters final : DisciplineParameters {
  Bytes limit = 375'000;      // queue limit of the port in wire bytes
  Bytes hold_above = 50'000;  // queue length above which ACKs are held back

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* replaces() const override { return "drop_tail"; }
};

/// A port with a queue by priority like drop_tail's. While more than `hold_above` bytes wait at the
/// port, ACKs that arrive from the far end of its link wait in the switch, in one queue for all
/// flows. One ACK is released with each packet that leaves while the queue is shorter; while the
/// port is empty, ACKs are released at the pace of the link.
class AbqPort final : public PortDiscipline {
 public:
  AbqPort(const AbqParameters& parameters, const DisciplineContext& context);

  void attach(const LinkParameters& link) override { queue_.attach(link); }
  /// Requires that every packet passes the port's queue, so that no ACK bypasses it.
  bool needs_every_packet() const override { return true; }
  bool needs_reverse_packets() const override { return true; }
  bool holds(const Packet& packet, std::size_t others) const override;
  bool may_release() const override { return bytes() <= hold_above_; }
  EnqueueResult enqueue(Packet* packet) override { return queue_.enqueue(packet); }
  Packet* dequeue() override { return queue_.dequeue(); }
  bool empty() const override { return queue_.empty(); }
  Bytes bytes() const override { return queue_.bytes(); }
  void add_state(StateDigest& d) const override { queue_.add_state(d); }

 private:
  DropTailPort queue_;
  const Bytes hold_above_;
};

}  // namespace dcc
