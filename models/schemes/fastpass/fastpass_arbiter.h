// Fastpass's arbiter: turns demands of hosts into timeslots and paths, at the speed of its
// processors.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "schemes/fastpass/edge_colouring.h"
#include "schemes/fastpass/fastpass_entries.h"
#include "schemes/fastpass/timeslot_allocator.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"

namespace dcc {

/// Timeslots of Fastpass, numbered by the common clock: slot k starts at k · `slot`.
struct FastpassTiming {
  PicoSeconds slot{};
  unsigned batch = 1;     // number of timeslots that one allocation covers
  PicoSeconds lead{};     // time from the start of an allocation to the first timeslot allocated
  unsigned arbiters = 1;  // number of arbiters; batch b belongs to arbiter b modulo `arbiters`

  PicoSeconds batch_time() const { return slot * batch; }
  /// Time from one batch of an arbiter to the next batch of that arbiter.
  PicoSeconds turn_time() const { return batch_time() * arbiters; }
  /// Number of the first timeslot that starts at `when` or later.
  std::uint64_t slot_from(PicoSeconds when) const {
    return static_cast<std::uint64_t>((when.count + slot.count - 1) / slot.count);
  }
  PicoSeconds begin_of(std::uint64_t number) const {
    return slot * static_cast<std::int64_t>(number);
  }
};

struct ArbiterParameters {
  unsigned index = 0;  // number of this arbiter among all arbiters
  TimeslotAllocator::Order order = TimeslotAllocator::Order::kMaxMin;
  PicoSeconds request_time{};  // time that the arbiter takes for one entry of a request
  // time that the arbiter takes to allocate one slot to a pair of hosts
  PicoSeconds allocation_time{};
  // number of hosts per edge switch, which have consecutive numbers; 0: no path choice
  unsigned rack = 0;
  unsigned ways = 1;  // number of uplinks per edge switch
};

/// The arbiter processes demands in the order of arrival. A batch of timeslots begins at every
/// multiple of the batch time. Several arbiters own batches in turn, so no slot has two owners. If
/// pairs of hosts lack slots when a batch of the arbiter begins, the arbiter allocates as many
/// slots as its processors manage until its next batch, and sends the result when the processors
/// have finished. The packets between racks in one slot get as many colours as a rack has hosts. A
/// packet of colour c leaves the edge switch by path c modulo `ways` and the next switch by path c
/// / `ways`. So two packets of a slot share no link in leaf-spine networks and fat trees whose
/// racks have `ways` uplinks.
class FastpassArbiter {
 public:
  class Client {
   public:
    /// Sends a host the entries about its timeslots, in the order of slots; `slot` of an entry is
    /// relative to `base`.
    virtual void send_entries(HostId to, std::uint64_t base,
                              const std::vector<FastpassEntry>& entries) = 0;

   protected:
    ~Client() = default;
  };

  FastpassArbiter(Scheduler& scheduler, std::uint32_t rank, const FastpassTiming& timing,
                  const ArbiterParameters& parameters, Client& client);

  /// Handles one entry of a host's request.
  void hear(HostId from, const FastpassEntry& demand);

  void add_state(StateDigest& d) const {
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
  struct Question {
    HostId source = 0, destination = 0;
    bool demand_lost = false;  // true if an earlier message with the host's demand did not arrive
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
  // Members that describe the arbiter's present batch.
  PicoSeconds begun_{};
  std::uint64_t base_ = 0;
  std::vector<Bundle> bundles_;  // entries for hosts, in the order of each host's first timeslot
  std::vector<std::uint32_t> bundle_of_;  // index of each host's bundle; kNone: the host has none
  std::vector<Bundle> spare_;
  std::vector<Question> asked_;
  std::vector<EdgeColouring::Edge> edges_;
  // colour of each matched pair of hosts; kNone: both hosts are in one rack
  std::vector<std::uint32_t> colour_of_;
  Event work_, send_;
};

}  // namespace dcc
