// A port that forwards credits at the rate of the data that they request (ExpressPass).
#pragma once

#include "schemes/expresspass/credit_queue.h"
#include "switch/discipline.h"

namespace dcc {

struct CreditPortParameters final : DisciplineParameters {
  CreditQueueParameters queue;
  Bytes data_limit = 250 * 1538;  // queue limit of all packets except credits, in bytes

  void describe(ParameterVisitor& v) override;
};

/// A port with two queues. Credits have their own queue with a token bucket, and leave before data
/// when the bucket allows; all other packets are first in, first out. Data that finds no room is
/// dropped, which should not happen, since a credit in the opposite direction requested every data
/// packet.
class CreditPort final : public PortDiscipline {
 public:
  CreditPort(const CreditPortParameters& parameters, const DisciplineContext& context)
      : credits_(parameters.queue), limit_(parameters.data_limit), context_(context) {}

  void attach(const LinkParameters& link) override { credits_.attach(link.rate, link.overhead); }
  bool needs_every_packet() const override { return true; }
  EnqueueResult enqueue(Packet* packet) override;
  Packet* dequeue() override;
  Packet* evict() override;
  PicoSeconds ready_at() const override { return credits_.ready_at(); }
  bool empty() const override { return data_.empty() && credits_.empty(); }
  Bytes bytes() const override { return data_bytes_ + credits_.bytes(); }
  void add_state(StateDigest& d) const override;

 private:
  Packet* take_data();

  CreditQueue credits_;
  Bytes limit_;
  DisciplineContext context_;
  PacketFifo data_;
  Bytes data_bytes_ = 0;
};

}  // namespace dcc
