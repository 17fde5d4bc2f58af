// A one-way wire: serialisation at its rate, propagation delay, and nothing decided.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/mailbox.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "units.h"
#include "wire/packet.h"
#include "wire/tie_order.h"

namespace dcc {

/// Who takes what comes out of a wire. Takes ownership of the packet.
class PacketSink {
 public:
  /// The last bit has arrived. `port` is the receiver's own number of the port.
  virtual void receive(Packet* packet, int port) = 0;
  /// It will come soon: what it will touch may be fetched into the caches. Changes nothing.
  virtual void prefetch(const Packet&, int /*port*/) const {}

 protected:
  ~PacketSink() = default;
};

/// A device's way out through one port: a wire, or a socket that leads to one.
class PacketOut {
 public:
  /// Takes ownership. Returns how long the wire is busy with it: nothing may be sent before. The
  /// wire does not call back: a device with more to send wakes itself, and one without (most of
  /// a network most of the time) costs no event.
  virtual PicoSeconds send(Packet* packet) = 0;
  /// Cache lines from the object's beginning that send() touches, for whoever fetches them before.
  virtual unsigned prefetch_lines() const { return 1; }

 protected:
  ~PacketOut() = default;
};

struct LinkParameters {
  BitRate rate{100'000'000'000};
  PicoSeconds delay = kMicroSecond;
  Bytes overhead = 20;  // preamble, start delimiter and inter-packet gap, per packet
};

struct LinkCounters {
  std::uint64_t packets = 0;  // link traversals: sent, and not lost as they were
  std::uint64_t bytes = 0;    // wire bytes without overhead
  std::uint64_t lost = 0;     // taken by the fault hook, or by a failure, under way or at once
  PicoSeconds busy{};         // time the wire was sending (overhead and lost packets included)

  template <class Visitor>
  static void describe(Visitor&& v) {  // stats/metric.h
    v(&LinkCounters::lost, "drops_on_links",
      {"packets lost on links", "packets", "of drops, those that links lost, by `faults`"});
    v(&LinkCounters::lost, "drops",
      {"packets dropped", "packets", "dropped by switches, or lost on links by `faults`"});
  }
};

/// Store-and-forward: the sink sees a packet `serialisation + delay` after send().
class alignas(64) Link final : public PacketOut {
 public:
  /// Decides whether a packet is lost on the wire (fault injection). Null in normal runs.
  using LossHook = std::function<bool(const Packet&)>;
  /// Sees every packet that leaves, at the time its first bit does (capture). Null when off.
  using Tap = std::function<void(const Packet&, PicoSeconds sent)>;

  Link(Scheduler& scheduler, PacketPool& pool, const LinkParameters& parameters,
       std::uint32_t rank);
  void connect(PacketSink& sink, int port);
  /// The far end is in another partition: packets arrive by its scheduler and get there through
  /// `mailbox`. Before the first packet; the delay must be at least the run's lookahead.
  void connect_across_partitions(Scheduler& far, Mailbox& mailbox);
  /// What the mailbox calls there, with a packet that arrives at its `next_arrival`.
  static void enter(void* link, void* packet);

  PicoSeconds send(Packet* packet) override;
  /// The far end's is another processor's where the wire is cut.
  unsigned prefetch_lines() const override { return mailbox_ == nullptr ? 2 : 1; }

  // While all partitions wait, and nothing lies in a mailbox:
  /// What is under way is lost, and what is sent from now on. A sender is told by who calls this.
  void fail();
  void repair() {
    failed_ = false;
    watch();
  }
  /// Of packets sent from now on.
  void set_rate(BitRate rate);

  /// Every packet arrives up to so much later than it would, evenly drawn; none overtakes another.
  /// What devices take to look at a packet is not always the same.
  void set_jitter(PicoSeconds most, const RandomStream& random);

  /// Among arrivals at one instant this link's number says where it comes, by an order of that
  /// instant. `order` must outlive it.
  void set_tie_order(const TieOrder& order, std::uint32_t number) {
    ties_ = &order;
    number_ = number;
  }

  const LinkParameters& parameters() const { return parameters_; }
  LinkCounters counters() const { return {packets_, bytes_, lost_, busy_}; }
  /// While all partitions wait, and nothing lies in a mailbox.
  template <class Digest>
  void add_state(Digest& d) const {
    d(packets_, bytes_, busy_, lost_, failed_, parameters_.rate, in_flight_, arrival_);
    if (jitter_ != nullptr) d(jitter_->random, jitter_->last);
  }
  void set_loss_hook(LossHook hook) {
    loss_ = std::move(hook);
    watch();
  }
  void set_tap(Tap tap) {
    tap_ = std::move(tap);
    watch();
  }

 private:
  void deliver();
  void prefetch_delivery() const { sink_->prefetch(*in_flight_.front(), sink_port_); }
  void arrive_at(Packet* packet, PicoSeconds arrival) {
    if (in_flight_.empty()) {
      schedule_arrival(packet, arrival);
    } else {
      in_flight_.back()->next_arrival = arrival;
    }
    in_flight_.push(packet);
  }
  void schedule_arrival(Packet* packet, PicoSeconds arrival) {
    if (ties_ != nullptr) draw_rank(arrival);
    far_->schedule_at(arrival_, arrival, packet);
  }
  void draw_rank(PicoSeconds arrival);
  void watch() { watched_ = loss_ || tap_ || failed_ || jitter_ != nullptr; }
  /// Failure, tap and loss hook; false when the packet is lost.
  bool survives(Packet* packet, PicoSeconds now);

  // What a packet touches, in three cache lines: a large network does not fit the caches. The first
  // is the sender's (the pointer to the virtual functions is in it); the others are the far end's,
  // which may be another processor's.
  Scheduler* near_;
  Mailbox* mailbox_ = nullptr;  // null: both ends are in one partition
  PicoSeconds delay_;
  std::uint32_t per_byte_ = 0;  // picoseconds; zero when it is not a whole number of them
  std::uint16_t overhead_;
  bool watched_ = false;  // by a loss hook or a tap; or it has failed, or jitters
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  PicoSeconds busy_{};

  alignas(64) Scheduler* far_;
  PacketFifo in_flight_;  // all with the same delay, so first in is first out
  PacketSink* sink_ = nullptr;
  int sink_port_ = 0;
  std::uint32_t number_ = 0;
  const TieOrder* ties_ = nullptr;  // null: by rank
  Event arrival_;

  LinkParameters parameters_;
  std::uint64_t lost_ = 0;
  bool failed_ = false;
  PicoSeconds free_at_{};  // for an assertion only
  PacketPool& pool_;
  LossHook loss_;
  Tap tap_;
  struct Jitter {
    std::uint64_t choices;
    RandomStream random;
    PicoSeconds last{};  // arrival
  };
  std::unique_ptr<Jitter> jitter_;  // null: none
};

}  // namespace dcc
