// Confidence interval of the mean of a series whose samples depend on each other.
#pragma once

#include <optional>
#include <vector>

namespace dcc::vp {

/// Half the width of the 95 % confidence interval of the mean, by the method of batch means: the
/// series is cut into 32 batches of equal length (excess samples at the begin are left out), and
/// neighbouring batches are joined, down to 16, until their means no longer depend on each other
/// (lag-1 autocorrelation below its 95 % limit, 1.96 / sqrt(batches)). Empty if the series has
/// fewer than 32 samples, or if batches still depend on each other, as in a run that has not
/// settled.
std::optional<double> batch_means_half(const std::vector<double>& samples);

}  // namespace dcc::vp
