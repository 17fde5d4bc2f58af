#include "schemes/af_qcn/af_qcn.h"

#include <memory>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/registry.h"
#include "schemes/af_qcn/fair_feedback.h"
#include "switch/switch_parameters.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<AfQcnParameters> kAfQcn{
    "af_qcn", "qcn, with feedback by a flow's excess over the share of its weight",
    kMakesAlgorithm<Qcn>};
}  // namespace

void AfQcnParameters::describe(ParameterVisitor& v) {
  QcnParameters::describe(v);
  v.field("fair", fair, {"1/64", "63/64"},
          {"part of the feedback that follows a flow's excess over its fair share; the rest is the "
           "queue's",
           "AF-QCN, HotI 2010; the value is ours"});
  v.field("interval", interval, {"1us", "1s"},
          {"time over which a switch counts the arrivals of flows", "AF-QCN, HotI 2010"});
  v.follows(true, "50 base RTTs, from 10us", [this](const NetworkScale& network) {
    interval = network.round_trips(Ratio(50), kMicroSecond * 10);
  });
}

// Shares of the network's values for AF-QCN's defaults. The congestion point knows a flow's excess
// only when it samples a packet of the flow, and later feedback must undo every increase step. So
// many flows on one link need more samples and smaller steps than with QCN.
AfQcnParameters::Shares AfQcnParameters::shares() const {
  return {Ratio(1, 5), 2, Ratio(1, 2000),
          "a fifth of the product of slowest link and base RTT, at least 2 packets",
          "1/2000 of the slowest link's rate"};
}

void AfQcnParameters::ask_switch(SwitchParameters& parameters) const {
  QcnParameters::ask_switch(parameters);
  parameters.qcn.rule = [part = fair.value(), time = interval](const QcnPointParameters& point) {
    return std::make_unique<FairFeedback>(part, time, point.weights);
  };
}

}  // namespace dcc
