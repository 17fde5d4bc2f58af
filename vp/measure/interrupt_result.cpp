#include "measure/interrupt_result.h"

namespace dcc::vp {
namespace {

PicoSeconds time_of(std::uint64_t ns) { return kNanoSecond * static_cast<std::int64_t>(ns); }

/// Returns the least power of two above `ns`, at least 1.
std::uint64_t bound_above(std::uint64_t ns) {
  std::uint64_t bound = 1;
  while (bound <= ns) bound *= 2;
  return bound;
}

}  // namespace

void InterruptResult::set_times(const LogHistogram& ns) {
  taken = ns.count();
  histogram.clear();
  if (taken == 0) return;
  mean = time_of(ns.sum() / ns.count());
  p50 = time_of(ns.quantile(500));
  p99 = time_of(ns.quantile(990));
  most = time_of(ns.max());
  // All values of a bucket lie between the same powers of two.
  ns.each([this](std::uint64_t greatest, std::uint64_t count) {
    const PicoSeconds below = time_of(bound_above(greatest));
    if (histogram.empty() || histogram.back().below != below) histogram.push_back({below, 0});
    histogram.back().count += count;
  });
}

}  // namespace dcc::vp
