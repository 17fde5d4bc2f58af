// A port that lets credits pass at the pace of the data they call for (ExpressPass).
#pragma once

#include "schemes/expresspass/credit_queue.h"
#include "switch/discipline.h"

namespace dcc {

struct CreditPortParameters final : DisciplineParameters {
  CreditQueueParameters queue;
  Bytes data_limit = 250 * 1538;  // of all that is not credits, waiting

  void describe(ParameterVisitor& v) override;
};

/// Credits have a queue of their own behind a token bucket and go before data when it lets them;
/// everything else is first in, first out. Data that finds no room is dropped; as every packet of
/// it was called for by a credit that came the other way, that should not happen.
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
