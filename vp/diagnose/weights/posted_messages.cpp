#include "diagnose/weights/posted_messages.h"

#include <fmt/format.h>

#include "describe/readable.h"
#include "diagnose/link_use.h"
#include "measure/metrics.h"

namespace dcc::vp {

std::string too_little_posted(const Evidence& evidence,
                              const std::vector<const FlowResult*>& flows) {
  const PlatformConfig& config = evidence.config();
  const RunResults& results = *evidence.results();
  const std::optional<PicoSeconds> trip = mean_of(results.rtt_ns);
  if (!trip) return "";
  double bytes = 0;
  double weight = 0;
  for (const FlowResult* const flow : flows) {
    bytes += static_cast<double>(flow->delivered_measured);
    weight += config.dscp_of(flow->dscp).weight.value();
  }
  const double trips = static_cast<double>((results.measured_to - results.measured_from).count) /
                       static_cast<double>(trip->count);
  for (const FlowResult* const flow : flows) {
    const auto host = config.hosts.find(flow->from);
    const DriverKind driver = host != config.hosts.end() ? host->second.driver : config.host.driver;
    const double due = bytes * config.dscp_of(flow->dscp).weight.value() / weight;
    if (driver == DriverKind::kNone || flow->entry >= config.traffic.size() ||
        static_cast<double>(flow->delivered_measured) > 0.95 * due) {
      continue;
    }
    const Bytes message = config.traffic[flow->entry].message;
    if (static_cast<double>(message) >= due / trips) continue;
    return fmt::format(
        "the software of host {} waits for completions: at its share flow {} sends {} in a round "
        "trip, and a message has {} (traffic.{}.message)",
        flow->from, flow->id, readable(static_cast<Bytes>(due / trips)), readable(message),
        flow->entry);
  }
  return "";
}

}  // namespace dcc::vp
