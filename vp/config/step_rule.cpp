#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "config/follow_network.h"
#include "controller/dcc.h"
#include "controller/law/proportional.h"

namespace dcc::vp {

namespace {
/// Least increase_timer with `switch.ecn.draw: packet`. While queues oscillate, two congested ports
/// of a path alternate in having the greater marking probability, so a flow gets the marks of both.
/// A longer interval has smaller cuts and increases (step_halvings), so queues oscillate less. 84
/// us is six times the preset's interval, found by trial (docs/differentiation.md, "Several
/// bottlenecks").
constexpr PicoSeconds kIntervalOfNestedMarks = kMicroSecond * 84;

/// Time from the sending of a packet to the arrival of its mark at the sender: the longest base
/// round trip, plus Kmin over the rate if marking is at enqueue, because the mark is set before the
/// queue of Kmin has left.
PicoSeconds feedback_delay(const PlatformConfig& config, LongestPath& path) {
  const EcnParameters& ecn = config.switch_.ecn;
  const PicoSeconds trip = path.base_rtt();
  if (ecn.mark_at != EcnParameters::MarkAt::kEnqueue) return trip;
  const BitRate rate = ecn.reference_rate.value_or(config.topology.slowest_link());
  return trip + serialization_time(ecn.kmin, rate);
}

/// Copies the parameters that Law::follow_distance sets.
void take_distance(const DccParameters& from, DccParameters& to) {
  to.increase_timer = from.increase_timer;
  to.r_hai = from.r_hai;
  to.first_cut = from.first_cut;
  to.brisk = from.brisk;
  to.initial_window = from.initial_window;
}
/// Applies the step rule to one algorithm choice at `path`, which is in `nic` or in an entry of
/// `nics`.
void follow_choice(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning,
                   AlgorithmChoice& choice, const AlgorithmChoice& at_beginning,
                   const std::string& section) {
  PlatformConfig& config = loaded.config;
  const auto* const dcc = choice.chosen<DccParameters>();
  if (dcc == nullptr || dcc->rules().law() == nullptr) return;
  auto& to = choice.of<DccParameters>("dcc");
  const auto in = [&](const LoadedConfig& config_of, const char* key) {
    return config_of.places.count(section + "." + key) != 0;
  };
  const auto none_given = [&](std::initializer_list<const char*> keys) {
    return std::none_of(keys.begin(), keys.end(),
                        [&](const char* key) { return in(beginning, key); });
  };
  const DccParameters read = to;
  const Law& law = *dcc->rules().law();
  if (none_given({"r_ai", "g", "reference_rate"}))
    law.follow_rate(to, config.topology.slowest_link());
  if (none_given({"increase_timer", "first_cut", "brisk", "free_window"})) {
    const auto* const first = at_beginning.chosen<DccParameters>();
    if (&loaded == &beginning || first == nullptr) {
      law.follow_distance(to, feedback_delay(config, path));
    } else {
      take_distance(*first, to);
    }
  }
  const EcnParameters::Draw draw = beginning.config.switch_.ecn.draw;
  const bool nested = draw == EcnParameters::Draw::kPacket && dcc->shares_by_weight() &&
                      to.increase_timer < kIntervalOfNestedMarks && none_given({"increase_timer"});
  if (nested) to.increase_timer = kIntervalOfNestedMarks;
  // Keeps a value that a change during the run sets; it overrides the rule.
  const auto keep = [&](const char* key, auto member) {
    if (in(loaded, key)) to.*member = read.*member;
  };
  keep("increase_timer", &DccParameters::increase_timer);
  // The step is chosen for the interval in force: DccParameters::registers halves the cut of a mark
  // as often.
  if (none_given({"r_ai"}) && dcc->shares_by_weight()) {
    to.r_ai = BitRate(to.r_ai.bits_per_second >> step_halvings(to.increase_timer));
  }
  const auto note = [&](const char* key, bool moved) {
    const std::string at = section + "." + key;
    if (moved && loaded.places.count(at) == 0) {
      config.followed[at] =
          nested && std::string_view(key) == "increase_timer"
              ? "policy proportional, by switch.ecn.draw packet"
              : "policy proportional, by the slowest link and the longest base RTT";
    }
  };
  note("r_ai", read.r_ai.bits_per_second != to.r_ai.bits_per_second);
  note("g", read.g != to.g);
  note("increase_timer", read.increase_timer != to.increase_timer);
  note("r_hai", read.r_hai.bits_per_second != to.r_hai.bits_per_second);
  note("first_cut", read.first_cut != to.first_cut);
  note("brisk", read.brisk != to.brisk);
  note("free_window", read.initial_window != to.initial_window);
  keep("r_ai", &DccParameters::r_ai);
  keep("g", &DccParameters::g);
  keep("r_hai", &DccParameters::r_hai);
  keep("first_cut", &DccParameters::first_cut);
  keep("brisk", &DccParameters::brisk);
}
}  // namespace

void follow_step_rule(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning) {
  PlatformConfig& config = loaded.config;
  follow_choice(loaded, path, beginning, config.nic.congestion_control,
                beginning.config.nic.congestion_control, "nic.congestion_control");
  for (std::size_t i = 0; i < config.nics.size(); ++i) {
    follow_choice(loaded, path, beginning, config.nics[i].congestion_control,
                  beginning.config.nics[i].congestion_control,
                  "nics." + std::to_string(i) + ".congestion_control");
  }
}

}  // namespace dcc::vp
