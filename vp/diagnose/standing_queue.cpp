// Diagnosis `standing_queue`: congestion control runs, and a queue of many bandwidth-delay products
// stands all through the window although no loss ends it.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "measure/metrics.h"
#include "nic/algorithm/registry.h"
#include "switch/switch_parameters.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

class StandingQueue final : public Diagnosis {
  // Limit of the queue's 99th percentile that defaults aim at: a number of bandwidth-delay products
  // (the link's rate times the base RTT), plus full packets. Some packets count for all flows
  // together and some for each flow, since most senders know no window below a packet or two.
  static constexpr double kProducts = 4;
  static constexpr double kPackets = 24, kPacketsOfFlow = 2;
  // Least mean queue, as a share of the limit of the 99th percentile: a shorter one comes and goes.
  static constexpr double kMean = 0.5;
  // Least number of such queues that the port must have sent within the window if all flows end: a
  // burst of flows that send their few packets at once drains and does not stand.
  static constexpr double kSent = 4;
  static constexpr double kAllTheTime = 0.9;  // share of the window in which a flow must have data
  static constexpr int kRoundTrips = 20;

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PicoSeconds window = results.measured_to - results.measured_from;
    // losses have diagnoses and counters of their own
    if (window < round_trip_bound(evidence) * kRoundTrips || results.balance.packets_dropped > 0) {
      return std::nullopt;
    }
    const Controlled flows = controlled_flows(evidence);
    if (flows.count == 0) return std::nullopt;
    const PicoSeconds round_trip =
        flows.are_neighbours ? round_trip_of_neighbours(evidence) : round_trip_bound(evidence);
    const Bytes packet = roce::data_wire_bytes(evidence.config().largest_mtu(), true, true);
    const double packets = static_cast<double>(packet) *
                           (kPackets + kPacketsOfFlow * static_cast<double>(flows.count));
    // results of links by the link's name
    std::unordered_map<std::string_view, const LinkResult*> links;
    for (const LinkResult& link : results.links) links.emplace(link.name, &link);
    const QueueResult* longest = nullptr;
    double products = 0;
    for (const QueueResult& queue : results.queues) {
      const auto link = links.find(queue.port);
      if (link == links.end() || queue.mean_bytes <= flows.wanted) continue;
      const auto sent = static_cast<double>(link->second->tx_bytes);
      if (flows.end && sent < kSent * queue.mean_bytes) continue;
      const double product =
          static_cast<double>(link->second->rate.bits_per_second) / 8 * to_seconds(round_trip);
      const double most = std::max(kProducts * product, packets);
      if (static_cast<double>(queue.p99_bytes) <= most || queue.mean_bytes <= kMean * most ||
          queue.mean_bytes <= products * product) {
        continue;
      }
      longest = &queue;
      products = queue.mean_bytes / product;
    }
    if (longest == nullptr) return std::nullopt;
    const auto pauses = results.counters.of(&PfcCounters::pauses_sent);
    return Observation{
        fmt::format("{} waited at {} on average within the window, more than {:.3g} products of "
                    "its rate and the round trip, and {}: algorithm {} does not shorten this queue",
                    readable(static_cast<Bytes>(longest->mean_bytes)), longest->port, products,
                    pauses == 0 ? "nothing was lost or paused"
                                : fmt::format("PFC paused senders {} times", pauses),
                    flows.algorithm),
        {{"mean_bytes", longest->mean_bytes}, {"products", products}, {"at", longest->port}}};
  }

  /// Length in bytes of a queue from which on every packet is marked if an algorithm reads marks,
  /// because the thresholds then ask for a queue of that length. 0 if no algorithm reads marks.
  static double wanted_length(const PlatformConfig& config, const AlgorithmChoice& algorithm) {
    const AlgorithmNeeds needs = algorithm.needs(config.nic.mtu);
    SwitchParameters asked = config.switch_;
    algorithm.chosen()->ask_switch(asked);
    const bool by_queue = asked.ecn.enabled && asked.ecn.phantom_drain.numerator == 0;
    return (needs.cnp || needs.marks) && by_queue ? static_cast<double>(asked.ecn.kmax) : 0;
  }

  /// RoCE flows that have data all through the window under a congestion-control algorithm.
  struct Controlled {
    std::size_t count = 0;
    std::string algorithm;       // algorithm of the first of these flows
    double wanted = 0;           // greatest wanted_length() of the flows' algorithms in bytes
    bool are_neighbours = true;  // true if the two ends of each flow are at one switch
    bool end = true;             // true if each flow has sent all its data by the end of the run
  };
  static Controlled controlled_flows(const Evidence& evidence) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const FlowFigures figures(config, results);
    const LinkUse use(evidence);
    const auto window = static_cast<double>((results.measured_to - results.measured_from).count);
    Controlled found;
    const AlgorithmChoice* last = nullptr;
    for (const FlowResult& flow : results.flows) {
      const HostId sender = sender_of(flow);
      const AlgorithmChoice& algorithm = config.congestion_control_of(sender);
      if (!flow.begun || config.transport_of(sender).chosen() != nullptr ||
          algorithm.chosen() == nullptr ||
          static_cast<double>(figures(flow).active.count) < kAllTheTime * window) {
        continue;
      }
      found.are_neighbours = found.are_neighbours && use.are_neighbours(flow);
      found.end = found.end && flow.completed;
      if (found.count++ == 0) found.algorithm = algorithm.name();
      if (&algorithm == last) continue;
      last = &algorithm;
      found.wanted = std::max(found.wanted, wanted_length(config, algorithm));
    }
    return found;
  }
};

const RegisteredDiagnosis<StandingQueue> kStandingQueue{
    "standing_queue",
    "Congestion control left a queue whose 99th percentile is above four bandwidth-delay products, "
    "and no loss ended it",
    "Take an algorithm that reacts to delay or marks, a smaller `nic.window`, or, for one that "
    "reacts to loss only, a smaller `switch.buffer`"};

}  // namespace
}  // namespace dcc::vp
