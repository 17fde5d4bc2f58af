// What a Fastpass host has demanded of each of several arbiters for one destination.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Account of a pair of hosts at one arbiter. Slot counts are totals since the start of the run.
struct FastpassAccount {
  std::uint64_t wanted = 0;  // number of slots that the host wants from the arbiter
  std::uint64_t told = 0;    // number of wanted slots in the last message to the arbiter
  std::uint64_t given = 0;   // number of slots that the arbiter has given, as far as the host knows
  bool to_tell = false;      // true if the account is on the list of demands to send
  bool ask = false;          // true if the next message requests a reply from the arbiter
  PicoSeconds patience{};    // time until the host repeats its demand
  std::uint64_t lacking() const { return wanted - given; }
  void add_state(StateDigest& d) const { d(wanted, told, given, to_tell, ask, patience); }
};

/// Spreads the demands of a pair of hosts over the arbiters that answer. Each arbiter owns the same
/// share of all slots, so the pair can use all slots only if it lacks equally many at each arbiter.
/// The next slot is demanded of the arbiter at which the pair lacks the fewest slots, and among
/// equal arbiters of the one whose turn it is.
class FastpassDemand {
 public:
  explicit FastpassDemand(unsigned arbiters = 0) : accounts_(arbiters) {}

  FastpassAccount& at(unsigned arbiter) { return accounts_[arbiter]; }
  const FastpassAccount& at(unsigned arbiter) const { return accounts_[arbiter]; }
  unsigned arbiters() const { return static_cast<unsigned>(accounts_.size()); }

  /// Raises the wanted slots until the pair lacks `slots` slots at the arbiters that are not
  /// `absent`, or at all arbiters if all are absent. Never lowers the wanted slots. `turn`: arbiter
  /// of the sending host's turn, which is first among equals; each demanded slot moves `turn` on.
  void want(std::uint64_t slots, const std::vector<bool>& absent, unsigned& turn);

  void add_state(StateDigest& d) const { d(accounts_); }

 private:
  std::vector<FastpassAccount> accounts_;
};

}  // namespace dcc
