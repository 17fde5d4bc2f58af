// Diagnosis `idle_link`: a flow has data to send all the time, and no link on its path is full.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "controller/dcc.h"
#include "describe/quantity_text.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "diagnose/weights/late_marks.h"
#include "measure/metrics.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

double gbps(double bits_per_second) { return bits_per_second / 1e9; }

/// The use of hosts' links by short flows, which are active only in a part of the window.
class ShortFlows {
 public:
  /// A flow counts as short if it has data for less than the share `all_the_time` of the window.
  ShortFlows(const PlatformConfig& config, const RunResults& results, const FlowFigures& figures,
             double all_the_time)
      : window_(static_cast<double>((results.measured_to - results.measured_from).count)) {
    // The smallest MTU of the configuration is used: the smaller a packet, the greater the share
    // of its headers.
    const std::uint32_t mtu = config.smallest_mtu();
    const Bytes packet = roce::data_wire_bytes(mtu, true, true);
    wire_ps_per_payload_bit_ = 1e12 * static_cast<double>(packet) / static_cast<double>(mtu);
    double all = 0, of_short = 0;
    for (const FlowResult& flow : results.flows) {
      const auto bytes = static_cast<double>(flow.delivered_measured);
      all += bytes;
      if (static_cast<double>(figures(flow).active.count) >= all_the_time * window_) continue;
      of_short += bytes;
      sent_[sending_end(flow)] += bytes;
      received_[receiving_end(flow)] += bytes;
    }
    share_ = all > 0 ? of_short / all : 0;
  }
  /// Share of the window for which short flows keep a link at one of the flow's ends busy.
  double use_of_link_from(const FlowResult& flow, const LinkResult& up) const {
    return use(sent_, sending_end(flow), up);
  }
  double use_of_link_to(const FlowResult& flow, const LinkResult& down) const {
    return use(received_, receiving_end(flow), down);
  }
  /// Share of the whole payload that belongs to short flows.
  double share() const { return share_; }

 private:
  double use(const std::map<FlowEnd, double>& bytes, const FlowEnd& end,
             const LinkResult& link) const {
    const auto found = bytes.find(end);
    if (found == bytes.end()) return 0;
    return found->second * 8 * wire_ps_per_payload_bit_ /
           static_cast<double>(link.rate.bits_per_second) / window_;
  }
  double window_;
  double wire_ps_per_payload_bit_ = 0;
  double share_ = 0;
  std::map<FlowEnd, double> sent_, received_;
};

