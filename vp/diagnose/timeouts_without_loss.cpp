// Diagnosis `timeouts_without_loss`: the retransmission timeout is too short for this network,
// because timers expired although the network lost no packet.
#include <fmt/format.h>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"

namespace dcc::vp {
namespace {

class TimeoutsWithoutLoss final : public Diagnosis {
  // One timeout in this number of flows is reported. Fewer timeouts change no quantile up to the
  // 99th, and change rates less than another seed does.
  static constexpr std::uint64_t kOneFlowIn = 100;
  static constexpr std::uint64_t kOnePacketIn = 1000;

  /// True if timers expired for one flow in kOneFlowIn, or one packet in kOnePacketIn was
  /// retransmitted.
  static bool matters(const Evidence& evidence, std::uint64_t timeouts, std::uint64_t again) {
    const std::uint64_t packets = full_packets_delivered(evidence);
    return timeouts * kOneFlowIn >= census_of(*evidence.results()).begun ||
           again * kOnePacketIn >= packets;
  }

  struct Timeout {
    std::string path;  // configuration path of the timeout
    PicoSeconds value = PicoSeconds::max();
  };

  /// Returns the shortest timeout of the hosts that retransmitted packets, or of all sending hosts
  /// if none retransmitted.
  static Timeout shortest_timeout(const Evidence& evidence) {
    const PlatformConfig& config = evidence.config();
    Timeout of_repeating, of_all;
    for (const FlowResult& flow : evidence.results()->flows) {
      if (!flow.begun) continue;
      const PicoSeconds timeout = config.recovery_of(flow.from).timeout;
      const auto keep = [&](Timeout& shortest) {
        if (timeout < shortest.value) shortest = {config.nic_path(flow.from), timeout};
      };
      keep(of_all);
      if (flow.counts.of(&FlowRecord::retransmits) > 0) keep(of_repeating);
    }
    if (of_repeating.path.empty())
      return of_all.path.empty() ? Timeout{"nic", config.nic.recovery.timeout} : of_all;
    return of_repeating;
  }

  Found after(const Evidence& evidence, const RunResults& results) const override {
    const std::uint64_t timeouts = results.counters.of(&NicCounters::timeouts);
    const bool lost = results.balance.packets_dropped > 0 ||
                      results.counters.of(&NicCounters::icrc_errors) > 0 ||
                      (results.wasted && results.wasted->trimmed + results.wasted->returned > 0);
    const std::uint64_t again = results.counters.of(&FlowRecord::retransmits);
    if (timeouts == 0 || lost || !matters(evidence, timeouts, again)) return std::nullopt;
    std::string text = fmt::format(
        "{} retransmission timers ran out although no packet was lost, and {} packets were sent "
        "again for nothing: ",
        timeouts, again);
    std::vector<FindingFigure> figures{{"timeouts", timeouts}, {"retransmits", again}};
    if (results.wasted) {
      text +=
          "the timers of the transport are shorter than its round trips in this network "
          "(nic.transport)";
    } else {
      const auto [path, timeout] = shortest_timeout(evidence);
      text += fmt::format("{}.recovery.timeout is {}", path, readable(timeout));
      if (const auto rtt = quantile_of(results.rtt_ns, 990)) {
        text += fmt::format(", the round trip reaches {} (99th percentile of acknowledged packets)",
                            readable(*rtt));
        figures.push_back({"rtt_p99_s", to_seconds(*rtt)});
      }
      text += "; a longer timeout ends it (RoCE networks use 4 ms to 67 ms)";
      figures.push_back({"timeout_s", to_seconds(timeout)});
    }
    return Observation{text, std::move(figures)};
  }
};

const RegisteredDiagnosis<TimeoutsWithoutLoss> kTimeoutsWithoutLoss{
    "timeouts_without_loss",
    "Retransmission timers ran out within the window although the run lost no packet",
    "Set `nic.recovery.timeout` above the longest round trip, queues and pauses included"};

}  // namespace
}  // namespace dcc::vp
