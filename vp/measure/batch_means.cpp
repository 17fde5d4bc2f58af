#include "measure/batch_means.h"

#include <cmath>
#include <cstddef>

namespace dcc::vp {
namespace {

constexpr std::size_t kMostBatches = 32;
// Least number of batches; with fewer batches the test of dependence would miss a steady trend.
constexpr std::size_t kLeastBatches = 16;

double mean_of_values(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Returns the 97.5 % quantile of Student's t with batches - 1 degrees of freedom.
double student_t(std::size_t batches) { return batches == kMostBatches ? 2.0395 : 2.1314; }

}  // namespace

std::optional<double> batch_means_half(const std::vector<double>& samples) {
  const std::size_t each = samples.size() / kMostBatches;
  if (each == 0) return std::nullopt;
  const std::size_t skipped = samples.size() - each * kMostBatches;
  std::vector<double> means;
  for (std::size_t batch = 0; batch < kMostBatches; ++batch) {
    double sum = 0;
    for (std::size_t i = 0; i < each; ++i) sum += samples[skipped + batch * each + i];
    means.push_back(sum / static_cast<double>(each));
  }
  for (;;) {
    const auto count = static_cast<double>(means.size());
    const double mean = mean_of_values(means);
    double squares = 0;
    double products = 0;
    for (std::size_t i = 0; i < means.size(); ++i) {
      squares += (means[i] - mean) * (means[i] - mean);
      if (i != 0) products += (means[i] - mean) * (means[i - 1] - mean);
    }
    // A series that is constant up to rounding has an exact mean.
    if (squares <= 1e-18 * count * mean * mean) return 0.0;
    if (products < 1.96 / std::sqrt(count) * squares) {
      return student_t(means.size()) * std::sqrt(squares / (count - 1) / count);
    }
    if (means.size() == kLeastBatches) return std::nullopt;
    std::vector<double> joined;
    for (std::size_t i = 0; i < means.size(); i += 2)
      joined.push_back((means[i] + means[i + 1]) / 2);
    means = joined;
  }
}

}  // namespace dcc::vp
