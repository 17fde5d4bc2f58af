#include "schemes/allegro/allegro.h"

#include <algorithm>

#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<AllegroParameters> kAllegro{
    "allegro", "a rate moved by randomized trials that weigh goodput against loss (PCC)",
    kMakesAlgorithm<Allegro, &AlgorithmContext::mtu, &AlgorithmContext::seed,
                    &AlgorithmContext::rank>};

/// e to the power x, with the same result on every machine: the power series of x / 2^k, squared k
/// times.
long double natural_exponential(long double x) {
  unsigned halvings = 0;
  for (; x > 0.5L || x < -0.5L; x /= 2) ++halvings;
  long double term = 1;
  long double sum = 1;
  for (int i = 1; i <= 20; ++i) {
    term *= x / i;
    sum += term;
  }
  return whole_power(sum, std::uint64_t{1} << halvings);
}
}  // namespace

void AllegroParameters::describe(ParameterVisitor& v) {
  const char* const paper = "PCC, NSDI'15";
  v.field("probe", probe, {"1/1000", "1/4"},
          {"epsilon_min: trials begin this share above and below the rate", paper});
  v.field("probe_max", probe_max, {"1/1000", "1/2"},
          {"epsilon_max: trials that disagree widen by probe up to this share", paper});
  v.field("loss_limit", loss_limit, {"0", "1"},
          {"share of lost packets at which goodput has half its worth", paper});
  v.field(
      "steepness", steepness, {"1", "1000"},
      {"alpha of the sigmoid around loss_limit; shares are fair from 2.2 (flows - 1) on", paper});
  describe_limits(v, paper, "rate at which a flow starts; auto: two packets a base RTT");
}

void AllegroParameters::check(Bytes largest_packet) const {
  RateTrialsParameters::check(largest_packet);
  if (to_real(probe_max) < to_real(probe)) {
    throw ParameterError({"probe_max", "probe"}, "probe_max is below probe");
  }
}

Allegro::Allegro(AlgorithmHost& host, const AllegroParameters& parameters, std::uint32_t mtu,
                 std::uint64_t seed, std::uint64_t index)
    : RateTrials(host, parameters, mtu, "allegro", seed, index),
      probe_(to_real(parameters.probe)),
      probe_max_(to_real(parameters.probe_max)),
      loss_limit_(to_real(parameters.loss_limit)),
      steepness_(to_real(parameters.steepness)) {}

void Allegro::release(FlowNumber number) {
  RateTrials::release(number);
  states_.drop(number);
}

long double Allegro::first_rate(const FlowStart& start) const {
  const auto rtt = static_cast<long double>(start.base_rtt.count);
  return rtt <= 0 ? line() : 2 * mtu() * 8e6L / rtt;
}

long double Allegro::utility(long double mbps, long double loss) const {
  return mbps * (1 - loss) / (1 + natural_exponential(steepness_ * (loss - loss_limit_))) -
         mbps * loss;
}

long double Allegro::utility_of(const Interval& interval) const {
  return utility(interval.rate, interval.loss());
}

RateTrials::Plan Allegro::plan(FlowNumber number, long double mbps) {
  State& state = states_[number];
  Plan plan;
  if (state.direction != 0) {
    ++state.steps;
    plan.count = 1;
    plan.rates[0] =
        std::max(least(), mbps * (1 + state.direction * static_cast<int>(state.steps) * probe_));
    return plan;
  }
  const long double epsilon = std::min(probe_max_, state.trials * probe_);
  plan.count = 4;
  for (std::size_t pair = 0; pair < 2; ++pair) {
    state.up_first[pair] = toss();
    const std::size_t up = 2 * pair + (state.up_first[pair] ? 0 : 1);
    const std::size_t down = 2 * pair + (state.up_first[pair] ? 1 : 0);
    plan.rates[up] = mbps * (1 + epsilon);
    plan.rates[down] = mbps * (1 - epsilon);
  }
  return plan;
}

long double Allegro::judge(FlowNumber number, long double mbps,
                           const std::array<Interval, kMostIntervals>& intervals) {
  State& state = states_[number];
  if (state.direction == 0) return judge_trials(state, mbps, intervals);
  const Interval& step = intervals[0];
  const long double reached = step.is_known() ? utility_of(step) : state.utility;
  // Reaching the line rate or r_min ends a sequence of rate steps, like a falling utility.
  const bool goes_on = step.is_known() && reached >= state.utility && step.rate != mbps;
  if (!goes_on) {
    state = State{};
    return mbps;
  }
  state.utility = reached;
  return step.rate;
}

/// A trial interval with fewer than two ACKs gives no utility, because the flow had too little to
/// send.
long double Allegro::judge_trials(State& state, long double mbps,
                                  const std::array<Interval, kMostIntervals>& intervals) const {
  long double highest = 0;
  long double lowest = 0;
  std::array<int, 2> directions{};
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const Interval& up = intervals[2 * pair + (state.up_first[pair] ? 0 : 1)];
    const Interval& down = intervals[2 * pair + (state.up_first[pair] ? 1 : 0)];
    if (!up.is_known() || !down.is_known()) return mbps;
    highest += utility_of(up) / 2;
    lowest += utility_of(down) / 2;
    directions[pair] = utility_of(up) > utility_of(down) ? 1 : -1;
  }
  if (directions[0] != directions[1]) {
    if (state.trials * probe_ < probe_max_) ++state.trials;
    return mbps;
  }
  const long double epsilon = std::min(probe_max_, state.trials * probe_);
  state = State{};
  state.direction = directions[0];
  state.utility = state.direction > 0 ? highest : lowest;
  return mbps * (1 + state.direction * epsilon);
}

}  // namespace dcc
