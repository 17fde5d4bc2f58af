// Diagnosis `timers_late`: the controller's timer events came later than the algorithm assumes.
#include <fmt/format.h>

#include "config/controller_hosts.h"
#include "controller/dcc.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class TimersLate final : public Diagnosis {
  // Share of the increase interval that a delay must reach. A shorter delay of the increase changes
  // rates by less than other properties of the algorithm do: an increase is a step, and steps are
  // at most an interval apart.
  static constexpr int kShareOfInterval = 10;  // one tenth of the interval

  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PlatformConfig& config = evidence.config();
    const DccParameters* dcc = nullptr;  // parameters of the hosts with the most frequent increases
    for (const DccParameters* const one : controllers(config)) {
      if (dcc == nullptr || one->increase_timer < dcc->increase_timer) dcc = one;
    }
    if (dcc == nullptr) return std::nullopt;
    const ControllerConfig& controller = config.nic.controller;
    const HostResult all = sum_over_hosts(results.hosts);
    const auto in_use = static_cast<std::uint32_t>(all.slots_in_use_max);
    const Cycle interval = dcc->increase_timer / controller.clock_period();
    if (interval < timing::least_interval(in_use)) {
      return Observation{
          fmt::format("{} slots of a controller were in use at once, whose timer events take {} "
                      "cycles an interval; increase_timer is {}: increases came late (a faster "
                      "clock, a longer timer or fewer slots)",
                      in_use, timing::least_interval(in_use), interval),
          {{"slots", in_use},
           {"interval_cycles", interval},
           {"needed_cycles", timing::least_interval(in_use)}}};
    }
    const PicoSeconds late =
        controller.tick * static_cast<std::int64_t>(all.timer_lateness_max_ticks);
    if (all.missed_latency == 0 || late * kShareOfInterval <= dcc->increase_timer) {
      return std::nullopt;
    }
    return Observation{
        fmt::format("{} timer events of controllers were issued too late for their tick, by up to "
                    "{} of an increase_timer of {}: increases came late (a faster "
                    "nic.controller.clock, or fewer slots)",
                    all.missed_latency, readable(late), readable(dcc->increase_timer)),
        {{"events", all.missed_latency}, {"lateness_s", to_seconds(late)}}};
  }
};

const RegisteredDiagnosis<TimersLate> kTimersLate{
    "timers_late",
    "Timer events of a controller were late by more than a tenth of the increase interval",
    "Raise `nic.controller.clock`, lengthen `increase_timer`, or use fewer slots"};

}  // namespace
}  // namespace dcc::vp
