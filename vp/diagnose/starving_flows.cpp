// Diagnosis `starving_flows`: flows have data to send and make no progress.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

class StarvingFlows final : public Diagnosis {
  // A flow starves if it has made no progress for the longest of the times below.
  static constexpr int kShareOfLife = 4;  // a quarter of the flow's time until the end of the run
  // number of round trips within which a sender reacts to any event in the network
  static constexpr int kRoundTrips = 20;
  static constexpr int kTurns =
      20;  // packets that each competitor may send meanwhile: 1 in 20 of a fair share
  // number of retransmission timeouts; a lost packet costs one timeout
  static constexpr int kTimeouts = 2;

  bool needs_flows() const override { return true; }
  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PlatformConfig& config = evidence.config();
    const auto hosts = static_cast<std::size_t>(evidence.topology().hosts());
    // number of unfinished flows to and from each host
    std::vector<std::int64_t> to(hosts), from(hosts);
    std::size_t begun = 0, completed = 0;
    for (const FlowResult& flow : results.flows) {
      begun += flow.begun ? 1 : 0;
      completed += flow.completed ? 1 : 0;
      if (!flow.begun || flow.completed) continue;
      ++to[flow.to];
      ++from[flow.from];
    }
    PicoSeconds common = round_trip_bound(evidence) * kRoundTrips;
    const std::vector<const TransportChoice*> transports = config.transports();
    if (std::any_of(transports.begin(), transports.end(),
                    [](const TransportChoice* one) { return one->chosen() == nullptr; })) {
      const auto wait_for = [&common](const RecoveryParameters& recovery) {
        if (!recovery.is_on()) return;
        common = std::max(common, recovery.timeout * kTimeouts);
      };
      wait_for(config.nic.recovery);
      for (const OtherNics& group : config.nics) wait_for(group.recovery);
    }
    const FlowResult* longest = nullptr;
    std::size_t starving = 0;
    for (const FlowResult& flow : results.flows) {
      if (!flow.begun || flow.completed || flow.stopped) continue;
      if (!flow.waiting && !flow.unacknowledged) continue;
      const PicoSeconds silence = results.sim_time - flow.progress;
      const PicoSeconds life = results.sim_time - flow.start;
      const std::int64_t others = std::max(to[flow.to], from[flow.from]);
      if (silence * kShareOfLife < life || silence < common ||
          silence < turn(evidence, flow) * (kTurns * others)) {
        continue;
      }
      ++starving;
      if (longest == nullptr || flow.progress < longest->progress) longest = &flow;
    }
    if (longest == nullptr) return std::nullopt;
    const PicoSeconds silence = results.sim_time - longest->progress;
    std::string text = fmt::format(
        "{} of {} unfinished flows starve ({} of {} begun flows completed): flow {} from host {} "
        "to "
        "host {} made no progress for {}, {} of {} received",
        starving, begun - completed, completed, begun, longest->id, longest->from, longest->to,
        readable(silence), readable(longest->delivered_total),
        longest->bytes ? readable(*longest->bytes) : "unlimited bytes");
    text += cause(evidence, *longest);
    return Observation{text,
                       {{"starving", starving},
                        {"begun", begun},
                        {"completed", completed},
                        {"flow", longest->id},
                        {"silence_s", to_seconds(silence)}}};
  }

  /// Time of one full packet at the slower end of the flow, or at the flow's own rate limit.
  static PicoSeconds turn(const Evidence& evidence, const FlowResult& flow) {
    const Topology& topology = evidence.topology();
    const auto rate_at = [&topology](HostId host, unsigned port) {
      return topology.link(topology.node_of(topology.host_ports().first_port(host) + port), 0).rate;
    };
    BitRate rate = std::min(rate_at(flow.from, flow.from_port), rate_at(flow.to, flow.to_port));
    if (flow.rate_cap.bits_per_second != 0) rate = std::min(rate, flow.rate_cap);
    const std::uint32_t mtu = evidence.config().path_mtu(flow.from, flow.to);
    return serialization_time(roce::data_wire_bytes(mtu, true, true), rate);
  }

  static std::string cause(const Evidence& evidence, const FlowResult& flow) {
    const RunResults& results = *evidence.results();
    const PlatformConfig& config = evidence.config();
    if (!results.deadlock.empty()) return "; PFC has deadlocked";
    if (results.split) return "; a fault has split the network";
    const auto counted = [&](auto counter) { return results.counters.of(counter); };
    const TransportChoice& choice = config.transport_of(flow.from);
    const TransportParameters* const transport = choice.chosen();
    if (transport == nullptr && !config.recovery_of(flow.from).is_on() &&
        results.balance.packets_dropped > 0) {
      return fmt::format(
          "; {} packets were lost and nothing sends them again "
          "(nic.recovery.kind: none)",
          results.balance.packets_dropped);
    }
    const std::uint64_t dropped = counted(&SwitchCounters::dropped);
    const std::uint64_t again = counted(&FlowRecord::retransmits);
    const std::uint64_t timeouts = counted(&NicCounters::timeouts);
    if (dropped + timeouts + again > 0) {
      return fmt::format(
          "; within the window {} packets were dropped, {} sent again, {} timers "
          "ran out{}",
          dropped, again, timeouts, timeouts > 0 && dropped == 0 ? " (nic.recovery.timeout)" : "");
    }
    const LinkUse use(evidence);
    const LinkResult* const down = use.to_receiver(flow);
    if (transport != nullptr && down != nullptr && use.of(*down) > 0.5) {
      return fmt::format(
          "; {} was busy for {:.1f} % of the window: nic.transport.kind: {} serves others first",
          down->name, 100 * use.of(*down), choice.name());
    }
    if (transport != nullptr) {
      return fmt::format("; nic.transport.kind: {} lets them send nothing", choice.name());
    }
    if (config.nic.congestion_control.name() != "none") {
      return fmt::format("; nic.congestion_control.algorithm: {} gives them next to no rate",
                         config.nic.congestion_control.name());
    }
    return "; switches serve others first (switch.scheduler), or a host does not send";
  }
};

const RegisteredDiagnosis<StarvingFlows> kStarvingFlows{
    "starving_flows",
    "Flows with data to send have made no progress for a quarter of their life, twenty round trips "
    "and twenty turns of every competitor",
    "The text names a likely cause; compare another transport or algorithm, a larger buffer, a "
    "longer `nic.recovery.timeout`"};

}  // namespace
}  // namespace dcc::vp
