#include "schemes/compound/compound.h"

#include <algorithm>
#include <cmath>

#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<CompoundParameters> kCompound{
    "compound", "the sum of a window by marks and a window by delay",
    kMakesAlgorithm<Compound, &AlgorithmContext::mtu>};

/// Computes value^(3/4). Square roots are correctly rounded, so the result is the same on every
/// machine.
long double three_quarters_power(long double value) {
  const long double root = std::sqrt(value);
  return root * std::sqrt(root);
}
}  // namespace

void CompoundParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Compound TCP, INFOCOM'06";
  v.field("alpha", alpha, {"1/1000", "100"},
          {"factor of the growth by window^(3/4) packets a round trip", paper});
  v.field("beta", beta, {"1/1000", "1"}, {"share of the window that a mark takes", paper});
  v.field("zeta", zeta, {"0", "100"},
          {"packets that the window by delay loses for each packet in queues", paper});
  v.field("gamma", gamma, {"1", "100000"},
          {"packets in queues from which on the window by delay shrinks", paper});
  describe_limits(
      v, "upper limit of a window; auto: four times line rate x base RTT, and gamma packets");
}

// Marking that the algorithm asks of switches: a mark halves the window, as a loss does. So marks
// are as rare as losses at a drop-tail queue. Marks are drawn for single packets, since a threshold
// would halve the windows of all flows at once.
void CompoundParameters::ask_marking(EcnParameters& ecn) const {
  ecn.rule = EcnParameters::Rule::kDcqcn;
}

Compound::Compound(AlgorithmHost& host, const CompoundParameters& parameters, std::uint32_t mtu)
    : DelayWindow(host, parameters, mtu, static_cast<long double>(parameters.gamma) * mtu),
      alpha_(to_real(parameters.alpha)),
      beta_(to_real(parameters.beta)),
      zeta_(to_real(parameters.zeta)),
      gamma_(static_cast<long double>(parameters.gamma)) {}

AlgorithmNeeds Compound::needs() const {
  AlgorithmNeeds needs = DelayWindow::needs();
  needs.marks = true;
  return needs;
}

void Compound::release(FlowNumber flow) {
  DelayWindow::release(flow);
  by_marks_.drop(flow);
}

void Compound::begin(FlowNumber number, const Flow& flow) {
  by_marks_.keep(number) = flow.window / mtu();
}

long double Compound::next_window(FlowNumber number, const Flow& flow) {
  long double& by_marks = by_marks_[number];
  const long double sum = flow.window / mtu();
  // The window's limits may have reduced the sum, so the window by marks must not exceed the sum.
  by_marks = std::min(by_marks, sum);
  long double by_delay = sum - by_marks;
  if (flow.marked) {
    by_delay = std::max(sum * (1 - beta_) - by_marks / 2, 0.0L);
    by_marks /= 2;
  } else {
    const long double waiting = queued(flow, flow.rtt) / mtu();
    by_delay = waiting < gamma_ ? by_delay + std::max(alpha_ * three_quarters_power(sum) - 1, 0.0L)
                                : std::max(by_delay - zeta_ * waiting, 0.0L);
    by_marks += 1;
  }
  return (by_marks + by_delay) * mtu();
}

}  // namespace dcc
