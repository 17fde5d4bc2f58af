// Fastpass's arbiter: what hosts demand becomes timeslots and ways, at the pace of its processors.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "schemes/fastpass/edge_colouring.h"
#include "schemes/fastpass/fastpass_entries.h"
#include "schemes/fastpass/timeslot_allocator.h"
#include "sim/scheduler.h"

namespace dcc {

/// Slots are numbered along the clock that all share: slot k begins at k · `slot`.
struct FastpassTiming {
  PicoSeconds slot{};
  unsigned batch = 1;  // slots that are given out at a time
  PicoSeconds lead{};  // from when a batch is begun to the first slot in it

  PicoSeconds batch_time() const { return slot * batch; }
  /// The first slot that does not begin before.
  std::uint64_t slot_from(PicoSeconds when) const {
    return static_cast<std::uint64_t>((when.count + slot.count - 1) / slot.count);
  }
  PicoSeconds begin_of(std::uint64_t number) const {
    return slot * static_cast<std::int64_t>(number);
  }
};

struct ArbiterParameters {
  TimeslotAllocator::Order order = TimeslotAllocator::Order::kMaxMin;
  PicoSeconds request_time{};     // its processors take for an entry of a request …
  PicoSeconds allocation_time{};  // … and others for one slot of one pair
  unsigned rack = 0;              // hosts that are numbered together at one switch; 0: no ways
  unsigned ways = 1;              // up from there
};

/// Takes what hosts demand, in the order in which it comes, each when it is processed. At every
/// multiple of the batch's time at which somebody lacks slots it matches slot after slot, as many
/// as its processors manage in that time, and sends what it found when they are done. A slot's
/// packets between racks get colours, as many as a rack has hosts; colour c leaves its switch by
/// way c modulo `ways` and the next one by way c / `ways`. So no two of a slot meet where `ways`
/// links carry a rack's traffic, in leaf-spine networks and fat trees.
class FastpassArbiter {
 public:
  class Client {
   public:
    /// For one host, in the order of the slots; each `slot` is to be added to `base`.
    virtual void send_entries(HostId to, std::uint64_t base,
                              const std::vector<FastpassEntry>& entries) = 0;

   protected:
    ~Client() = default;
  };

  FastpassArbiter(Scheduler& scheduler, std::uint32_t rank, const FastpassTiming& timing,
                  const ArbiterParameters& parameters, Client& client);

  /// An entry of a request has come.
  void hear(HostId from, const FastpassEntry& demand);

  template <class Digest>
  void add_state(Digest& d) const {
    d(allocator_, requests_done_, begun_, base_, work_, send_);
    for (const Request& r : inbox_) d(r.done, r.from, r.demand);
    for (const Bundle& b : bundles_) d(b.to, b.entries);
  }

 private:
  struct Request {
    PicoSeconds done{};
    HostId from = 0;
    FastpassEntry demand;
  };
  struct Bundle {
    HostId to = 0;
    std::vector<FastpassEntry> entries;
  };

  void work();
  void send();
  void plan(PicoSeconds not_before);
  void take_requests();
  void choose_ways(const std::vector<TimeslotAllocator::Match>& matches);
  Bundle& bundle_for(HostId host);

  Scheduler& scheduler_;
  const FastpassTiming timing_;
  const ArbiterParameters parameters_;
  Client& client_;
  TimeslotAllocator allocator_;
  EdgeColouring colouring_;
  std::deque<Request> inbox_;
  PicoSeconds requests_done_{};
  // The batch at work:
  PicoSeconds begun_{};
  std::uint64_t base_ = 0;
  std::vector<Bundle> bundles_;           // in the order of their first slots
  std::vector<std::uint32_t> bundle_of_;  // by host; kNone
  std::vector<Bundle> spare_;
  std::vector<std::pair<HostId, HostId>> asked_;
  std::vector<EdgeColouring::Edge> edges_;
  std::vector<std::uint32_t> colour_of_;  // by match; kNone: it stays in its rack
  Event work_, send_;
};

}  // namespace dcc
