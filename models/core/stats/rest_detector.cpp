#include "stats/rest_detector.h"

#include <algorithm>
#include <cmath>

namespace dcc {

namespace {
// Standard errors to either side: what lies outside is not chance (one in twenty, were it normal).
constexpr double kSure = 2;
// Members of a group that are known so many times worse than asked may do the same; less well, what
// makes them differ all the same (one that still catches up) would not be seen.
constexpr double kPoolable = 10;
// An estimate of memory is itself uncertain; more than this is taken for this.
constexpr double kMostMemory = 0.9;

/// Standard error of the mean of so many batches, from deviations whose mean is zero in either
/// half; more, if each remembers the one before it.
template <class Deviation>
double error_of(std::size_t batches, Deviation deviation) {
  double squares = 0;
  double neighbours = 0;
  double before = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    const double here = deviation(b);
    squares += here * here;
    if (b != 0 && b != batches / 2) neighbours += here * before;
    before = here;
  }
  const auto count = static_cast<double>(batches);
  const double memory = squares > 0 ? std::clamp(neighbours / squares, 0.0, kMostMemory) : 0.0;
  return std::sqrt(squares / (count - 2) / count * (1 + memory) / (1 - memory));
}
}  // namespace

void RestDetector::restart(std::vector<Quantity> quantities) {
  quantities_ = std::move(quantities);
  batches_.clear();
  open_.assign(quantities_.size(), 0);
  windows_in_batch_ = 1;
  windows_in_open_ = 0;
}

void RestDetector::add(const std::vector<double>& values) {
  for (std::size_t i = 0; i < open_.size(); ++i) open_[i] += values[i];
  if (++windows_in_open_ < windows_in_batch_) return;
  batches_.push_back(open_);
  open_.assign(quantities_.size(), 0);
  windows_in_open_ = 0;
}

template <class Value>
RestDetector::Mean RestDetector::mean_of(std::size_t batches, Value value) {
  Mean m;
  const std::size_t half = batches / 2;
  for (std::size_t b = 0; b < batches; ++b) (b < half ? m.first : m.second) += value(b);
  m.first /= static_cast<double>(half);
  m.second /= static_cast<double>(batches - half);
  m.mean = (m.first + m.second) / 2;
  const auto deviation = [&](std::size_t b) { return value(b) - (b < half ? m.first : m.second); };
  m.error = error_of(batches, deviation);
  return m;
}

RestDetector::Verdict RestDetector::judge(const Mean& m, const Quantity& asked) {
  const double apart = std::abs(m.first - m.second);
  const double unsure = kSure * 2 * m.error;  // of the difference of two halves
  const double most = std::max(asked.bound * std::abs(m.mean), asked.floor);
  if (apart + unsure <= most) return Verdict::kRest;
  return apart > most ? Verdict::kTrend : Verdict::kNoise;
}

std::vector<unsigned> RestDetector::groups() const {
  std::vector<unsigned> all;
  for (const Quantity& quantity : quantities_) {
    if (quantity.group != 0) all.push_back(quantity.group);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

RestDetector::Group RestDetector::judge_group(unsigned group) const {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (quantities_[i].group == group) members.push_back(i);
  }
  const auto count = static_cast<double>(members.size());
  const double bound = quantities_[members.front()].bound;
  const double floor = quantities_[members.front()].floor;
  const Mean all = mean_of(batches_.size(), [&](std::size_t b) {
    double sum = 0;
    for (const std::size_t i : members) sum += value(b, i);
    return sum / count;
  });
  double within = 0;   // variance of a member's mean, as it seems from its own batches
  double between = 0;  // …, as the members' means have it
  bool known = true;   // every member's mean by itself
  bool steady = true;
  for (const std::size_t i : members) {
    const Mean one = mean_of(batches_.size(), [&](std::size_t b) { return value(b, i); });
    const double most = std::max(bound * one.mean, floor);
    const double apart = std::abs(one.first - one.second);
    within += one.error * one.error / count;
    between += (one.mean - all.mean) * (one.mean - all.mean);
    known = known && kSure * one.error <= most;
    steady = steady && apart <= 2 * most + 3 * kSure * one.error;
  }
  if (!steady) return {Verdict::kTrend, false};
  const bool nearly = kSure * std::sqrt(within) <= kPoolable * std::max(bound * all.mean, floor);
  const double freedom = count - 1;
  if (count > 1 && nearly && between / freedom <= within * (1 + 3 * std::sqrt(2 / freedom))) {
    return {judge(all, {2 * bound, 2 * floor, 0}), true};
  }
  return {known ? Verdict::kRest : Verdict::kNoise, false};
}

RestDetector::Verdict RestDetector::verdict() const {
  if (batches_.size() < kBatches) return Verdict::kOpen;
  Verdict worst = Verdict::kRest;
  const auto take = [&worst](Verdict one) {
    if (one == Verdict::kTrend || worst == Verdict::kRest) worst = one;
  };
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (quantities_[i].group != 0) continue;
    take(judge(mean_of(batches_.size(), [&](std::size_t b) { return value(b, i); }),
               quantities_[i]));
  }
  for (const unsigned group : groups()) take(judge_group(group).verdict);
  return worst;
}

void RestDetector::go_on(Verdict verdict) {
  if (verdict == Verdict::kTrend) {
    batches_.erase(batches_.begin(), batches_.begin() + kBatches / 2);
  }
  std::vector<std::vector<double>> merged;
  for (std::size_t b = 0; b + 1 < batches_.size(); b += 2) {
    merged.push_back(batches_[b]);
    for (std::size_t i = 0; i < quantities_.size(); ++i) merged.back()[i] += batches_[b + 1][i];
  }
  batches_ = std::move(merged);
  windows_in_batch_ *= 2;
}

bool RestDetector::is_pooled(unsigned group) const { return judge_group(group).pooled; }

}  // namespace dcc
