// What a Fastpass host has demanded of each of several arbiters for one destination.
#pragma once

#include <cstdint>
#include <vector>

#include "units.h"

namespace dcc {

/// Slot counts are totals of a pair of hosts at one arbiter since the start of the run.
struct FastpassAccount {
  std::uint64_t wanted = 0;  // slots wanted of the arbiter
  std::uint64_t told = 0;    // slots wanted in the last message to the arbiter
  std::uint64_t given = 0;   // slots given by the arbiter, as far as known
  bool to_tell = false;      // true if the account is on the list of accounts to tell
  bool ask = false;          // true if the next message requests a reply of the arbiter
  PicoSeconds patience{};    // interval until the demand is repeated
  std::uint64_t lacking() const { return wanted - given; }
  template <class Digest>
  void add_state(Digest& d) const {
    d(wanted, told, given, to_tell, ask, patience);
  }
};

/// Spreads demands over the arbiters that answer. Each arbiter owns the same share of all slots, so
/// a pair has them all if it lacks as many at one arbiter as at another: the next slot is demanded
/// where the pair lacks the fewest, and among equals where the host's turn is.
class FastpassDemand {
 public:
  explicit FastpassDemand(unsigned arbiters = 0) : accounts_(arbiters) {}

  FastpassAccount& at(unsigned arbiter) { return accounts_[arbiter]; }
  const FastpassAccount& at(unsigned arbiter) const { return accounts_[arbiter]; }
  unsigned arbiters() const { return static_cast<unsigned>(accounts_.size()); }

  /// Raises what is wanted until the pair lacks `slots` slots at the arbiters that are not
  /// `absent`, or at all arbiters, if all are. Never lowers what is wanted. `turn`, of the sending
  /// host, is the arbiter that is first among equals; each slot demanded there moves it on.
  void want(std::uint64_t slots, const std::vector<bool>& absent, unsigned& turn);

  template <class Digest>
  void add_state(Digest& d) const {
    d(accounts_);
  }

 private:
  std::vector<FastpassAccount> accounts_;
};

}  // namespace dcc
