// AF-QCN: QCN whose congestion points divide a link by the weights of flows.
#pragma once

#include "schemes/qcn/qcn.h"

namespace dcc {

/// Kabbani, Alizadeh, Yasuda, Pan, Prabhakar, "AF-QCN: Approximate Fairness with Quantized
/// Congestion Notification for Multi-tenanted Data Centers", Hot Interconnects 2010. The reaction
/// point is QCN's; the congestion point (fair_feedback.h) adds the flow's excess over its fair
/// share to the feedback.
struct AfQcnParameters final : QcnParameters {
  Ratio fair{7, 8};
  PicoSeconds interval = kMicroSecond * 500;

  void describe(ParameterVisitor& v) override;
  void ask_switch(SwitchParameters& parameters) const override;

 protected:
  Shares shares() const override;
};

}  // namespace dcc
