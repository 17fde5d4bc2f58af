// Diagnosis `unequal_flows`: flows that compete for one link on equal terms get unequal shares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "controller/dcc.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "diagnose/weights/posted_messages.h"
#include "diagnose/weights/weights_without_effect.h"
#include "measure/metrics.h"

namespace dcc::vp {
namespace {

class UnequalFlows final : public Diagnosis {
  // Greatest difference from the mean that counts as equal. Algorithms that converge to equal rates
  // stay within 0.2 once their start is over (configs/sweeps/defaults.md).
  static constexpr double kError = 0.2;
  // Least mean number of packets of a flow: with fewer packets chance alone makes flows unequal.
  static constexpr double kPackets = 200;
  static constexpr double kAllTheTime = 0.9;  // share of the window in which a flow must have data
  static constexpr double kUsed = 0.8;        // least use of a link that limits flows
  static constexpr double kFull = 0.95;
  // Number of round trips within which flows may still search for their rates.
  static constexpr int kRoundTrips = 20;

  /// Flows with equal keys should get equal rates: they lead to one port of a host, at one switch
  /// priority and DSCP, over paths of one kind, governed by one algorithm.
  using Key = std::tuple<FlowEnd, unsigned, bool, std::string>;
  struct Group {
    std::vector<const FlowResult*> flows;
    double mean = 0;                    // mean payload of a flow in the window, in bytes
    const FlowResult* worst = nullptr;  // flow whose payload differs most from the mean
    double error = 0;                   // relative difference of the worst flow from the mean
  };

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PlatformConfig& config = evidence.config();
    const PicoSeconds window = results.measured_to - results.measured_from;
    if (window < round_trip_bound(evidence) * kRoundTrips) return std::nullopt;
    if (!config.faults.empty() || !config.changes.empty()) return std::nullopt;
    const LinkUse use(evidence);
    Group worst;
    std::size_t groups = 0;
    for (auto& [key, flows] : equals(evidence, use)) {
      remove_held_back(flows, use);
      Group group = judged(std::move(flows));
      if (group.worst == nullptr || std::abs(group.error) <= kError ||
          group.mean < kPackets * config.path_mtu(group.worst->from, group.worst->to) ||
          !too_little_posted(evidence, group.flows).empty()) {
        continue;
      }
      ++groups;
      if (worst.worst == nullptr || std::abs(group.error) > std::abs(worst.error)) {
        worst = std::move(group);
      }
    }
    if (worst.worst == nullptr) return std::nullopt;
    const FlowResult& flow = *worst.worst;
    const double seconds = to_seconds(window);
    const auto gbps = [seconds](double bytes) { return bytes * 8e-9 / seconds; };
    std::string text = fmt::format(
        "Flow {} from host {} to host {} got {:.3g} Gb/s, {:.3g} % {} than the mean of {} equal "
        "flows ({:.3g} Gb/s), within the window of {}{}: algorithm {} {}",
        flow.id, flow.from, flow.to, gbps(static_cast<double>(flow.delivered_measured)),
        100 * std::abs(worst.error), worst.error > 0 ? "more" : "less", worst.flows.size(),
        gbps(worst.mean), readable(window),
        groups > 1 ? fmt::format(" (and flows to {} other ports differ)", groups - 1) : "",
        config.congestion_control_of(sender_of(flow)).name(), cause(use));
    return Observation{text,
                       {{"error", worst.error}, {"flow", flow.id}, {"flows", worst.flows.size()}}};
  }

  /// Collects, by key, the flows that have data all through the window and that one link limits.
  static std::map<Key, std::vector<const FlowResult*>> equals(const Evidence& evidence,
                                                              const LinkUse& use) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const FlowFigures figures(config, results);
    const auto window = static_cast<double>((results.measured_to - results.measured_from).count);
    const bool single = has_single_bottleneck(results);
    std::map<Key, std::vector<const FlowResult*>> found;
    for (const FlowResult& flow : results.flows) {
      const DscpConfig& of = config.dscp_of(flow.dscp);
      if (flow.background || !flow.begun || flow.start > results.measured_from ||
          flow.rate_cap.bits_per_second != 0 || of.min_rate || of.max_rate ||
          config.transport_of(sender_of(flow)).chosen() != nullptr ||
          static_cast<double>(figures(flow).active.count) < kAllTheTime * window) {
        continue;
      }
      const AlgorithmChoice& algorithm = config.congestion_control_of(sender_of(flow));
      // DCC flows with a weight other than 1 are left to the diagnoses of weights
      if (algorithm.chosen<DccParameters>() != nullptr && of.weight != Ratio(1)) continue;
      const LinkResult* const to = use.to_receiver(flow);
      if (to == nullptr || use.of(*to) < kUsed) continue;
      if (!single && !use.are_neighbours(flow) && use.of_fabric() > kFull) continue;
      found[{receiving_end(flow), flow.dscp, use.are_neighbours(flow), algorithm.name()}].push_back(
          &flow);
    }
    return found;
  }

  static double mean_of(const std::vector<const FlowResult*>& flows) {
    double sum = 0;
    for (const FlowResult* const flow : flows) sum += static_cast<double>(flow->delivered_measured);
    return flows.empty() ? 0 : sum / static_cast<double>(flows.size());
  }

  /// Removes the flows that got less than the mean because the link of their sender is full.
  static void remove_held_back(std::vector<const FlowResult*>& flows, const LinkUse& use) {
    const double mean = mean_of(flows);
    const auto held_back = [&](const FlowResult* flow) {
      const LinkResult* const from = use.from_sender(*flow);
      return from != nullptr && use.of(*from) > kFull &&
             static_cast<double>(flow->delivered_measured) < mean;
    };
    flows.erase(std::remove_if(flows.begin(), flows.end(), held_back), flows.end());
  }

  static Group judged(std::vector<const FlowResult*> flows) {
    Group group;
    group.flows = std::move(flows);
    if (group.flows.size() < 2) return group;
    group.mean = mean_of(group.flows);
    if (group.mean == 0) return group;
    for (const FlowResult* const flow : group.flows) {
      const double error = static_cast<double>(flow->delivered_measured) / group.mean - 1;
      if (group.worst != nullptr && std::abs(error) <= std::abs(group.error)) continue;
      group.worst = flow;
      group.error = error;
    }
    return group;
  }

  /// Returns what keeps the rates apart, as a predicate of "algorithm NAME".
  static std::string cause(const LinkUse& use) {
    if (use.paused() > 0.01) {
      return "does not act alone: PFC paused senders (switch.buffer, switch.ecn)";
    }
    return "did not bring their rates together in this time";
  }
};

const RegisteredDiagnosis<UnequalFlows> kUnequalFlows{
    "unequal_flows",
    "Flows that compete for one link on equal terms got shares more than 20 % off their mean",
    "Begin `measure.from` later and measure longer, or take an algorithm that shares equally; the "
    "algorithm's page says whether it does"};

}  // namespace
}  // namespace dcc::vp
