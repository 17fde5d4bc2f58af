// Diagnosis `weights_missed`: long flows share a bottleneck, and their shares differ from their
// weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "controller/dcc.h"
#include "describe/quantity_text.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "measure/metrics.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

/// A flow, or all flows of a class.
struct Party {
  std::string name;
  double weight = 0;  // sum over its flows
  double bytes = 0;   // received within the window
};

/// The flows that are to share the link to one host by weight.
struct Competition {
  std::vector<const FlowResult*> flows;
  std::vector<Party> parties;
  double weight = 0;
  double bytes = 0;
  PicoSeconds last_start{};
};

class WeightsMissed final : public Diagnosis {
  static constexpr double kError = 0.08;  // what the law keeps at rest (docs/differentiation.md)
  // Shares closer to equality than this are the finding of weights_without_effect.
  static constexpr double kLeastEffect = 0.25;
  // With fewer packets of the lightest the error is that of counting: at the least information of a
  // packet, 0.03, a thousand packets leave a standard deviation of 18 %.
  static constexpr double kPackets = 1000;
  static constexpr std::size_t kAlone = 16;  // with more flows, classes are judged

  Found after(const Evidence& evidence) const override {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    if (config.qos.manager || !has_single_bottleneck(results)) return std::nullopt;
    const std::optional<Competition> found = competition(evidence);
    if (!found) return std::nullopt;
    const Competition& all = *found;
    const auto packets_of = [&](const Party& party) {
      return all.bytes * party.weight / all.weight / config.nic.mtu;
    };
    const auto error_of = [&](const Party& party) {
      return party.bytes / all.bytes * all.weight / party.weight - 1;
    };
    const Party* worst = &all.parties.front();
    const Party* lightest = worst;
    for (const Party& party : all.parties) {
      if (std::abs(error_of(party)) > std::abs(error_of(*worst))) worst = &party;
      if (party.weight < lightest->weight) lightest = &party;
    }
    const double error = error_of(*worst);
    if (packets_of(*lightest) < kPackets || std::abs(error) <= kError) return std::nullopt;
    return Observation{
        fmt::format("{} got {:.3g} % {} than its share by weight, {:.3g} instead of {:.3g} % of "
                    "{} flows' goodput: {}",
                    worst->name, 100 * std::abs(error), error > 0 ? "more" : "less",
                    100 * worst->bytes / all.bytes, 100 * worst->weight / all.weight,
                    all.flows.size(), cause(evidence, all, packets_of(*lightest))),
        {{"error", error}, {"share", worst->bytes / all.bytes}, {"of", worst->name}}};
  }