class IdleLink final : public Diagnosis {
  // Least use of a full link, which defaults aim at: HPCC and HULL leave 5 % free on purpose, and
  // preamble and gap count as use. In max-min fairness each flow crosses a full link.
  static constexpr double kUsed = 0.9;
  // Least use of a full link in a network of several switches, where a flow may cross several full
  // links and gets the marks of all.
  static constexpr double kUsedInFabric = 0.8;
  // A flow counts as always active if it has data for this share of the window.
  static constexpr double kAllTheTime = 0.9;
  // Number of round trips within which a flow may still search for its rate.
  static constexpr int kRoundTrips = 20;

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PlatformConfig& config = evidence.config();
    const PicoSeconds window = results.measured_to - results.measured_from;
    if (window < round_trip_bound(evidence) * kRoundTrips) return std::nullopt;
    // If a fault changes a link, the configured rate of the link is not the rate that it could
    // carry, so the link is not judged.
    for (const FaultParameters& fault : config.faults) {
      if (fault.is_noticed() || fault.kind == FaultKind::kLinkDown) return std::nullopt;
    }
    const LinkUse use(evidence);
    const FlowFigures figures(config, results);
    const std::set<HostId> busy_memories = hosts_with_busy_memory(config, results, window);
    const ShortFlows short_flows(config, results, figures, kAllTheTime);
    struct Worst {
      const LinkResult* link = nullptr;
      double use = 1;
      // parameters of the flow's controller; set if the policy is proportional
      const DccParameters* by_weight = nullptr;
      const LinkResult* pausable = nullptr;
    } worst;
    std::size_t flows = 0;
    for (const FlowResult& flow : results.flows) {
      if (!flow.begun) continue;
      const auto here = static_cast<double>(figures(flow).active.count);
      if (here < kAllTheTime * static_cast<double>(window.count)) continue;
      const LinkResult* const up = use.from_sender(flow);
      const LinkResult* const down = use.to_receiver(flow);
      if (up == nullptr || down == nullptr) continue;
      // A flow that waits at one link for flows that come and go leaves the other link idle in the
      // meantime. So the mean use of either link may be low although one of the two links is always
      // full.
      double busiest = std::max(use.of(*up) + short_flows.use_of_link_to(flow, *down),
                                use.of(*down) + short_flows.use_of_link_from(flow, *up));
      if (!use.are_neighbours(flow)) {
        busiest = std::max(busiest + short_flows.share() * use.of_fabric(), use.of_fabric());
      }
      const DccParameters* const by_weight = proportional(config, flow);
      if (busiest >= (use.are_neighbours(flow) ? kUsed : kUsedInFabric)) continue;
      if (is_at_its_limit(config, flow, window, std::min(up->rate, down->rate))) continue;
      if (busy_memories.count(flow.from) + busy_memories.count(flow.to) != 0) continue;
      ++flows;
      // The slower of the flow's two host links limits the flow; of equally fast links, the link
      // with more flows.
      const bool of_receiver =
          down->rate < up->rate || (down->rate == up->rate && use.of(*down) >= use.of(*up));
      const LinkResult* const link = of_receiver ? down : up;
      if (use.of(*link) < worst.use) worst = {link, use.of(*link), by_weight, up};
    }
    if (worst.link == nullptr) return std::nullopt;
    std::string text = fmt::format(
        "Link {} ({}) was busy for {:.1f} % of the window only, although data waited for it all "
        "the time: no link was full on the way of {} flow{}",
        worst.link->name, readable(worst.link->rate), 100 * worst.use, flows,
        flows == 1 ? "" : "s");
    text += cause(evidence, *worst.link, worst.by_weight, *worst.pausable, window);
    return Observation{text,
                       {{"link", worst.link->name},
                        {"utilisation", worst.use},
                        {"rate_gbps", gbps(static_cast<double>(worst.link->rate.bits_per_second))},
                        {"flows", flows}}};
  }

  /// True if `bytes` of payload in the window reach a rate limit in wire bits per second.
  static bool reaches(Bytes bytes, PicoSeconds window, BitRate limit) {
    const double got = static_cast<double>(bytes) * 8e12 / static_cast<double>(window.count);
    return got >= 0.7 * static_cast<double>(limit.bits_per_second);
  }

  /// True if the flow reached a rate limit that the user set for the flow or its class.
  static bool is_at_its_limit(const PlatformConfig& config, const FlowResult& flow,
                              PicoSeconds window, BitRate line) {
    BitRate limit = line;
    if (flow.rate_cap.bits_per_second != 0) limit = std::min(limit, flow.rate_cap);
    const DscpConfig& dscp = config.dscp_of(flow.dscp);
    if (dscp.max_rate) limit = std::min(limit, *dscp.max_rate);
    return limit < line && reaches(flow.delivered_measured, window, limit);
  }

  /// Hosts whose memory is always busy in one direction with the DMA transfers of all their flows.
  static std::set<HostId> hosts_with_busy_memory(const PlatformConfig& config,
                                                 const RunResults& results, PicoSeconds window) {
    std::set<HostId> busy;
    if (!config.nic.real_payload()) return busy;
    std::map<HostId, Bytes> read, written;
    for (const FlowResult& flow : results.flows) {
      read[sender_of(flow)] += flow.delivered_measured;
      written[receiver_of(flow)] += flow.delivered_measured;
    }
    for (const auto* const direction : {&read, &written}) {
      for (const auto& [host, bytes] : *direction) {
        if (reaches(bytes, window, config.dma_of(host).rate)) busy.insert(host);
      }
    }
    return busy;
  }

  /// The parameters of the controller of the flow's sender if its policy shares by weight; else
  /// null.
  static const DccParameters* proportional(const PlatformConfig& config, const FlowResult& flow) {
    const auto* const dcc = config.congestion_control_of(sender_of(flow)).chosen<DccParameters>();
    return dcc != nullptr && dcc->shares_by_weight() ? dcc : nullptr;
  }

  /// Returns why flows of the proportional policy leave `link` idle although nothing pauses them.
  static std::string cause_by_weight(const Evidence& evidence, const LinkResult& link,
                                     const DccParameters& dcc) {
    const RunResults& results = *evidence.results();
    const EcnParameters& ecn = evidence.config().switch_.ecn;
    const auto packets = static_cast<double>(full_packets_delivered(evidence));
    const double part = static_cast<double>(results.counters.of(&SwitchCounters::ecn_marks)) /
                        std::max(1.0, packets);
    // Two flows of weight 1 at rest have marks on 3 % of their packets.
    if (part < 0.01) {
      return fmt::format(
          "; {:.2g} % of the packets were marked, so the rates still rise after the start-up "
          "(measure.from, or a smaller switch.ecn.kmin)",
          100 * part);
    }
    if (std::string late = late_marks(evidence, dcc, link.rate); !late.empty()) return "; " + late;
    // Rates swing by a share of the bytes under way; a queue that is short against them runs empty.
    if (const std::optional<double> age = age_of_marks(evidence, link.rate)) {
      const bool with_queue = ecn.mark_at != EcnParameters::MarkAt::kDequeue;
      const double trip = *age - (with_queue ? longest_queue(results, link.rate) : 0);
      const double under_way = trip * static_cast<double>(link.rate.bits_per_second) / 8;
      if (static_cast<double>(ecn.kmax) < under_way) {
        return fmt::format(
            "; rates swing, and {} are under way in a round trip, more than switch.ecn.kmax ({}) "
            "lets wait (a greater kmax, or a greater nic.congestion_control.finer_steps)",
            text_of(static_cast<Bytes>(std::llround(under_way / 1000)) * 1000), text_of(ecn.kmax));
      }
    }
    if (part > ecn.pmax.value()) {
      return fmt::format(
          "; {:.2g} % of the packets were marked and switch.ecn.pmax is {:.2g} %, so the queue "
          "swings over kmax, where every packet is marked (a greater pmax)",
          100 * part, 100 * ecn.pmax.value());
    }
    return "";
  }

  static std::string cause(const Evidence& evidence, const LinkResult& link,
                           const DccParameters* by_weight, const LinkResult& up,
                           PicoSeconds window) {
    const RunResults& results = *evidence.results();
    const auto counted = [&](auto counter) { return results.counters.of(counter); };
    const auto paused = static_cast<double>(up.pause.count) / static_cast<double>(window.count);
    if (paused > 0.2) {
      return fmt::format("; PFC paused {} for {:.1f} % of the window", up.name, 100 * paused);
    }
    if (const auto timeouts = counted(&NicCounters::timeouts); timeouts > 0) {
      return fmt::format("; senders waited for {} retransmission timeouts", timeouts);
    }
    if (by_weight != nullptr) {
      if (std::string found = cause_by_weight(evidence, link, *by_weight); !found.empty()) {
        return found;
      }
    }
    if (const auto cuts = counted(&AlgorithmCounters::rate_decreases); cuts > 0) {
      return fmt::format(
          "; congestion control cut rates {} times and raised them {} times: its "
          "parameters may be those of another speed (nic.congestion_control)",
          cuts, counted(&AlgorithmCounters::rate_increases));
    }
    return "; the flows were limited by a window, the size of messages or their host's software";
  }
};

const RegisteredDiagnosis<IdleLink> kIdleLink{
    "idle_link",
    "Flows had data to send all through the window, and no link on their way was 90 % busy (over "
    "several switches: 80 %)",
    "Give congestion control parameters for this speed (`dccvp params --match "
    "nic.congestion_control`), a larger window, or begin `measure.from` after the start-up"};

}  // namespace
}  // namespace dcc::vp
