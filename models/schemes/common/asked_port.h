// What ports have in common that packets ask as they come, for a rate or a price: everything else
// is queued and left to go.
#pragma once

#include "switch/drop_tail.h"

namespace dcc {

struct AskedPortParameters : DisciplineParameters {
  Bytes limit = 375'000;  // that may wait

  void describe(ParameterVisitor& v) override;
};

/// Packets are answered when they come, before they are queued. Queued is as in a drop-tail port:
/// the highest priority first, first come first served, room for so many bytes.
class AskedPort : public PortDiscipline {
 public:
  void attach(const LinkParameters& link) final;
  bool needs_every_packet() const final { return true; }
  EnqueueResult enqueue(Packet* packet) final {
    asked(*packet);
    return queue_.enqueue(packet);
  }
  Packet* dequeue() final { return queue_.dequeue(); }
  bool empty() const final { return queue_.empty(); }
  Bytes bytes() const final { return queue_.bytes(); }
  void add_state(StateDigest& d) const override;

 protected:
  AskedPort(const AskedPortParameters& parameters, const DisciplineContext& context);

  /// What it gives out is of a link of this rate. Before the first packet.
  virtual void set_link(BitRate rate) = 0;
  /// A packet comes, not queued yet: whatever it asks and whatever its bytes mean.
  virtual void asked(Packet& packet) = 0;

  PicoSeconds now() const { return clock_.now(); }
  /// Of a packet, overhead included.
  Bytes on_wire(const Packet& packet) const { return packet.wire_bytes + overhead_; }

 private:
  const Scheduler& clock_;
  DropTailPort queue_;
  Bytes overhead_ = 0;
};

}  // namespace dcc
