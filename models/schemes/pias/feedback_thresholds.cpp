#include "schemes/pias/feedback_thresholds.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>

namespace dcc {

FeedbackThresholds::FeedbackThresholds(std::vector<Bytes> sizes, double load)
    : sizes_(std::move(sizes)), sum_(1, 0), squares_(1, 0) {
  assert(!sizes_.empty());
  std::sort(sizes_.begin(), sizes_.end());
  for (const Bytes size : sizes_) {
    const auto bytes = static_cast<double>(size);
    sum_.push_back(sum_.back() + bytes);
    squares_.push_back(squares_.back() + bytes * bytes);
  }
  arrivals_ = std::clamp(load, 0.01, 0.95) * static_cast<double>(sizes_.size()) / sum_.back();
}

FeedbackThresholds::Below FeedbackThresholds::below(Bytes size) const {
  const auto all = static_cast<double>(sizes_.size());
  const auto ended = static_cast<std::size_t>(std::upper_bound(sizes_.begin(), sizes_.end(), size) -
                                              sizes_.begin());
  const auto cut = static_cast<double>(size);
  const double longer = all - static_cast<double>(ended);
  const double mean = (sum_[ended] + longer * cut) / all;
  const double square = (squares_[ended] + longer * cut * cut) / all;
  const double load = arrivals_ * mean;
  return {static_cast<double>(ended), sum_[ended], load, arrivals_ * square / (2 * (1 - load))};
}

double FeedbackThresholds::level_time(const Below& from, const Below& to) {
  return ((to.ended - from.ended) * to.wait + to.ended_bytes - from.ended_bytes) / (1 - from.load);
}

double FeedbackThresholds::mean_time(const std::vector<Bytes>& thresholds) const {
  double sum = 0;
  Below from = below(0);
  for (const Bytes threshold : thresholds) {
    const Below to = below(std::min(threshold, sizes_.back()));
    sum += level_time(from, to);
    from = to;
  }
  sum += level_time(from, below(sizes_.back()));
  return sum / static_cast<double>(sizes_.size());
}

// Finds the thresholds with the least mean completion time. The time of a level depends only on the
// thresholds at its two ends, so the best division into k levels follows from the best divisions
// into k − 1 levels (dynamic programming).
std::vector<Bytes> FeedbackThresholds::best(unsigned levels) const {
  std::vector<Bytes> ends{0};
  for (Bytes octave = 4; octave <= 2 * sizes_.back(); octave *= 2) {
    for (Bytes quarter = 0; quarter < 4; ++quarter) {
      const Bytes size = octave + octave / 4 * quarter;
      if (size >= sizes_.front() && size < sizes_.back()) ends.push_back(size);
    }
  }
  ends.push_back(sizes_.back());
  std::vector<Below> at;
  for (const Bytes end : ends) at.push_back(below(end));
  const std::size_t count = ends.size();
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> time(count, kNever);
  time[0] = 0;
  std::vector<std::vector<std::size_t>> from(levels, std::vector<std::size_t>(count, 0));
  for (unsigned level = 0; level < levels; ++level) {
    std::vector<double> next(count, kNever);
    for (std::size_t to = 0; to < count; ++to) {
      for (std::size_t begin = 0; begin <= to; ++begin) {
        const double whole = time[begin] + level_time(at[begin], at[to]);
        if (whole < next[to]) {
          next[to] = whole;
          from[level][to] = begin;
        }
      }
    }
    time = std::move(next);
  }
  // Priority levels that bring no gain get thresholds beyond the longest message.
  std::vector<Bytes> thresholds;
  std::size_t end = count - 1;
  for (unsigned level = levels; level-- > 1;) {
    end = from[level][end];
    if (end > 0) thresholds.insert(thresholds.begin(), ends[end]);
  }
  thresholds.resize(levels - 1, sizes_.back());
  return thresholds;
}

}  // namespace dcc
