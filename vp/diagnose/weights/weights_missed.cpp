// Diagnosis `weights_missed`: long flows share a bottleneck, and their shares differ from their
// weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "config/controller_hosts.h"
#include "controller/dcc.h"
#include "describe/quantity_text.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "diagnose/weights/late_marks.h"
#include "diagnose/weights/posted_messages.h"
#include "diagnose/weights/weights_without_effect.h"
#include "measure/metrics.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

/// One competitor for a link's rate: a flow, or all flows of a class.
struct Party {
  std::string name;
  double weight = 0;  // sum of the weights of the party's flows
  double bytes = 0;   // bytes that the party received within the window
};

/// The flows that should share the link to one host by weight and that have data for the same part
/// of the window.
struct Competition {
  std::vector<const FlowResult*> flows;
  std::vector<Party> parties;
  double weight = 0;
  double bytes = 0;
  std::uint32_t mtu = 0;  // greatest path MTU of the flows
  PicoSeconds last_start{};
};

class WeightsMissed final : public Diagnosis {
  /// The law by which a flow's weight changes its rate: the patent's law or the proportional law.
  /// kNone: the flow's algorithm reads no weights.
  enum class Law : std::uint8_t { kNone, kPatent, kProportional };
  static constexpr double kError = 0.08;  // error of the law at rest (docs/differentiation.md)
  // A packet carries an information of at least 0.03 about its flow's share, so a thousand packets
  // leave a standard deviation of 18 %. With fewer packets of the lightest party an error counts
  // only if it exceeds five standard deviations.
  static constexpr double kInformation = 0.03;
  static constexpr double kPackets = 1000;
  static constexpr double kDeviations = 5;
  // greatest number of flows that are judged one by one; with more flows, classes are judged
  static constexpr std::size_t kAlone = 16;

  static constexpr double kFullSteps = 0.512;  // Gb/s: least rate with full steps (StepPart)

  static constexpr double kUsed = 0.8;  // least use of a link that limits flows, as in idle_link
  static constexpr double kFull = 0.95;

