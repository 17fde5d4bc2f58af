// ABQ: a bounded queue that holds ACKs of its senders back while it is long.
#pragma once

#include "switch/drop_tail.h"

namespace dcc {

/// Xu, Xu, Li, Zheng, Shen, Du, Du, "ABQ: Active Buffer Queueing in Datacenters", IEEE Network
/// 34(2), 2020, known to us from its abstract and summaries; the threshold and the pace are ours.
struct AbqParameters final : DisciplineParameters {
  Bytes limit = 375'000;      // greatest number of wire bytes that wait
  Bytes hold_above = 50'000;  // queue length above which ACKs are held back

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* replaces() const override { return "drop_tail"; }
};

/// A queue by priority as drop_tail's. While more than `hold_above` bytes wait at a port, ACKs that
/// come in from the far end of its link wait in the switch, one queue for all flows; an ACK goes on
/// with each packet that leaves while the queue is shorter, at the pace of the link while it is
/// empty.
class AbqPort final : public PortDiscipline {
 public:
  AbqPort(const AbqParameters& parameters, const DisciplineContext& context);

  void attach(const LinkParameters& link) override { queue_.attach(link); }
  /// An ACK must not pass the ports by.
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
