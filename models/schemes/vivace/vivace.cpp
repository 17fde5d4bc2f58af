#include "schemes/vivace/vivace.h"

#include <algorithm>
#include <cmath>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<VivaceParameters> kVivace{
    "vivace", "a rate that follows the slope of a utility of goodput, delay and loss (PCC)",
    kMakesAlgorithm<Vivace, &AlgorithmContext::mtu, &AlgorithmContext::seed,
                    &AlgorithmContext::rank>};

/// Returns x to the power 9/10, with the same result on every machine: x divided by its tenth root,
/// which Newton's method finds. From above, an iteration lowers the root until the precision of a
/// number is reached.
long double power_nine_tenths(long double x) {
  if (x <= 0) return 0;
  long double root = std::max(1.0L, x);
  for (;;) {
    const long double next = (9 * root + x / whole_power(root, 9)) / 10;
    if (next >= root) return x / root;
    root = next;
  }
}
}  // namespace

void VivaceParameters::describe(ParameterVisitor& v) {
  const char* const paper = "PCC Vivace, NSDI'18";
  v.field("unit", unit, {"1kbps", "1Tbps"}, {"rate that counts as 1 in the utility", paper});
  v.follows(true, "1/100 of the slowest link's rate",
            [this](const NetworkScale& network) { unit = network.share(Ratio(1, 100)); });
  v.field("latency_cost", latency_cost, {"0", "1000000"},
          {"b: cost of an RTT that grows by its own time", paper});
  v.field("loss_cost", loss_cost, {"0", "1000000"}, {"c: cost of losing every packet", paper});
  v.field("tolerance", tolerance, {"0", "1"},
          {"growth of the RTT per time below which it counts as constant", paper});
  v.field("probe", probe, {"1/1000", "1/2"},
          {"epsilon: rates lie this share above and below that of the flow", paper});
  v.field("step", step, {"1/1000", "1000"},
          {"theta0: units by which a rate changes for a slope of 1", paper});
  v.field("first_bound", first_bound, {"1/1000", "1/2"},
          {"omega0: greatest change as a share of the rate", paper});
  v.field("bound_growth", bound_growth, {"0", "1"},
          {"added to the bound for each change in a row that met it", paper});
  describe_limits(v, paper, "rate at which a flow starts; auto: unit");
}

Vivace::Vivace(AlgorithmHost& host, const VivaceParameters& parameters, std::uint32_t mtu,
               std::uint64_t seed, std::uint64_t index)
    : RateTrials(host, parameters, mtu, "vivace", seed, index),
      parameters_(parameters),
      unit_(to_mbps(parameters.unit)),
      probe_(to_real(parameters.probe)) {}

AlgorithmNeeds Vivace::needs() const {
  AlgorithmNeeds needs = RateTrials::needs();
  // The RTT begins when pacing releases a packet: a packet that waits in a paused NIC waits because
  // of the network.
  needs.rtt_from_due = true;
  return needs;
}

void Vivace::release(FlowNumber number) {
  RateTrials::release(number);
  states_.drop(number);
}

long double Vivace::utility(long double mbps, long double rtt_growth, long double loss) const {
  const long double x = mbps / unit_;
  const long double growth = std::abs(rtt_growth) < to_real(parameters_.tolerance) ? 0 : rtt_growth;
  return power_nine_tenths(x) - to_real(parameters_.latency_cost) * x * growth -
         to_real(parameters_.loss_cost) * x * loss;
}

long double Vivace::utility_of(const Interval& interval) const {
  return utility(interval.rate, interval.growth(), interval.loss());
}

RateTrials::Plan Vivace::plan(FlowNumber, long double mbps) {
  Plan plan;
  plan.count = 2;
  const std::size_t up = toss() ? 0 : 1;
  plan.rates[up] = mbps * (1 + probe_);
  plan.rates[1 - up] = mbps * (1 - probe_);
  return plan;
}

long double Vivace::judge(FlowNumber number, long double mbps,
                          const std::array<Interval, kMostIntervals>& intervals) {
  const Interval& a = intervals[0];
  const Interval& b = intervals[1];
  if (!a.is_known() || !b.is_known()) return mbps;
  State& state = states_[number];
  const long double slope = (utility_of(a) - utility_of(b)) * unit_ / (a.rate - b.rate);
  const int sign = slope > 0 ? 1 : -1;
  state.same = sign == state.sign ? state.same + 1 : 0;
  if (sign != state.sign) state.bound_hits = 0;
  state.sign = sign;
  const unsigned same = std::max(1u, state.same);
  const unsigned confidence = same <= 3 ? same : 2 * same - 3;
  long double change = confidence * to_real(parameters_.step) * std::abs(slope) * unit_;
  const long double bound = mbps * (to_real(parameters_.first_bound) +
                                    state.bound_hits * to_real(parameters_.bound_growth));
  if (change > bound) {
    change = bound;
    ++state.bound_hits;
  } else if (state.bound_hits > 0) {
    --state.bound_hits;
  }
  return mbps + sign * change;
}

}  // namespace dcc
