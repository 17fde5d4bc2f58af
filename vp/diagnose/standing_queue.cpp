// Diagnosis `standing_queue`: congestion control runs, and a queue of many bandwidth-delay products
// stands all through the window although no loss or pause ends it.
#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "measure/metrics.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

class StandingQueue final : public Diagnosis {
  // Least mean queue in products of the link's rate and round_trip_bound(), which is two to three
  // times the base RTT: above the four products that the defaults aim at.
  static constexpr double kProducts = 2;
  // Least mean queue in full packets of each flow; a window of a few packets is the least that most
  // senders know.
  static constexpr double kPackets = 4;
  // least mean queue in multiples of the length from which on every packet is marked
  static constexpr double kMarked = 2;
  // Least number of such queues that the port must have sent within the window: a burst of flows
  // that send their few packets at once drains and does not stand.
  static constexpr double kSent = 4;
  static constexpr double kAllTheTime = 0.9;  // share of the window in which a flow must have data
  static constexpr int kRoundTrips = 20;

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence) const override {
    const RunResults& results = *evidence.results();
    const PicoSeconds window = results.measured_to - results.measured_from;
    const PicoSeconds round_trip = round_trip_bound(evidence);
    // losses and pauses have diagnoses and counters of their own
    if (window < round_trip * kRoundTrips || results.balance.packets_dropped > 0 ||
        results.counters.of(&PfcCounters::pauses_sent) > 0) {
      return std::nullopt;
    }
    const auto [flows, algorithm] = controlled_flows(evidence);
    if (flows == 0) return std::nullopt;
    const Bytes packet = roce::data_wire_bytes(evidence.config().largest_mtu(), true, true);
    const double least = kPackets * static_cast<double>(packet) * static_cast<double>(flows);
    const EcnParameters& ecn = evidence.config().switch_.ecn;
    std::unordered_map<std::string_view, const LinkResult*> links;  // by name
    for (const LinkResult& link : results.links) links.emplace(link.name, &link);
    const QueueResult* longest = nullptr;
    double products = kProducts;
    for (const QueueResult& queue : results.queues) {
      const auto link = links.find(queue.port);
      if (link == links.end() || queue.mean_bytes <= least ||
          static_cast<double>(link->second->tx_bytes) < kSent * queue.mean_bytes) {
        continue;
      }
      // a queue of the length at which the user's thresholds mark is what the user asked for
      if (ecn.enabled && queue.mean_bytes <= kMarked * static_cast<double>(ecn.kmax)) continue;
      const double product =
          static_cast<double>(link->second->rate.bits_per_second) / 8 * to_seconds(round_trip);
      if (queue.mean_bytes <= products * product) continue;
      longest = &queue;
      products = queue.mean_bytes / product;
    }
    if (longest == nullptr) return std::nullopt;
    return Observation{
        fmt::format("{} waited at {} on average within the window, more than {:.3g} products of "
                    "its rate and the round trip, and nothing was lost or paused: "
                    "algorithm {} does not shorten this queue",
                    readable(static_cast<Bytes>(longest->mean_bytes)), longest->port, products,
                    algorithm),
        {{"mean_bytes", longest->mean_bytes}, {"products", products}, {"at", longest->port}}};
  }

  /// Number of RoCE flows that have data all through the window under an algorithm other than
  /// `none`, and the name of the first one's algorithm.
  static std::pair<std::size_t, std::string> controlled_flows(const Evidence& evidence) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    const FlowFigures figures(config, results);
    const auto window = static_cast<double>((results.measured_to - results.measured_from).count);
    std::pair<std::size_t, std::string> found;
    for (const FlowResult& flow : results.flows) {
      const HostId sender = sender_of(flow);
      if (!flow.begun || config.transport_of(sender).chosen() != nullptr ||
          config.congestion_control_of(sender).chosen() == nullptr ||
          static_cast<double>(figures(flow).active.count) < kAllTheTime * window) {
        continue;
      }
      if (found.first++ == 0) found.second = config.congestion_control_of(sender).name();
    }
    return found;
  }
};

const RegisteredDiagnosis<StandingQueue> kStandingQueue{
    "standing_queue",
    "Congestion control left a queue of many bandwidth-delay products, and no loss or pause "
    "ended it",
    "Take an algorithm that reacts to delay or marks, a smaller `nic.window`, or, for one that "
    "reacts to loss only, a smaller `switch.buffer`"};

}  // namespace
}  // namespace dcc::vp
