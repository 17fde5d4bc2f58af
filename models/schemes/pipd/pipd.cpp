#include "schemes/pipd/pipd.h"

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<PipdParameters> kPipd{
    "pipd", "a window that marks cut and rounds without marks raise, by powers of itself",
    kMakesAlgorithm<Pipd, &AlgorithmContext::mtu>};
}  // namespace

void PipdParameters::describe(ParameterVisitor& v) {
  const char* const paper = "AINA'06";
  v.field("alpha", alpha, {"1/1000", "1000"},
          {"full packets by which a window of one packet grows in a round trip", paper});
  v.field("beta", beta, {"1/1000", "1"},
          {"full packets by which a mark makes a window of one packet smaller", paper});
  v.field("rise", rise, {"0", "2"}, {"power k: a window of w packets grows by alpha / w^k", paper});
  v.field("fall", fall, {"0", "1"}, {"power l: a window of w packets shrinks by beta w^l", paper});
  describe_limits(v,
                  "upper limit of a window; auto: four times line rate x base RTT, and a packet");
}

void PipdParameters::check(Bytes largest_packet) const {
  DelayWindowParameters::check(largest_packet);
  if (rise.numerator == 0 && fall.numerator == 0) {
    throw ParameterError({"rise", "fall"}, "both are 0: flows would not come to equal windows");
  }
}

void PipdParameters::ask_marking(EcnParameters& ecn) const {
  ecn.rule = EcnParameters::Rule::kDctcp;
}

Pipd::Pipd(AlgorithmHost& host, const PipdParameters& parameters, std::uint32_t mtu)
    : DelayWindow(host, parameters, mtu, 0),
      alpha_(to_real(parameters.alpha)),
      beta_(to_real(parameters.beta)),
      rise_(to_real(parameters.rise)),
      fall_(to_real(parameters.fall)) {}

AlgorithmNeeds Pipd::needs() const {
  AlgorithmNeeds needs = DelayWindow::needs();
  needs.marks = true;
  return needs;
}

long double Pipd::next_window(FlowNumber, const Flow& flow) {
  const long double packets = flow.window / mtu();
  const long double step = flow.marked ? -beta_ * repeatable_power(packets, fall_)
                                       : alpha_ / repeatable_power(packets, rise_);
  return flow.window + step * mtu();
}

}  // namespace dcc
