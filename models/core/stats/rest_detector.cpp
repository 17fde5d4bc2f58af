#include "stats/rest_detector.h"

#include <algorithm>
#include <cmath>

namespace dcc {

namespace {
// Limit in standard errors for a single decision: exceeded by chance in 1 of 20 cases (normal
// distribution).
constexpr double kSure = 2;
// Limit in standard errors where one of many members decides for all: exceeded by chance in 1 of
// 400 cases.
constexpr double kSureOfMany = 3;
// Limit in standard errors for repeated tests with ever longer windows: exceeded by chance in 1 of
// 16 000 cases.
constexpr double kSureOfTrend = 4;
// Always allowed rise of the fitted line from half to half, as a share of the bound, since no
// process is perfectly steady.
constexpr double kStill = 0.01;
// Members of a group whose means are less certain than this multiple of the bound are not pooled: a
// real difference between such members could not be seen.
constexpr double kPoolable = 10;
// Upper limit of the estimated autocorrelation, since the estimate itself is uncertain.
constexpr double kMaxMemory = 0.9;

/// Standard error of the mean of `batches` values, computed from deviations with two fitted
/// parameters, and enlarged by the autocorrelation.
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
  const double memory = squares > 0 ? std::clamp(neighbours / squares, 0.0, kMaxMemory) : 0.0;
  return std::sqrt(squares / (count - 2) / count * (1 + memory) / (1 - memory));
}

using Verdict = RestDetector::Verdict;
Verdict worse_of(Verdict one, Verdict other) {
  if (one == Verdict::kTrend || other == Verdict::kTrend) return Verdict::kTrend;
  return one == Verdict::kRest ? other : one;
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

  // Slope of the least-squares line: the numbers b = -(n - 1) / 2 … (n - 1) / 2 have the sum of
  // squares n (n² - 1) / 12.
  const auto count = static_cast<double>(batches);
  const auto from_middle = [&](std::size_t b) { return static_cast<double>(b) - (count - 1) / 2; };
  double slope = 0;
  for (std::size_t b = 0; b < batches; ++b) slope += from_middle(b) * (value(b) - m.mean);
  slope *= 12 / (count * (count * count - 1));
  m.risen = slope * count / 2;
  const auto beside = [&](std::size_t b) { return value(b) - m.mean - slope * from_middle(b); };
  m.risen_error = std::sqrt(3.0) * error_of(batches, beside);
  return m;
}

bool RestDetector::is_moving(const Mean& m, double most) {
  return std::abs(m.risen) > std::max(kSureOfTrend * m.risen_error, kStill * most);
}

RestDetector::Verdict RestDetector::judge_witness(const Mean& m, const Quantity& asked) {
  const double apart = std::abs(m.first - m.second);
  const double unsure = kSure * 2 * m.error;  // uncertainty of the difference of the halves
  const double most = std::max(asked.bound * std::abs(m.mean), asked.floor);
  if (apart + unsure <= most) return Verdict::kRest;
  return apart > most ? Verdict::kTrend : Verdict::kNoise;
}

RestDetector::Verdict RestDetector::judge_member(const Mean& m, const Quantity& asked) {
  const double apart = std::abs(m.first - m.second);
  const double error = 2 * m.error;  // standard error of the difference of the halves
  const double most = 2 * std::max(asked.bound * std::abs(m.mean), asked.floor);
  if (is_moving(m, most) || apart > most + kSureOfMany * error) return Verdict::kTrend;
  return apart + kSure * error <= most ? Verdict::kRest : Verdict::kNoise;
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
  const Quantity& asked = quantities_[members.front()];
  const Mean all = mean_of(batches_.size(), [&](std::size_t b) {
    double sum = 0;
    for (const std::size_t i : members) sum += value(b, i);
    return sum / count;
  });
  double within = 0;   // variance of a member's mean, estimated from its batches
  double between = 0;  // variance of the means of the group's members
  bool steady = true;
  Verdict apart = Verdict::kRest;  // worst result of the members judged one by one
  for (const std::size_t i : members) {
    const Mean one = mean_of(batches_.size(), [&](std::size_t b) { return value(b, i); });
    within += one.error * one.error / count;
    between += (one.mean - all.mean) * (one.mean - all.mean);
    const double most = 2 * std::max(asked.bound * one.mean, asked.floor);
    steady = steady && std::abs(one.first - one.second) <= most + kSureOfMany * 2 * one.error;
    apart = worse_of(apart, judge_member(one, asked));
  }
  if (!steady) return {Verdict::kTrend, false};
  const bool nearly =
      kSure * std::sqrt(within) <= kPoolable * std::max(asked.bound * all.mean, asked.floor);
  const double freedom = count - 1;
  if (count > 1 && nearly && between / freedom <= within * (1 + 3 * std::sqrt(2 / freedom))) {
    return {judge_member(all, asked), true};
  }
  return {apart, false};
}

RestDetector::Verdict RestDetector::verdict() const {
  if (batches_.size() < kBatches) return Verdict::kOpen;
  Verdict worst = Verdict::kRest;
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    if (quantities_[i].group != 0) continue;
    const Mean one = mean_of(batches_.size(), [&](std::size_t b) { return value(b, i); });
    worst = worse_of(worst, judge_witness(one, quantities_[i]));
  }
  for (const unsigned group : groups()) worst = worse_of(worst, judge_group(group).verdict);
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