  /// The party whose share differs most from its weight.
  struct Error {
    const Party* of = nullptr;
    double value = 0;    // relative error of the party's share
    double packets = 0;  // number of packets of the lightest party
  };

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence, const RunResults&) const override {
    if (controllers(evidence.config()).empty() || evidence.config().qos.manager) {
      return std::nullopt;
    }
    if (weights_move(evidence.config())) return std::nullopt;
    // the diagnosis weights_without_effect reports this run already
    if (weights_have_no_effect(evidence)) return std::nullopt;
    const LinkUse use(evidence);
    std::vector<Competition> found;
    for (const Law law : {Law::kProportional, Law::kPatent}) {
      for (Competition& one : competitions(evidence, use, law)) found.push_back(std::move(one));
    }
    const Competition* all = nullptr;
    Error error;
    for (const Competition& one : found) {
      const Error here = error_of(one);
      if (std::abs(here.value) <= least_error(here.packets)) continue;
      if (all != nullptr && std::abs(here.value) <= std::abs(error.value)) continue;
      all = &one;
      error = here;
    }
    if (all == nullptr) return std::nullopt;
    const double share = error.of->bytes / all->bytes;
    const double due = error.of->weight / all->weight;
    return Observation{
        fmt::format("{} got {:.3g} % {} than its share by weight, {:.3g} instead of {:.3g} % of "
                    "{} flows' goodput: {}",
                    error.of->name, 100 * std::abs(error.value), error.value > 0 ? "more" : "less",
                    100 * share, 100 * due, all->flows.size(),
                    cause(evidence, use, *all, error.packets, std::abs(share - due))),
        {{"error", error.value}, {"share", share}, {"of", error.of->name}}};
  }

  /// Returns the least error that is reported if the lightest party has so many packets.
  static double least_error(double packets) {
    return packets < kPackets ? kDeviations / std::sqrt(kInformation * packets) : kError;
  }

  static Error error_of(const Competition& all) {
    Error worst;
    double lightest = all.weight;
    for (const Party& party : all.parties) {
      const double error = party.bytes / all.bytes * all.weight / party.weight - 1;
      if (worst.of == nullptr || std::abs(error) > std::abs(worst.value)) {
        worst.of = &party;
        worst.value = error;
      }
      lightest = std::min(lightest, party.weight);
    }
    worst.packets = all.bytes * lightest / all.weight / all.mtu;
    return worst;
  }

  /// Finds, for each receiver, flows of different weights that one law governs and that compete by
  /// marks in one queue.
  static std::vector<Competition> competitions(const Evidence& evidence, const LinkUse& use,
                                               Law law) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const FlowFigures figures(config, results);
    const double window = static_cast<double>((results.measured_to - results.measured_from).count);
    const bool single = has_single_bottleneck(results);
    std::map<FlowEnd, std::vector<const FlowResult*>> by_receiver;
    for (const FlowResult& flow : results.flows) {
      const DscpConfig& of = config.dscp_of(flow.dscp);
      if (flow.background || !flow.begun || flow.rate_cap.bits_per_second != 0 || of.min_rate ||
          of.max_rate || of.weight.numerator == 0 || law_of(config, flow) != law ||
          static_cast<double>(figures(flow).active.count) < 0.9 * window) {
        continue;
      }
      if (!single && !limits(use, flow)) continue;
      by_receiver[receiving_end(flow)].push_back(&flow);
    }
    std::vector<Competition> found;
    for (auto& [receiver, flows] : by_receiver) {
      keep_simultaneous(flows, figures, results.measured_from);
      remove_held_back(flows, use, config);
      std::optional<Competition> all = competition(std::move(flows), config);
      if (all) found.push_back(std::move(*all));
    }
    return found;
  }

  /// True if the link to the flow's receiver limits the flow although other flows go to other
  /// hosts.
  static bool limits(const LinkUse& use, const FlowResult& flow) {
    const LinkResult* const to = use.to_receiver(flow);
    if (to == nullptr || use.of(*to) < kUsed) return false;
    return use.are_neighbours(flow) || use.of_fabric() <= kFull;
  }

  /// Removes flows that are active for less time than the longest active flow. While a flow is
  /// alone, its weight gives it no advantage, so neither bytes nor mean rate of the flow can be
  /// compared.
  static void keep_simultaneous(std::vector<const FlowResult*>& flows, const FlowFigures& figures,
                                PicoSeconds from) {
    using Span = std::pair<PicoSeconds, PicoSeconds>;
    const auto span_of = [&](const FlowResult* flow) {
      return Span{figures(*flow).active, std::max(from, flow->start)};
    };
    Span longest{};
    for (const FlowResult* const flow : flows) {
      const Span span = span_of(flow);
      if (longest.first < span.first) longest = span;
    }
    const auto differs = [&](const FlowResult* flow) {
      const Span span = span_of(flow);
      return span.first != longest.first || span.second != longest.second;
    };
    flows.erase(std::remove_if(flows.begin(), flows.end(), differs), flows.end());
  }

  /// Removes the flows that got less than their share because their sender's link is full: flows
  /// share a sender's link without marks. A flow that gets more than its share of the full sender's
  /// link is not held back by that link, so it stays.
  static void remove_held_back(std::vector<const FlowResult*>& flows, const LinkUse& use,
                               const PlatformConfig& config) {
    double bytes = 0;
    double weight = 0;
    for (const FlowResult* const flow : flows) {
      bytes += static_cast<double>(flow->delivered_measured);
      weight += config.dscp_of(flow->dscp).weight.value();
    }
    const auto held_back = [&](const FlowResult* flow) {
      const LinkResult* const from = use.from_sender(*flow);
      return from != nullptr && use.of(*from) > kFull &&
             static_cast<double>(flow->delivered_measured) * weight <
                 bytes * config.dscp_of(flow->dscp).weight.value();
    };
    flows.erase(std::remove_if(flows.begin(), flows.end(), held_back), flows.end());
  }

  /// Returns the competition among flows; empty if the flows have one weight or are in several
  /// queues.
  static std::optional<Competition> competition(std::vector<const FlowResult*> flows,
                                                const PlatformConfig& config) {
    if (flows.size() < 2) return std::nullopt;
    Competition all;
    all.flows = std::move(flows);
    const FlowResult& first = *all.flows.front();
    std::map<unsigned, Party> classes;
    for (const FlowResult* const flow : all.flows) {
      const DscpConfig& of = config.dscp_of(flow->dscp);
      if (of.priority != config.dscp_of(first.dscp).priority) return std::nullopt;
      const auto bytes = static_cast<double>(flow->delivered_measured);
      const double weight = of.weight.value();
      all.weight += weight;
      all.bytes += bytes;
      all.mtu = std::max(all.mtu, config.path_mtu(flow->from, flow->to));
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
    if (all.bytes == 0 || !weights_differ(all, config)) return std::nullopt;
    for (Party& party : all.parties) party.name[0] = party.name[0] == 'f' ? 'F' : 'T';
    return all;
  }

  static double least_weight(const Competition& all, const PlatformConfig& config) {
    double least = all.weight;
    for (const FlowResult* const flow : all.flows) {
      least = std::min(least, config.dscp_of(flow->dscp).weight.value());
    }
    return least;
  }

  static Law law_of(const PlatformConfig& config, const FlowResult& flow) {
    const auto* const dcc = config.congestion_control_of(sender_of(flow)).chosen<DccParameters>();
    if (dcc == nullptr) return Law::kNone;
    return dcc->shares_by_weight() ? Law::kProportional : Law::kPatent;
  }

  static bool weights_differ(const Competition& all, const PlatformConfig& config) {
    const Ratio& first = config.dscp_of(all.flows.front()->dscp).weight;
    return std::any_of(all.flows.begin(), all.flows.end(), [&](const FlowResult* flow) {
      return config.dscp_of(flow->dscp).weight != first;
    });
  }

  /// Names the likely cause. `packets`: number of packets of the lightest party; `moved`: the part
  /// of all bytes by which the worst party's share is too great or too small.
  static std::string cause(const Evidence& evidence, const LinkUse& use, const Competition& all,
                           double packets, double moved) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const EcnParameters& ecn = config.switch_.ecn;
    // A PFC pause for a part p of the window moves at most p of the link's bytes from some flows to
    // others. The recovery of rates after the pause moves about as much again.
    if (results.counters.of(&PfcCounters::pauses_sent) > 0 && 2 * use.paused() >= moved) {
      return "PFC paused the senders, all flows alike (switch.buffer)";
    }
    if (results.counters.of(&AlgorithmCounters::cnps_dropped_no_slot) > 0) {
      return "a controller had no free slot for some of them (nic.controller.slots)";
    }
    if (std::string posted = too_little_posted(evidence, all.flows); !posted.empty()) return posted;
    const auto marks = static_cast<double>(results.counters.of(&SwitchCounters::ecn_marks));
    if (marks == 0) {
      return fmt::format("no packet was marked, so windows limit the flows (switch.ecn.kmin is {})",
                         text_of(ecn.kmin));
    }
    const FlowResult& first = *all.flows.front();
    const auto& dcc = *config.congestion_control_of(sender_of(first)).chosen<DccParameters>();
    if (!dcc.shares_by_weight()) {
      return "the patent's rules (nic.congestion_control.policy: dcqcn) follow weights only "
             "roughly; policy: proportional follows them within 8 %";
    }
    const LinkResult* const last = use.to_receiver(first);
    const BitRate rate = last == nullptr ? config.topology.slowest_link() : last->rate;
    // If the share of marks is this great, too few unmarked packets remain to distinguish flows.
    const double part = marks * all.mtu / all.bytes;
    if (part > 0.95) {
      return fmt::format(
          "{:.3g} % of the packets were marked, heavy flows' like light ones' (a "
          "greater switch.ecn.kmax, fewer units of weight)",
          100 * std::min(part, 1.0));
    }
    const double least = static_cast<double>(dcc.r_min.bits_per_second) / 1e9;
    const double window = to_seconds(results.measured_to - results.measured_from);
    // rate in Gb/s that a flow of the least weight is due
    const double lightest = all.bytes * 8e-9 / window * least_weight(all, config) / all.weight;
    if (lightest < 1.5 * least) {
      return fmt::format("the lightest flow's share, {:.3g} Gb/s, is near the least rate (r_min)",
                         lightest);
    }
    const auto in_time = [](double seconds) {
      return text_of(kMicroSecond * static_cast<std::int64_t>(std::llround(seconds * 1e6)));
    };
    // Shares come closer by a factor of e in the time constant S/K (docs/differentiation.md); K is
    // in proportion to a rate below kFullSteps.
    const double bits = static_cast<double>(roce::data_wire_bytes(all.mtu, true, true) + 20) * 8;
    const double queue =
        static_cast<double>(ecn.kmax) * 8 / static_cast<double>(rate.bits_per_second);
    const double steps = std::min(1.0, lightest / kFullSteps);
    const double needed =
        10 * (bits / (static_cast<double>(dcc.r_ai.bits_per_second) * steps) + queue);
    const double had = to_seconds(results.measured_from - all.last_start);
    if (had < 0) {
      return fmt::format(
          "the last of them begins {} after the window does, and the shares are near the weights "
          "after some {} (measure.from)",
          in_time(-had), in_time(needed));
    }
    if (had < needed) {
      return fmt::format(
          "the window begins {} after the last of them, and the shares are near the "
          "weights after some {} (measure.from)",
          in_time(had), in_time(needed));
    }
    if (std::string late = late_marks(evidence, dcc, rate); !late.empty()) return late;
    // A port that needs more marks than the ECN ramp gives keeps its queue at kmax, so packets in a
    // row are all marked or all unmarked. Which flow gets the marks is then a matter of chance.
    if (part > ecn.pmax.value()) {
      return fmt::format(
          "{:.3g} % of the packets were marked, and the ramp ends at a pmax of {:.3g} %, so the "
          "queue stays at a kmax of {}, where packets in a row are all marked or none (a greater "
          "switch.ecn.pmax)",
          100 * part, 100 * ecn.pmax.value(), text_of(ecn.kmax));
    }
    if (packets * part < 400) {  // counting so few packets alone has a standard deviation above 5 %
      return fmt::format(
          "some {:.0f} marks of the lightest are too few to tell its share (a longer "
          "window)",
          packets * part);
    }
    const double used = all.bytes * 8 / window / static_cast<double>(rate.bits_per_second) * bits /
                        (static_cast<double>(all.mtu) * 8);
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
};

const RegisteredDiagnosis<WeightsMissed> kWeightsMissed{
    "weights_missed",
    "The shares of long flows at one bottleneck are more than 8 % off their weights",
    "The text names the cause: too early a window, late or missing marks, pauses, slots, limits"};

}  // namespace
}  // namespace dcc::vp
