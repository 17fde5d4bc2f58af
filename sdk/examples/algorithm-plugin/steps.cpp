// An algorithm as a plug-in: a notification cuts the rate by a share, and periods without
// notification raise it in steps. The same source would work as a file of a folder of
// models/schemes.
#include <algorithm>
#include <memory>
#include <vector>

#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace {

struct StepsParameters final : dcc::AlgorithmParameters {
  dcc::Ratio cut{1, 4};
  dcc::BitRate step{200'000'000};
  dcc::PicoSeconds period = dcc::kMicroSecond * 50;

  void describe(dcc::ParameterVisitor& v) override {
    v.field("cut", cut, {"1/100", "1"}, {"share of its rate that a notification takes", ""});
    v.field("step", step, {"1Mbps", "1Tbps"}, {"what a quiet period gives back", ""});
    v.field("period", period, {"1us", "1s"}, {"how long without a notification is quiet", ""});
  }
};

class Steps final : public dcc::Algorithm {
 public:
  Steps(dcc::AlgorithmHost& host, const StepsParameters& parameters)
      : host_(host), parameters_(parameters), line_(dcc::to_mbps(host.line_rate())) {}

  dcc::AlgorithmNeeds needs() const override {
    dcc::AlgorithmNeeds needs;
    needs.cnp = true;
    return needs;
  }
  void on_flow_start(dcc::FlowNumber flow, const dcc::FlowStart&) override {
    if (mbps_.size() <= flow) mbps_.resize(flow + 1);
    set(flow, line_);
  }
  void on_cnp(dcc::FlowNumber flow, const dcc::CnpInfo&) override {
    const long double left = 1 - static_cast<long double>(parameters_.cut.numerator) /
                                     static_cast<long double>(parameters_.cut.denominator);
    ++counters_.rate_decreases;
    set(flow, std::max<long double>(100, mbps_[flow] * left));
    host_.start_timer(flow, 0, parameters_.period);
  }
  void on_timer(dcc::FlowNumber flow, int) override {
    ++counters_.rate_increases;
    set(flow, std::min(line_, mbps_[flow] + dcc::to_mbps(parameters_.step)));
    if (mbps_[flow] < line_) host_.start_timer(flow, 0, parameters_.period);
  }
  View view(dcc::FlowNumber flow) const override {
    return {dcc::from_mbps(mbps_[flow]), dcc::from_mbps(mbps_[flow]), 0.0};
  }
  dcc::AlgorithmCounters counters() const override { return counters_; }

 private:
  void set(dcc::FlowNumber flow, long double mbps) {
    mbps_[flow] = mbps;
    host_.set_rate(flow, dcc::from_mbps(mbps));
  }

  dcc::AlgorithmHost& host_;
  StepsParameters parameters_;
  long double line_;
  std::vector<long double> mbps_;
  dcc::AlgorithmCounters counters_;
};

const dcc::RegisteredAlgorithm<StepsParameters> kSteps{
    "steps", "a notification takes a share, quiet gives it back in steps",
    [](const StepsParameters& parameters, const dcc::AlgorithmContext& context) {
      return std::make_unique<Steps>(context.host, parameters);
    }};

}  // namespace
