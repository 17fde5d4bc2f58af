#include "diagnose/weights/late_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "describe/quantity_text.h"
#include "measure/metrics.h"

namespace dcc::vp {

double longest_queue(const RunResults& results, BitRate rate) {
  double longest = 0;
  for (const QueueResult& queue : results.queues) longest = std::max(longest, queue.mean_bytes);
  return longest * 8 / static_cast<double>(rate.bits_per_second);
}

std::optional<double> age_of_marks(const Evidence& evidence, BitRate rate) {
  const std::optional<PicoSeconds> trip = mean_of(evidence.results()->rtt_ns);
  if (!trip) return std::nullopt;
  const bool after_the_queue =
      evidence.config().switch_.ecn.mark_at == EcnParameters::MarkAt::kDequeue;
  return to_seconds(*trip) - (after_the_queue ? longest_queue(*evidence.results(), rate) : 0);
}

std::string late_marks(const Evidence& evidence, const DccParameters& dcc, BitRate rate) {
  const std::optional<double> age = age_of_marks(evidence, rate);
  const double interval = to_seconds(dcc.increase_timer);
  if (!age || *age <= 1.2 * interval) return "";
  const auto in_time = [](double seconds) {
    return text_of(kMicroSecond * static_cast<std::int64_t>(std::llround(seconds * 1e6)));
  };
  return fmt::format(
      "marks are {} old when they arrive, and increase_timer is {}: the queue swings (mark_at: "
      "dequeue, a smaller switch.ecn.kmax, or a longer increase_timer)",
      in_time(*age), in_time(interval));
}

}  // namespace dcc::vp
