#include "schemes/fastpass/fastpass_demand.h"

#include <algorithm>

namespace dcc {

void FastpassDemand::want(std::uint64_t slots, const std::vector<bool>& absent, unsigned& turn) {
  const bool all = std::find(absent.begin(), absent.end(), false) == absent.end();
  const auto asked = [&](unsigned k) { return all || !absent[k]; };
  std::uint64_t lacking = 0;
  for (unsigned k = 0; k < arbiters(); ++k) lacking += asked(k) ? accounts_[k].lacking() : 0;
  while (lacking < slots) {
    // the two lowest numbers of slots that the pair lacks at an arbiter
    std::uint64_t least = ~std::uint64_t{0}, next = least;
    unsigned equal = 0;  // number of arbiters at which the pair lacks the fewest slots
    for (unsigned k = 0; k < arbiters(); ++k) {
      if (!asked(k)) continue;
      const std::uint64_t own = accounts_[k].lacking();
      if (own < least) {
        next = least;
        least = own;
        equal = 0;
      }
      if (own == least) ++equal;
      if (own > least) next = std::min(next, own);
    }
    // Each arbiter at which the pair lacks the fewest slots is asked for as many as raise its lack
    // to the next higher number. If the slots do not suffice, these arbiters are asked for one
    // each, in turn.
    const std::uint64_t each = std::min(next - least, (slots - lacking) / equal);
    std::uint64_t remainder = each == 0 ? slots - lacking : 0;
    const unsigned first = turn;
    for (unsigned i = 0; i < arbiters(); ++i) {
      const unsigned k = (first + i) % arbiters();
      if (!asked(k) || accounts_[k].lacking() != least) continue;
      if (each == 0 && remainder-- == 0) break;
      accounts_[k].wanted += std::max<std::uint64_t>(each, 1);
      lacking += std::max<std::uint64_t>(each, 1);
      if (each == 0) turn = (k + 1) % arbiters();
    }
  }
}

}  // namespace dcc
