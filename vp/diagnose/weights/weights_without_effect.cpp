// Diagnosis `weights_without_effect`: classes get equal shares although their weights differ.
#include "diagnose/weights/weights_without_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "controller/dcc.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "diagnose/weights/posted_messages.h"
#include "measure/metrics.h"

namespace dcc::vp {
namespace {

/// Mean goodput of one flow of a class while the flow is active.
struct OneOf {
  unsigned dscp = 0;
  double weight = 0;
  double gbps = 0;
};

class WeightsWithoutEffect final : public Diagnosis {
  // Weights whose effect is below this value are reported. A working law has an effect within a few
  // percent of 1, equal shares have the effect 0.
  static constexpr double kLeastEffect = 0.25;
  // Least paused share of the window: a shorter pause costs a flow less than the law's own error.
  static constexpr double kLeastPause = 0.08;
  // number of round trips that a law needs to find its shares
  static constexpr int kRoundTrips = 100;

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence, const RunResults&) const override {
    return found(evidence);
  }

 public:
  static Found found(const Evidence& evidence) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    if (config.qos.manager || weights_move(config) || !has_single_bottleneck(results)) {
      return std::nullopt;
    }
    const PicoSeconds window = results.measured_to - results.measured_from;
    if (window < round_trip_bound(evidence) * kRoundTrips) return std::nullopt;
    const std::optional<std::pair<OneOf, OneOf>> ends = lightest_and_heaviest(config, results);
    if (!ends) return std::nullopt;
    const auto& [light, heavy] = *ends;
    // Effect of weights: 1 if goodput is in the ratio of weights, 0 if it is equal.
    const double effect = std::log(heavy.gbps / light.gbps) / std::log(heavy.weight / light.weight);
    if (effect >= kLeastEffect) return std::nullopt;
    return Observation{
        fmt::format("A flow of DSCP {} (weight {:.4g}) got {:.3g} Gb/s and one of DSCP {} (weight "
                    "{:.4g}) {:.3g} Gb/s: weights had no effect, since {}",
                    light.dscp, light.weight, light.gbps, heavy.dscp, heavy.weight, heavy.gbps,
                    cause(evidence)),
        {{"effect", effect},
         {"ratio_of_weights", heavy.weight / light.weight},
         {"ratio_of_goodput", heavy.gbps / light.gbps}}};
  }

 private:
  /// Finds the lightest and the heaviest of the competing classes. Empty if the classes have one
  /// weight, or if a class received nothing.
  static std::optional<std::pair<OneOf, OneOf>> lightest_and_heaviest(const PlatformConfig& config,
                                                                      const RunResults& results) {
    const FlowFigures figures(config, results);
    struct Sum {
      double bytes = 0;
      double active = 0;
      double longest = 0;
    };
    std::array<Sum, 64> sums{};
    for (const FlowResult& flow : results.flows) {
      if (flow.background || !flow.begun || flow.rate_cap.bits_per_second != 0) continue;
      // Flows of hosts with another algorithm are left out: these flows have other weights or none.
      if (config.congestion_control_of(sender_of(flow)).name() !=
          config.nic.congestion_control.name()) {
        continue;
      }
      const auto active = static_cast<double>(figures(flow).active.count);
      Sum& sum = sums[flow.dscp];
      sum.bytes += static_cast<double>(flow.delivered_measured);
      sum.active += active;
      sum.longest = std::max(sum.longest, active);
    }
    const auto window = static_cast<double>((results.measured_to - results.measured_from).count);
    std::optional<std::pair<OneOf, OneOf>> ends;
    for (unsigned dscp = 0; dscp < 64; ++dscp) {
      const Sum& sum = sums[dscp];
      const DscpConfig& of = config.dscp_of(dscp);
      // A class that is active only in a part of the window has no competitor for the rest of the
      // time, so it is left out.
      if (sum.longest < 0.9 * window || sum.bytes <= 0 || of.max_rate || of.min_rate) continue;
      const OneOf one{dscp, of.weight.value(), sum.bytes * 8e3 / sum.active};
      if (!ends) ends = {one, one};
      if (one.weight < ends->first.weight) ends->first = one;
      if (one.weight > ends->second.weight) ends->second = one;
    }
    if (!ends || ends->first.weight == ends->second.weight) return std::nullopt;
    return ends;
  }

  static std::string cause(const Evidence& evidence) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const auto* const dcc = config.nic.congestion_control.chosen<DccParameters>();
    if (dcc == nullptr || !dcc->shares_by_weight()) {
      return fmt::format(
          "{} {} did not turn them into rates (algorithm: dcc with policy: "
          "proportional does)",
          dcc != nullptr ? "policy:" : "algorithm:",
          dcc != nullptr ? dcc->policy : config.nic.congestion_control.name());
    }
    double busiest = 0;
    const LinkUse use(evidence);
    for (const LinkResult& link : results.links) busiest = std::max(busiest, use.of(link));
    if (busiest < 0.95) {
      return fmt::format(
          "the flows did not fill a link (the busiest was used {:.1f} %): each got "
          "its greatest rate, or was limited by a window",
          100 * busiest);
    }
    if (results.counters.of(&SwitchCounters::ecn_marks) == 0) {
      Bytes longest = 0;
      for (const QueueResult& queue : results.queues) longest = std::max(longest, queue.max_bytes);
      return fmt::format("no packet was marked: the longest queue had {} and switch.ecn.kmin is {}",
                         readable(longest), readable(config.switch_.ecn.kmin));
    }
    if (use.paused() > kLeastPause) {
      return "PFC paused the senders, all flows alike";
    }
    if (results.counters.of(&AlgorithmCounters::cnps_dropped_no_slot) > 0) {
      return "the controller had no free slots";
    }
    std::vector<const FlowResult*> flows;
    for (const FlowResult& flow : results.flows) {
      if (!flow.background && flow.begun) flows.push_back(&flow);
    }
    if (std::string posted = too_little_posted(evidence, flows); !posted.empty()) return posted;
    return fmt::format(
        "{} marks were too few or too many to tell the flows apart (switch.ecn, r_ai)",
        results.counters.of(&SwitchCounters::ecn_marks));
  }
};

const RegisteredDiagnosis<WeightsWithoutEffect> kWeightsWithoutEffect{
    "weights_without_effect",
    "Flows of differently weighted classes compete for one link and get about the same",
    "Choose an algorithm that shares by weight, and thresholds at which the switch marks "
    "(`switch.ecn`)"};

}  // namespace

bool weights_move(const PlatformConfig& config) {
  for (const TrafficSpec& spec : config.traffic) {
    if (spec.moves_weight() || spec.new_dscp) return true;
  }
  return std::any_of(config.changes.begin(), config.changes.end(), [&](const ChangeConfig& change) {
    for (unsigned dscp = 0; dscp < 64; ++dscp) {
      if (change.config->dscp_of(dscp).weight != config.dscp_of(dscp).weight) return true;
    }
    return false;
  });
}

bool weights_have_no_effect(const Evidence& evidence) {
  return WeightsWithoutEffect::found(evidence).has_value();
}

}  // namespace dcc::vp