  /// Empty if there are no flows of different weights that compete all through the window, by marks
  /// and in one queue.
  static std::optional<Competition> competition(const Evidence& evidence) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const FlowFigures figures(config, results);
    const LinkUse use(evidence);
    const double window = static_cast<double>((results.measured_to - results.measured_from).count);
    Competition all;
    for (const FlowResult& flow : results.flows) {
      const DscpConfig& of = config.dscp_of(flow.dscp);
      const auto active = static_cast<double>(figures(flow).active.count);
      if (flow.background || !flow.begun || flow.reversed || flow.rate_cap.bits_per_second != 0 ||
          of.min_rate || of.max_rate || of.weight.numerator == 0 || active < 0.9 * window ||
          !goes_by_weight(config, flow)) {
        continue;
      }
      // A sender whose own link is full shares that link without marks.
      const LinkResult* const from = use.from_host(flow.from);
      if (from != nullptr && use.of(*from) > 0.95) continue;
      all.flows.push_back(&flow);
    }
    if (all.flows.size() < 2) return std::nullopt;
    const FlowResult& first = *all.flows.front();
    std::map<unsigned, Party> classes;
    for (const FlowResult* const flow : all.flows) {
      const DscpConfig& of = config.dscp_of(flow->dscp);
      // Without one receiver the link of the sender is shared, where no switch marks.
      if (flow->to != first.to || of.priority != config.dscp_of(first.dscp).priority) {
        return std::nullopt;
      }
      const auto bytes = static_cast<double>(flow->delivered_measured);
      const double weight = of.weight.value();
      all.weight += weight;
      all.bytes += bytes;
      all.last_start = std::max(all.last_start, flow->start);
      Party& party = classes[flow->dscp];
      party.name = fmt::format("the class of DSCP {} (weight {:.4g} a flow)", flow->dscp, weight);
      party.weight += weight;
      party.bytes += bytes;
      if (all.flows.size() > kAlone) continue;
      all.parties.push_back(
          {fmt::format("flow {} (weight {:.4g})", flow->id, weight), weight, bytes});
    }
    if (all.parties.empty()) {
      for (const auto& [dscp, party] : classes) all.parties.push_back(party);
    }
    if (all.bytes == 0 || !weights_differ(all, config) || effect(all, config) < kLeastEffect) {
      return std::nullopt;
    }
    for (Party& party : all.parties) party.name[0] = party.name[0] == 'f' ? 'F' : 'T';
    return all;
  }

  static bool goes_by_weight(const PlatformConfig& config, const FlowResult& flow) {
    const auto* const dcc = config.congestion_control_of(flow.from).chosen<DccParameters>();
    return dcc != nullptr && dcc->shares_by_weight();
  }

  static bool weights_differ(const Competition& all, const PlatformConfig& config) {
    const Ratio& first = config.dscp_of(all.flows.front()->dscp).weight;
    return std::any_of(all.flows.begin(), all.flows.end(), [&](const FlowResult* flow) {
      return config.dscp_of(flow->dscp).weight != first;
    });
  }

  /// 1: goodput of the heaviest and the lightest flows in the ratio of weights; 0: equal goodput.
  static double effect(const Competition& all, const PlatformConfig& config) {
    struct Sum {
      double bytes = 0;
      double flows = 0;
    };
    std::map<double, Sum> by_weight;
    for (const FlowResult* const flow : all.flows) {
      Sum& sum = by_weight[config.dscp_of(flow->dscp).weight.value()];
      sum.bytes += static_cast<double>(flow->delivered_measured);
      sum.flows += 1;
    }
    const auto& [light, of_light] = *by_weight.begin();
    const auto& [heavy, of_heavy] = *by_weight.rbegin();
    if (of_light.bytes == 0 || of_heavy.bytes == 0) return of_heavy.bytes > 0 ? 1 : 0;
    return std::log(of_heavy.bytes / of_heavy.flows * of_light.flows / of_light.bytes) /
           std::log(heavy / light);
  }

  static std::string cause(const Evidence& evidence, const Competition& all, double packets) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const EcnParameters& ecn = config.switch_.ecn;
    if (results.counters.of(&PfcCounters::pauses_sent) > 0) {
      return "PFC paused the senders, all flows alike (switch.buffer)";
    }
    if (results.counters.of(&AlgorithmCounters::cnps_dropped_no_slot) > 0) {
      return "a controller had no free slot for some of them (nic.controller.slots)";
    }
    const auto marks = static_cast<double>(results.counters.of(&SwitchCounters::ecn_marks));
    if (marks == 0) {
      return fmt::format("no packet was marked, so windows limit the flows (switch.ecn.kmin is {})",
                         text_of(ecn.kmin));
    }
    const FlowResult& first = *all.flows.front();
    const auto& dcc = *config.congestion_control_of(first.from).chosen<DccParameters>();
    const BitRate rate = evidence.topology().link(evidence.topology().node_of(first.to), 0).rate;
    // A share of marks so great leaves too few unmarked packets to tell flows apart.
    const double part = marks * config.nic.mtu / all.bytes;
    if (part > 0.95) {
      return fmt::format(
          "{:.3g} % of the packets were marked, heavy flows' like light ones' (a "
          "greater switch.ecn.kmax, fewer units of weight)",
          100 * std::min(part, 1.0));
    }
    const double least = static_cast<double>(dcc.r_min.bits_per_second) / 1e9;
    const double window = to_seconds(results.measured_to - results.measured_from);
    const double lightest = packets * config.nic.mtu * 8e-9 / window;
    if (all.parties.size() == all.flows.size() && lightest < 1.5 * least) {
      return fmt::format("the lightest flow's share, {:.3g} Gb/s, is near the least rate (r_min)",
                         lightest);
    }
    const auto in_time = [](double seconds) {
      return text_of(kMicroSecond * static_cast<std::int64_t>(std::llround(seconds * 1e6)));
    };
    // Shares come closer by a factor of e in the time constant S/K (docs/differentiation.md).
    const double bits =
        static_cast<double>(roce::data_wire_bytes(config.nic.mtu, true, true) + 20) * 8;
    const double queue =
        static_cast<double>(ecn.kmax) * 8 / static_cast<double>(rate.bits_per_second);
    const double needed = 10 * (bits / (static_cast<double>(dcc.r_ai.bits_per_second)) + queue);
    const double had = to_seconds(results.measured_from - all.last_start);
    if (had < needed) {
      return fmt::format(
          "the window begins {} after the last of them, and the shares are near the "
          "weights after some {} (measure.from)",
          in_time(std::max(0.0, had)), in_time(needed));
    }
    if (const std::optional<PicoSeconds> trip = mean_of(results.rtt_ns)) {
      double age = to_seconds(*trip);
      if (ecn.mark_at == EcnParameters::MarkAt::kDequeue) age -= longest_queue(results, rate);
      const double interval = to_seconds(dcc.increase_timer);
      if (age > 1.2 * interval) {
        return fmt::format(
            "marks are {} old when they arrive, and increase_timer is {}: the queue "
            "swings (mark_at: dequeue, a smaller switch.ecn.kmax, or a longer "
            "increase_timer)",
            in_time(age), in_time(interval));
      }
    }
    if (packets * part < 400) {  // a standard deviation of 5 % from counting alone
      return fmt::format(
          "some {:.0f} marks of the lightest are too few to tell its share (a longer "
          "window)",
          packets * part);
    }
    const double used = all.bytes * 8 / window / static_cast<double>(rate.bits_per_second) * bits /
                        (static_cast<double>(config.nic.mtu) * 8);
    if (used < 0.9) {
      return fmt::format(
          "the queue swings, {:.3g} % of the link were used by them (a greater "
          "switch.ecn.kmax, or mark_at: dequeue)",
          100 * used);
    }
    return fmt::format(
        "{:.3g} % of the packets were marked between a kmin of {} and a kmax of {} "
        "(a smaller pmax or a greater kmax lengthens the ramp)",
        100 * part, text_of(ecn.kmin), text_of(ecn.kmax));
  }

  /// Mean length of the longest queue, in seconds of the link.
  static double longest_queue(const RunResults& results, BitRate rate) {
    double longest = 0;
    for (const QueueResult& queue : results.queues) longest = std::max(longest, queue.mean_bytes);
    return longest * 8 / static_cast<double>(rate.bits_per_second);
  }
};

const RegisteredDiagnosis<WeightsMissed> kWeightsMissed{
    "weights_missed",
    "The shares of long flows at one bottleneck are more than 8 % off their weights",
    "The text names the cause: too early a window, late or missing marks, pauses, slots, limits"};

}  // namespace
}  // namespace dcc::vp
