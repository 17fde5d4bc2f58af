#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "config/controller_hosts.h"
#include "config/follow_network.h"
#include "config/port_weights.h"
#include "controller/dcc.h"
#include "controller/law/proportional.h"

namespace dcc::vp {

namespace {
/// Least increase_timer with `switch.ecn.draw: packet`. While queues oscillate, two congested ports
/// of a path alternate in having the greater marking probability, so a flow gets the marks of both
/// ports. A longer interval has smaller cuts and increases (step_halvings), and the returning part
/// of a cut, which damps the queues, lasts longer. The value 168 us is twelve times the preset's
/// interval, found by trial (models/core/controller/law/README.md, "Several bottlenecks").
constexpr PicoSeconds kIntervalOfNestedMarks = kMicroSecond * 168;

/// Share of packets that must be marked at rest if the flows at a port have a sum of weights of
/// about ten. With a smaller sum the queue at rest is shorter than assumed; with a greater sum the
/// queue is at most Kmax.
constexpr double kMarksAtRest = 0.15;

/// Link rate for which the configuration states kmin and kmax.
BitRate rate_of_thresholds(const PlatformConfig& config) {
  return config.switch_.ecn.reference_rate.value_or(config.topology.slowest_link());
}

/// Returns the length of the queue at which the switch marks the share kMarksAtRest of the packets;
/// Kmax if the switch marks a smaller share of packets at all lengths up to Kmax.
Bytes queue_at_rest(const EcnParameters& ecn) {
  const double part = std::min(1.0, kMarksAtRest / std::max(1e-9, ecn.pmax.value()));
  return ecn.kmin +
         static_cast<Bytes>(std::llround(static_cast<double>(ecn.kmax - ecn.kmin) * part));
}

/// Time from the sending of a packet to the arrival of its mark at the sender: the longest base
/// round trip, plus the time of the queue at rest if marking is at enqueue, because the mark is set
/// before that queue has left.
PicoSeconds feedback_delay(const PlatformConfig& config, LongestPath& path) {
  const EcnParameters& ecn = config.switch_.ecn;
  const PicoSeconds trip = path.base_rtt();
  if (ecn.mark_at != EcnParameters::MarkAt::kEnqueue) return trip;
  return trip + serialization_time(queue_at_rest(ecn), rate_of_thresholds(config));
}

/// Number of times that the steps of the law are halved because of the thresholds, found by trial
/// (python/tool.py weight-map). Rates swing by a part of the bytes under way that grows with the
/// steps, and a queue far below that part runs empty in each swing. So the steps are halved once if
/// the queue holds up to half of the bytes under way in a base round trip, and twice if it holds up
/// to an eighth. If the ramp ends below the share of marks that the flows need, the queue stays at
/// Kmax, and its packets are all marked or not marked at all: then the steps are halved once if
/// such marks wait in that queue.
unsigned halvings_of_thresholds(const PlatformConfig& config, LongestPath& path) {
  const EcnParameters& ecn = config.switch_.ecn;
  const double under_way = static_cast<double>(rate_of_thresholds(config).bits_per_second) / 8 *
                           to_seconds(path.base_rtt());
  const auto kmax = static_cast<double>(ecn.kmax);
  if (kmax < under_way / 8) return 2;
  const bool all_or_none =
      ecn.mark_at == EcnParameters::MarkAt::kEnqueue && ecn.pmax.value() < kMarksAtRest;
  return kmax < under_way / 2 || all_or_none ? 1 : 0;
}

/// Copies the parameters that Law::follow_distance sets, from one configuration to another.
void take_distance(const DccParameters& from, DccParameters& to) {
  to.increase_timer = from.increase_timer;
  to.r_hai = from.r_hai;
  to.first_cut = from.first_cut;
  to.brisk = from.brisk;
  to.initial_window = from.initial_window;
}

bool shares_by_weight(const DccParameters& dcc) { return dcc.shares_by_weight(); }
bool follows_weights(const DccParameters& dcc) { return dcc.rules().follows_weights(); }

/// Sets the increase step of policies without a law by the weights that share a port. A change
/// during the run leaves the step as it was at the beginning.
void follow_weights(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning) {
  PlatformConfig& config = loaded.config;
  std::optional<std::uint64_t> weight;  // calculated for the first choice that asks for it
  const auto follow = [&](AlgorithmChoice& choice, const AlgorithmChoice& at_beginning,
                          const std::string& section) {
    const auto* const dcc = choice.chosen<DccParameters>();
    const std::string key = section + ".r_ai";
    if (dcc == nullptr || !follows_weights(*dcc) || beginning.places.count(key) != 0) return;
    auto& to = choice.of<DccParameters>("dcc");
    const BitRate before = to.r_ai;
    if (&loaded != &beginning) {
      const auto* const first = at_beginning.chosen<DccParameters>();
      if (first != nullptr) to.r_ai = first->r_ai;
    } else {
      if (!weight) weight = greatest_weight_of_a_port(config, follows_weights);
      to.rules().follow_weights(to, measured_network(config, path), *weight);
    }
    if (to.r_ai.bits_per_second != before.bits_per_second) {
      config.followed[key] =
          "policy " + to.policy +
          ", by the slowest link, the longest base RTT and the weights of a port";
    }
  };
  follow(config.nic.congestion_control, beginning.config.nic.congestion_control,
         "nic.congestion_control");
  for (std::size_t i = 0; i < config.nics.size(); ++i) {
    follow(config.nics[i].congestion_control, beginning.config.nics[i].congestion_control,
           "nics." + std::to_string(i) + ".congestion_control");
  }
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
  if (nested) {
    if (none_given({"r_hai"})) {  // r_hai becomes the rate of one packet in an increase interval
      to.r_hai =
          BitRate(to.r_hai.bits_per_second * static_cast<std::uint64_t>(to.increase_timer.count) /
                  static_cast<std::uint64_t>(kIntervalOfNestedMarks.count));
    }
    to.increase_timer = kIntervalOfNestedMarks;
  }
  // Keeps a value that a change during the run sets; it overrides the rule.
  const auto keep = [&](const char* key, auto member) {
    if (in(loaded, key)) to.*member = read.*member;
  };
  keep("increase_timer", &DccParameters::increase_timer);
  // The step is chosen for the interval in force: DccParameters::registers halves the cut of a mark
  // as often.
  if (dcc->shares_by_weight() && none_given({"r_ai", "finer_steps"})) {
    to.finer_steps = halvings_of_thresholds(config, path);
  }
  if (none_given({"r_ai"}) && dcc->shares_by_weight()) {
    to.r_ai =
        BitRate(to.r_ai.bits_per_second >> (step_halvings(to.increase_timer) + to.finer_steps));
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
  note("finer_steps", read.finer_steps != to.finer_steps);
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
  if (&loaded != &beginning) {
    config.port_weight = beginning.config.port_weight;
  } else if (config.switch_.ecn.draw == EcnParameters::Draw::kPacket &&
             any_host_shares_by_weight(config)) {
    config.port_weight = greatest_weight_of_a_port(config, shares_by_weight);
  }
  follow_weights(loaded, path, beginning);
  follow_choice(loaded, path, beginning, config.nic.congestion_control,
                beginning.config.nic.congestion_control, "nic.congestion_control");
  for (std::size_t i = 0; i < config.nics.size(); ++i) {
    follow_choice(loaded, path, beginning, config.nics[i].congestion_control,
                  beginning.config.nics[i].congestion_control,
                  "nics." + std::to_string(i) + ".congestion_control");
  }
}

}  // namespace dcc::vp
