// Allocates timeslots: maximal matchings of the hosts' demands.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "describe/enum_names.h"
#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// Perry et al., "Fastpass: A Centralized 'Zero-Queue' Datacenter Network", SIGCOMM 2014,
/// section 3. Sources and destinations are hosts. In one timeslot a source sends to at most one
/// destination, and a destination receives from at most one source. Pairs are visited in order, and
/// a pair gets the slot if both hosts are free. The matching is therefore maximal, and at least
/// half as large as the largest one.
class TimeslotAllocator {
 public:
  enum class Order : std::uint8_t {
    kMaxMin,    // order of pairs by the time since their last slot, the longest first: max-min fair
    kShortest,  // order of pairs by the number of slots they lack, the fewest first
  };
  struct Match {
    HostId source = 0;
    HostId destination = 0;
    // total number of slots given to the pair of hosts, including this slot
    std::uint64_t given = 0;
  };

  explicit TimeslotAllocator(Order order) : order_(order) {}

  /// Sets the total number of slots that a pair of hosts has wanted since the start of the run; a
  /// number below the previous one has no effect. Returns true if the total rises.
  bool demand(HostId source, HostId destination, std::uint64_t slots);
  /// Total number of slots given to a pair.
  std::uint64_t given(HostId source, HostId destination) const;
  /// True if no pair of hosts lacks a slot.
  bool idle() const { return active_.empty(); }

  /// Computes the pairs of hosts that get the next slot. The result is valid until the next call.
  const std::vector<Match>& allocate();

  void add_state(StateDigest& d) const { d(pairs_, active_, slot_); }

 private:
  struct Pair {
    HostId source = 0;
    HostId destination = 0;
    std::uint64_t wanted = 0;
    std::uint64_t given = 0;
    std::uint64_t last = 0;  // number of the last slot that the pair got, from 1
    void add_state(StateDigest& d) const { d(source, destination, wanted, given, last); }
  };
  /// State of a host as a source or a destination.
  struct End {
    std::uint64_t taken = 0;  // number of the last slot in which the host was used
    std::uint32_t pairs = 0;  // number of the host's pairs that lack slots
  };
  static std::uint64_t key(HostId source, HostId destination) {
    return std::uint64_t{source} << 32 | destination;
  }
  /// Sort key of a pair of hosts; the pair with the smallest key gets slots first.
  std::uint64_t rank(std::uint32_t pair) const {
    const Pair& p = pairs_[pair];
    return order_ == Order::kMaxMin ? p.last : p.wanted - p.given;
  }
  void enter(std::uint32_t pair);
  static End& at(std::vector<End>& ends, HostId host);
  void count(const Pair& pair, bool more);

  Order order_;
  std::vector<Pair> pairs_;
  // index of a pair of hosts in pairs_, by its source and destination
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  std::vector<std::uint32_t> active_;  // pairs of hosts that lack slots, in the order of allocation
  // in the present allocation: pairs that got no slot, and pairs that got one
  std::vector<std::uint32_t> before_, taken_;
  std::vector<End> sources_, destinations_;
  std::uint32_t some_sources_ = 0,
                // numbers of source hosts and of destination hosts among the pairs that lack slots
      some_destinations_ = 0;
  std::vector<Match> matches_;
  std::uint64_t slot_ = 0;
};

DCC_ENUM_NAMES(TimeslotAllocator::Order, {TimeslotAllocator::Order::kMaxMin, "max_min"},
               {TimeslotAllocator::Order::kShortest, "shortest"});

}  // namespace dcc
