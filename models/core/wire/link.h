// A one-way wire with serialisation time and propagation delay.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "sim/mailbox.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"
#include "wire/tie_order.h"

namespace dcc {

/// Receives packets from a wire. Takes ownership of each packet.
class PacketSink {
 public:
  /// The wire calls this function when the last bit of a packet has arrived. `port` is the number
  /// passed to connect().
  virtual void receive(Packet* packet, int port) = 0;
  /// Prefetches the cache lines that receive() will use, because a packet arrives soon. Changes no
  /// state.
  virtual void prefetch(const Packet&, int /*port*/) const {}

 protected:
  ~PacketSink() = default;
};

/// Output of a device through one port: a wire, or a socket that leads to a wire.
class PacketOut {
 public:
  /// Sends a packet and takes ownership of it. Returns how long the wire is busy; the device must
  /// not send again before that time is over. The wire does not call back. A device with more to
  /// send schedules its own event, so an idle device costs no event.
  virtual PicoSeconds send(Packet* packet) = 0;
  /// Number of cache lines, from the start of this object, that send() uses; for prefetching.
  virtual unsigned prefetch_lines() const { return 1; }

 protected:
  ~PacketOut() = default;
};

struct LinkParameters {
  BitRate rate{100'000'000'000};
  PicoSeconds delay = kMicroSecond;
  // bytes of preamble, start delimiter and inter-packet gap that each packet takes on the link
  Bytes overhead = 20;
};

struct LinkCounters {
  std::uint64_t packets = 0;  // number of link traversals: packets sent and not lost at sending
  std::uint64_t bytes = 0;    // wire bytes sent, without preamble and inter-packet gap
  // number of packets dropped by the loss hook or a failure, at sending or later
  std::uint64_t lost = 0;
  PicoSeconds busy{};  // time that the link spent sending, including overhead and lost packets

  template <class Visitor>
  static void describe(Visitor&& v) {  // Describes the link's counters (stats/metric.h).
    v(&LinkCounters::lost, "drops_on_links",
      {"packets lost on links", "packets", "of drops, those that links lost, by `faults`"});
    v(&LinkCounters::lost, "drops",
      {"packets dropped", "packets", "dropped by switches, or lost on links by `faults`"});
  }
};

/// A one-way link with store-and-forward timing: the sink receives a packet `serialisation + delay`
/// after send().
class alignas(64) Link final : public PacketOut {
 public:
  /// Fault injection: returns true if the packet is lost on the wire.
  using LossHook = std::function<bool(const Packet&)>;
  /// Packet capture: called for each packet when its first bit is sent.
  using Tap = std::function<void(const Packet&, PicoSeconds sent)>;

  Link(Scheduler& scheduler, PacketPool& pool, const LinkParameters& parameters,
       std::uint32_t rank);
  void connect(PacketSink& sink, int port);
  /// Connects the link to a sink in another partition: packets pass through `mailbox` and arrive by
  /// the scheduler `far`. Call before the first packet. The delay of the link must be at least the
  /// lookahead.
  void connect_across_partitions(Scheduler& far, Mailbox& mailbox);
  /// The mailbox calls this function in the receiving partition. The packet arrives at the time
  /// Packet::next_arrival.
  static void enter(void* link, void* packet);

  PicoSeconds send(Packet* packet) override;
  /// Number of cache lines that send() uses, without the receiver's line if another processor uses
  /// it.
  unsigned prefetch_lines() const override { return mailbox_ == nullptr ? 2 : 1; }

  // Precondition of fail() and repair(): all partitions wait, and all mailboxes are empty. Makes
  // the link fail: packets on the way are lost, and so are packets sent from now on. The caller
  // must inform the sending device.
  void fail();
  void repair() {
    failed_ = false;
    watch();
  }
  /// Changes the link rate for packets sent from now on.
  void set_rate(BitRate rate);

  /// Delays each packet by a uniformly distributed time of at most `most`, without reordering. This
  /// models devices whose processing time varies.
  void set_jitter(PicoSeconds most, const RandomStream& random);

  /// Orders arrivals at one instant by `order` and this link's `number`. `order` must outlive the
  /// link.
  void set_tie_order(const TieOrder& order, std::uint32_t number) {
    extras().ties = &order;
    extras().number = number;
    has_ties_ = true;
  }

  LinkParameters parameters() const { return {rate_, delay_, overhead_}; }
  LinkCounters counters() const {
    return {packets_, bytes_, extras_ != nullptr ? extras_->lost : 0, busy_};
  }
  /// Adds the link's state to a digest. Precondition: all partitions wait, and all mailboxes are
  /// empty.
  void add_state(StateDigest& d) const {
    d(packets_, bytes_, busy_, counters().lost, failed_, rate_, in_flight_, arrival_);
    if (has_jitter()) d(extras_->jitter->random, extras_->jitter->last);
  }
  void set_loss_hook(LossHook hook) {
    extras().loss = std::move(hook);
    watch();
  }
  void set_tap(Tap tap) {
    extras().tap = std::move(tap);
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
    if (has_ties_) draw_rank(arrival);
    far_->schedule_at(arrival_, arrival, packet);
  }
  void draw_rank(PicoSeconds arrival);
  void watch() {
    const bool hooked = extras_ != nullptr && (extras_->loss || extras_->tap || extras_->jitter);
    watched_ = hooked || failed_;
  }
  bool has_jitter() const { return extras_ != nullptr && extras_->jitter.has_value(); }
  /// Applies the link's failure, tap and loss hook to a packet. Returns false if the packet is
  /// lost.
  bool survives(Packet* packet, PicoSeconds now);

  // A packet touches only three cache lines of its link, since a large network does not fit into
  // the caches. The first line belongs to the sender and includes the pointer to the virtual
  // functions. The other two lines belong to the receiver, which may run on another processor.
  Scheduler* near_;
  // mailbox to the receiving partition; null if both ends are in one partition
  Mailbox* mailbox_ = nullptr;
  PicoSeconds delay_;
  std::uint32_t per_byte_ = 0;  // serialisation time in picoseconds per byte; 0: not a whole number
  std::uint16_t overhead_;
  bool watched_ = false;  // true if a loss hook or tap is set, or the link has failed or jitters
  bool failed_ = false;
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
  PicoSeconds busy_{};

  alignas(64) Scheduler* far_;
  PacketFifo in_flight_;  // packets on the wire in order of arrival; all have the same delay
  PacketSink* sink_ = nullptr;
  std::uint16_t sink_port_ = 0;
  bool has_ties_ =
      // true: Extras::ties orders arrivals at equal times; false: the link's rank orders them
      false;
  BitRate rate_;
  PacketPool* pool_;
  struct Jitter {
    std::uint64_t choices;
    RandomStream random;
    PicoSeconds last{};  // arrival time of the last packet on the wire
  };
  /// Members of a link that few links of a large network need.
  struct Extras {
    LossHook loss;
    Tap tap;
    std::optional<Jitter> jitter;
    std::uint64_t lost = 0;
    const TieOrder* ties = nullptr;
    std::uint32_t number = 0;  // number of this link in the order `ties`
    PicoSeconds free_at{};     // time at which the wire is free; used by an assertion only
  };
  Extras& extras() {
    if (extras_ == nullptr) extras_ = std::make_unique<Extras>();
    return *extras_;
  }
  std::unique_ptr<Extras> extras_;  // additional members; null if the link uses none of them
  Event arrival_;
};
static_assert(sizeof(Link) == 3 * 64, "the three lines, and nothing else");

}  // namespace dcc
