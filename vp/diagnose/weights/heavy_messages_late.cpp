// Diagnosis `heavy_messages_late`: messages of a heavier class take longer than they would take
// with equal shares of their link.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controller/dcc.h"
#include "describe/quantity_text.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "diagnose/weights/equal_shares.h"
#include "diagnose/weights/weights_without_effect.h"
#include "measure/metrics.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

/// Messages of a class to one receiver.
struct Messages {
  const LinkResult* link = nullptr;    // link to the receiver
  const QueueResult* queue = nullptr;  // queue before this link; null if it was not measured
  HostId sender = 0;                   // sender of one of the messages
  double lightest = 0;                 // least weight of the flows to the receiver
  Bytes longest = 0;                   // greatest number of bytes of a message
  bool in_pieces = false;              // true if a message is several messages of its queue pair
  std::vector<double> took;            // completion times in picoseconds
  std::vector<double> equals;          // times with equal shares in picoseconds
};

class HeavyMessagesLate final : public Diagnosis {
  static constexpr std::size_t kLeast = 100;  // least number of messages for a 99th percentile
  // A class whose messages take so many times as long as with equal shares is late. Equal weights
  // stay below: their shares differ by chance, and rates need some time to become equal.
  static constexpr double kLate = 1.4;
  static constexpr double kHeavier = 1.5;  // least ratio of a heavier class's weight to the least
  // Least size of a message in round trips of the link: rates hardly act on smaller messages.
  static constexpr int kRoundTrips = 2;

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PlatformConfig& config = evidence.config();
    if (config.qos.manager || weights_move(config)) return std::nullopt;
    const std::map<FlowEnd, double> least = least_weights(evidence);
    if (least.empty()) return std::nullopt;
    const LinkUse use(evidence);
    std::unordered_map<std::string_view, const QueueResult*> queues;
    for (const QueueResult& queue : results.queues) queues.emplace(queue.port, &queue);
    const PicoSeconds trip = round_trip_of_neighbours(evidence);
    std::map<FlowEnd, EqualShares> to, from;
    for (const FlowResult& flow : results.flows) {
      if (least.count(receiving_end(flow)) == 0) continue;
      to[receiving_end(flow)].add(flow.start, end_of(flow, results));
    }
    for (const FlowResult& flow : results.flows) {
      from[sending_end(flow)].add(flow.start, end_of(flow, results));
    }
    for (auto* const side : {&to, &from}) {
      for (auto& [end, shares] : *side) shares.finish();
    }
    std::map<std::pair<FlowEnd, unsigned>, Messages> found;
    for (const FlowResult& flow : results.flows) {
      const auto lightest = least.find(receiving_end(flow));
      if (lightest == least.end() || !is_judged(evidence, use, flow, lightest->second)) continue;
      const LinkResult& link = *use.to_receiver(flow);
      const PicoSeconds alone = time_alone(config, link.rate, flow);
      if (alone < trip * kRoundTrips) continue;
      const auto queue = queues.find(link.name);
      const PicoSeconds equal = std::max(to.at(receiving_end(flow)).time_of(flow.start, alone),
                                         from.at(sending_end(flow)).time_of(flow.start, alone));
      Messages& of = found[{receiving_end(flow), flow.dscp}];
      of.link = &link;
      of.queue = queue == queues.end() ? nullptr : queue->second;
      of.sender = sender_of(flow);
      of.lightest = lightest->second;
      of.longest = std::max(of.longest, *flow.bytes);
      of.in_pieces = of.in_pieces || is_in_pieces(config, flow);
      of.took.push_back(static_cast<double>((*flow.end - flow.start).count));
      // A message waits for the queue, too: at most its 99th percentile.
      const PicoSeconds wait =
          of.queue == nullptr ? PicoSeconds{} : serialization_time(of.queue->p99_bytes, link.rate);
      of.equals.push_back(static_cast<double>((equal + trip + wait).count));
    }
    return worst_of(evidence, found);
  }

  /// The time until which a flow has data to send.
  static PicoSeconds end_of(const FlowResult& flow, const RunResults& results) {
    if (flow.end) return *flow.end;
    if (flow.end_rx) return *flow.end_rx;
    return flow.stopped.value_or(results.sim_time);
  }

  /// The least weight of the flows to each receiver that receives flows of different weights in one
  /// queue.
  static std::map<FlowEnd, double> least_weights(const Evidence& evidence) {
    const PlatformConfig& config = evidence.config();
    struct Classes {
      double least = 0;
      double greatest = 0;
      unsigned priority = 0;
      bool one_queue = true;
    };
    std::map<FlowEnd, Classes> classes;
    for (const FlowResult& flow : evidence.results()->flows) {
      if (!flow.begun) continue;
      const DscpConfig& of = config.dscp_of(flow.dscp);
      const double weight = of.weight.value();
      const auto [at, is_new] =
          classes.emplace(receiving_end(flow), Classes{weight, weight, of.priority, true});
      Classes& here = at->second;
      here.least = std::min(here.least, weight);
      here.greatest = std::max(here.greatest, weight);
      here.one_queue = here.one_queue && of.priority == here.priority && !flow.background;
    }
    std::map<FlowEnd, double> found;
    for (const auto& [end, here] : classes) {
      if (here.one_queue && here.greatest > here.least) found.emplace(end, here.least);
    }
    return found;
  }

  /// True if the flow is a complete message of a heavier class whose rate only the links of its two
  /// hosts limit.
  static bool is_judged(const Evidence& evidence, const LinkUse& use, const FlowResult& flow,
                        double lightest) {
    const PlatformConfig& config = evidence.config();
    const DscpConfig& of = config.dscp_of(flow.dscp);
    if (!flow.completed || !flow.bytes || !flow.end || flow.rate_cap.bits_per_second != 0 ||
        of.min_rate || of.max_rate || of.weight.value() < kHeavier * lightest ||
        !use.are_neighbours(flow) || use.to_receiver(flow) == nullptr) {
      return false;
    }
    const auto* const dcc = config.congestion_control_of(sender_of(flow)).chosen<DccParameters>();
    return dcc != nullptr && dcc->shares_by_weight();
  }

  /// True if the NIC cannot see the size of a flow: software posts it as several messages, or each
  /// of several READ requests asks for a part of it.
  static bool is_in_pieces(const PlatformConfig& config, const FlowResult& flow) {
    const bool is_cut =
        flow.reversed || config.host_of(sender_of(flow)).driver != DriverKind::kNone;
    return is_cut && flow.entry < config.traffic.size() &&
           config.traffic[flow.entry].message < *flow.bytes;
  }

  /// The time that the data of a flow takes on a link of `rate`.
  static PicoSeconds time_alone(const PlatformConfig& config, BitRate rate,
                                const FlowResult& flow) {
    const Bytes mtu = config.path_mtu(flow.from, flow.to);
    const Bytes packets = (*flow.bytes + mtu - 1) / mtu;
    return serialization_time(roce::data_wire_bytes(static_cast<std::uint32_t>(mtu), false, false),
                              rate) *
           packets;
  }

  static Found worst_of(const Evidence& evidence,
                        std::map<std::pair<FlowEnd, unsigned>, Messages>& found) {
    const std::pair<const std::pair<FlowEnd, unsigned>, Messages>* worst = nullptr;
    double took = 0, equal = 0;
    for (auto& one : found) {
      if (one.second.took.size() < kLeast) continue;
      const double took_here = percentile(one.second.took, 99);
      const double equal_here = percentile(one.second.equals, 99);
      if (took_here <= kLate * equal_here) continue;
      if (worst != nullptr && took_here / equal_here <= took / equal) continue;
      worst = &one;
      took = took_here;
      equal = equal_here;
    }
    if (worst == nullptr) return std::nullopt;
    const auto in_time = [](double ps) {
      return text_of(kMicroSecond * static_cast<std::int64_t>(std::llround(ps / 1e6)));
    };
    const unsigned dscp = worst->first.second;
    return Observation{
        fmt::format("The 99th percentile of {} messages of DSCP {} (weight {:.4g}) to host {} is "
                    "{}, and equal shares of the link would give {}: {}",
                    worst->second.took.size(), dscp, evidence.config().dscp_of(dscp).weight.value(),
                    worst->first.first.first, in_time(took), in_time(equal),
                    cause(evidence, worst->second, dscp, took - equal)),
        {{"p99_us", took / 1e6}, {"equal_p99_us", equal / 1e6}, {"dscp", dscp}}};
  }

  /// True if at least some of the messages stay in the hold that their first mark begins.
  static bool hold(const DccParameters& dcc, const Messages& of, double weight) {
    if (dcc.first_cut.numerator == 0) return false;
    if (dcc.hold_below == DccParameters::kAllHold) return true;
    if (dcc.hold_below) return weight < dcc.hold_below->value();
    return weight < 2 * of.lightest || of.longest > DccParameters::kOvertakesLater || of.in_pieces;
  }

  /// Names the likely cause. `late`: the time by which the messages took longer, in picoseconds.
  static std::string cause(const Evidence& evidence, const Messages& of, unsigned dscp,
                           double late) {
    const PlatformConfig& config = evidence.config();
    const auto& dcc = *config.congestion_control_of(of.sender).chosen<DccParameters>();
    if (of.queue != nullptr) {
      const auto bytes = static_cast<Bytes>(std::llround(of.queue->mean_bytes));
      const double wait = static_cast<double>(serialization_time(bytes, of.link->rate).count);
      // Before its first mark a window limits a message, so it waits for the queue several times.
      if (3 * wait > late) {
        return fmt::format(
            "{} wait before the link on average, and a message waits as long in each of its round "
            "trips, whatever its weight (a smaller switch.ecn.kmin)",
            readable(bytes));
      }
    }
    if (hold(dcc, of, config.dscp_of(dscp).weight.value())) {
      return "from its first mark on a message holds until the queue is drained, which other flows "
             "fill (nic.congestion_control.hold_below)";
    }
    if (evidence.results()->counters.of(&PfcCounters::pauses_sent) > 0) {
      return "PFC paused the senders, all flows alike (switch.buffer)";
    }
    return "flows without a mark keep the link meanwhile (switch.ecn, or a switch priority)";
  }
};

const RegisteredDiagnosis<HeavyMessagesLate> kHeavyMessagesLate{
    "heavy_messages_late",
    "Messages of a heavier class took longer than with equal shares of their link",
    "Set `hold_below`, a smaller `switch.ecn.kmin`, or a switch priority; the text names the "
    "cause"};

}  // namespace
}  // namespace dcc::vp
