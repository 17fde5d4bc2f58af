// Who may send to whom in the next timeslot: maximal matchings of what hosts have asked for.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "describe/enum_names.h"
#include "wire/packet.h"

namespace dcc {

/// Perry et al., "Fastpass: A Centralized 'Zero-Queue' Datacenter Network", SIGCOMM 2014,
/// section 3. Sources and destinations are hosts. In one timeslot a source sends to one destination
/// at most, and a destination hears one source: pairs are gone through in order, and each gets the
/// slot whose ends are both free. So nobody can be added: the matching is maximal, and at least
/// half of the largest.
class TimeslotAllocator {
 public:
  enum class Order : std::uint8_t {
    kMaxMin,    // the pair first that has waited longest since its last slot: max-min fair
    kShortest,  // the pair that lacks fewest slots
  };
  struct Match {
    HostId source = 0;
    HostId destination = 0;
    std::uint64_t given = 0;  // to this pair, with this slot, since the beginning
  };

  explicit TimeslotAllocator(Order order) : order_(order) {}

  /// The pair wants so many slots in all since the beginning; less than it ever wanted means
  /// nothing.
  void demand(HostId source, HostId destination, std::uint64_t slots);
  /// In all.
  std::uint64_t given(HostId source, HostId destination) const;
  /// Nobody lacks a slot.
  bool idle() const { return active_.empty(); }

  /// The matching of the next slot, good until the next call.
  const std::vector<Match>& allocate();

  template <class Digest>
  void add_state(Digest& d) const {
    d(pairs_, active_, slot_);
  }

 private:
  struct Pair {
    HostId source = 0;
    HostId destination = 0;
    std::uint64_t wanted = 0;
    std::uint64_t given = 0;
    std::uint64_t last = 0;  // the slot it got last, from 1
    template <class Digest>
    void add_state(Digest& d) const {
      d(source, destination, wanted, given, last);
    }
  };
  /// Of a host, in one direction.
  struct End {
    std::uint64_t taken = 0;  // the last slot in which it was
    std::uint32_t pairs = 0;  // of those that lack slots
  };
  static std::uint64_t key(HostId source, HostId destination) {
    return std::uint64_t{source} << 32 | destination;
  }
  /// What the order goes by: less is first.
  std::uint64_t rank(std::uint32_t pair) const {
    const Pair& p = pairs_[pair];
    return order_ == Order::kMaxMin ? p.last : p.wanted - p.given;
  }
  void enter(std::uint32_t pair);
  static End& at(std::vector<End>& ends, HostId host);
  void count(const Pair& pair, bool more);

  Order order_;
  std::vector<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // in pairs_
  std::vector<std::uint32_t> active_;                       // those that lack slots, in order
  std::vector<std::uint32_t> before_, taken_;               // of one allocation
  std::vector<End> sources_, destinations_;
  std::uint32_t some_sources_ = 0, some_destinations_ = 0;  // that are in a pair which lacks slots
  std::vector<Match> matches_;
  std::uint64_t slot_ = 0;
};

DCC_ENUM_NAMES(TimeslotAllocator::Order, {TimeslotAllocator::Order::kMaxMin, "max_min"},
               {TimeslotAllocator::Order::kShortest, "shortest"});

}  // namespace dcc
