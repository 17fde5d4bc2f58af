// Base of the disciplines that write a rate or a price into arriving packets (D3, PDQ, FCP).
#pragma once

#include "switch/drop_tail.h"

namespace dcc {

struct AskedPortParameters : DisciplineParameters {
  Bytes limit = 375'000;  // wire bytes that may wait

  void describe(ParameterVisitor& v) override;
};

/// The port writes its answer into a packet on arrival, then queues the packet as a drop-tail port
/// does: highest priority first, first come first served within a priority, up to `limit` bytes.
class AskedPort : public PortDiscipline {
 public:
  void attach(const LinkParameters& link) final;
  bool wants_every_packet() const final { return true; }
  Verdict enqueue(Packet* packet) final {
    asked(*packet);
    return queue_.enqueue(packet);
  }
  Packet* dequeue() final { return queue_.dequeue(); }
  bool empty() const final { return queue_.empty(); }
  Bytes bytes() const final { return queue_.bytes(); }
  void add_state(StateDigest& d) const override;

 protected:
  AskedPort(const AskedPortParameters& parameters, const DisciplineContext& context);

  /// Sets the rate of the link whose capacity the port allocates. Called before the first packet.
  virtual void set_link(BitRate rate) = 0;
  /// Handles an arriving packet before it is queued: counts its bytes and writes the answer.
  virtual void asked(Packet& packet) = 0;

  PicoSeconds now() const { return clock_.now(); }
  /// Bytes that a packet takes on the wire, link overhead included.
  Bytes on_wire(const Packet& packet) const { return packet.wire_bytes + overhead_; }

 private:
  const Scheduler& clock_;
  DropTailPort queue_;
  Bytes overhead_ = 0;
};

}  // namespace dcc
