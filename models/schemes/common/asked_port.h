// Base of the disciplines that write a rate, a price or a change into arriving packets (D3, PDQ,
// FCP, RCP, XCP).
#pragma once

#include <utility>

#include "sim/state_digest.h"
#include "switch/drop_tail.h"

namespace dcc {

struct AskedPortParameters : DisciplineParameters {
  Bytes limit = 375'000;  // queue limit of the port in wire bytes

  void describe(ParameterVisitor& v) override;
};

/// A port that writes its answer into a packet on arrival, then queues the packet as a drop-tail
/// port does: highest priority first, first come first served within a priority, up to `limit`
/// bytes.
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

  /// Sets the rate of the link whose capacity the port allocates. Called before the first packet.
  virtual void set_link(BitRate rate) = 0;
  /// Handles an arriving packet before the port queues it: counts its bytes and writes the answer.
  virtual void asked(Packet& packet) = 0;

  PicoSeconds now() const { return clock_.now(); }
  /// Bytes that a packet takes on the wire, link overhead included.
  Bytes on_wire(const Packet& packet) const { return packet.wire_bytes + overhead_; }

 private:
  const Scheduler& clock_;
  DropTailPort queue_;
  Bytes overhead_ = 0;
};

/// An AskedPort whose answers a model of its link computes. The model has set_link() and
/// add_state().
template <class Model>
class ModelledPort : public AskedPort {
 public:
  void add_state(StateDigest& d) const final {
    AskedPort::add_state(d);
    d(model_);
  }
  const Model& model() const { return model_; }

 protected:
  /// `of_model`: arguments of the model's constructor.
  template <class... OfModel>
  ModelledPort(const AskedPortParameters& parameters, const DisciplineContext& context,
               OfModel&&... of_model)
      : AskedPort(parameters, context), model_(std::forward<OfModel>(of_model)...) {}

  Model model_;

 private:
  void set_link(BitRate rate) final { model_.set_link(rate); }
};

}  // namespace dcc
