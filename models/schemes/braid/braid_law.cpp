#include "schemes/braid/braid_law.h"

#include <algorithm>

namespace dcc {

void BraidPaths::add(unsigned path, long double share, const BraidLawParameters& law,
                     PicoSeconds now) {
  Path& own = paths_[path];
  own.share = is_known(path, now, law.memory) ? own.share + law.g * (share - own.share) : share;
  own.heard = now;
  ++own.rounds;
}

bool BraidFlow::heard(const Ack& ack, Bytes full, long double most, BraidPaths& paths,
                      const BraidLawParameters& law, PicoSeconds now, RandomStream& random) {
  // Marks of packets that left on an earlier path say nothing about the flow's present path.
  const bool own = !law.joined || ack.psn >= since_;
  const bool marked = ack.marked && own;
  if (reduced_ && ack.psn >= cut_end_) reduced_ = false;
  if (marked && !reduced_) {
    before_ = window_;
    window_ = std::max<long double>(static_cast<long double>(full), window_ * (1 - alpha_ / 2));
    reduced_ = true;
    cut_end_ = ack.next_psn;
  } else if (!reduced_) {
    window_ = std::min(most, window_ + static_cast<long double>(full) *
                                           static_cast<long double>(ack.bytes) / window_);
  }
  if (!own) return false;
  ++acks_;
  if (marked) ++marked_;
  if (ack.psn < round_end_) return false;
  const long double share = static_cast<long double>(marked_) / acks_;
  if (round_end_ != 0) alpha_ += law.g * (share - alpha_);
  paths.add(path_, share, law, now);
  round_end_ = ack.next_psn;
  acks_ = marked_ = 0;
  const bool moves = share > law.move_share && paths.count() > 1 && move(paths, law, now, random);
  before_ = 0;
  if (moves) since_ = ack.next_psn;
  return moves;
}

bool BraidFlow::move(BraidPaths& paths, const BraidLawParameters& law, PicoSeconds now,
                     RandomStream& random) {
  const unsigned from = path_;
  if (!law.joined) {
    path_ = static_cast<unsigned>((from + 1 + random.below(paths.count() - 1)) % paths.count());
    return true;
  }
  unsigned best = from, unknown = 0;
  for (unsigned path = 0; path < paths.count(); ++path) {
    if (!paths.is_known(path, now, law.memory)) {
      ++unknown;
    } else if (paths.share(path) < paths.share(best)) {
      best = path;
    }
  }
  if (paths.share(best) + law.margin < paths.share(from)) {
    path_ = best;
    alpha_ = paths.share(best);
    if (before_ > 0) window_ = std::max(window_, before_ * (1 - alpha_ / 2));
    return true;
  }
  if (unknown == 0) return false;
  std::uint64_t left = random.below(unknown);
  for (unsigned path = 0; path < paths.count(); ++path) {
    if (paths.is_known(path, now, law.memory)) continue;
    if (left-- == 0) path_ = path;
  }
  return true;
}

void BraidFlow::lost(Psn next_psn, Bytes full) {
  if (reduced_) return;
  window_ = std::max(static_cast<long double>(full), window_ / 2);
  reduced_ = true;
  cut_end_ = next_psn;
}

unsigned first_path(const BraidPaths& paths, const BraidLawParameters& law, PicoSeconds now,
                    RandomStream& random) {
  const auto draw = [&] { return static_cast<unsigned>(random.below(paths.count())); };
  const auto share = [&](unsigned path) {
    return paths.is_known(path, now, law.memory) ? paths.share(path) : 0;
  };
  const unsigned one = draw();
  if (!law.joined) return one;
  const unsigned other = draw();
  return share(other) < share(one) ? other : one;
}

}  // namespace dcc
