#include "schemes/pias/pias.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "describe/parameter_error.h"
#include "describe/visitor.h"

namespace dcc {

namespace {
const Transports::Registered<PiasParameters> kPias{
    "pias", "RoCE whose messages lose priority as more of them is sent; for strict ports",
    [](const PiasParameters&, const TransportContext&) { return std::unique_ptr<Transport>(); }};

/// Runs both agents of AuTO, the agent of the thresholds and the agent of long messages.
class BothAgents final : public TransportAgent {
 public:
  BothAgents(std::unique_ptr<TransportAgent> first, std::unique_ptr<TransportAgent> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  void add_host(Transmitter& host, BitRate line_rate) override {
    first_->add_host(host, line_rate);
    second_->add_host(host, line_rate);
  }
  void begin() override {
    first_->begin();
    second_->begin();
  }
  void add_state(StateDigest& d) const override {
    first_->add_state(d);
    second_->add_state(d);
  }

 private:
  std::unique_ptr<TransportAgent> first_, second_;
};
}  // namespace

void PiasParameters::describe(ParameterVisitor& v) {
  v.numbers("thresholds", thresholds, 1, kPriorities - 1, {"1", "4000000000"},
            {"bytes of a message after which its packets have one priority less, from 7 down",
             "PIAS, NSDI'15"});
  tuning_by_agent.describe(v);
  long_flows.describe(v);
}

void PiasParameters::check() const {
  if (!std::is_sorted(thresholds.begin(), thresholds.end())) {
    throw ParameterError({"thresholds"}, "thresholds do not ascend");
  }
}

void PiasParameters::ask_nic(NicParameters& nic) const {
  nic.demotion.assign(thresholds.begin(), thresholds.end());
  if (!nic.ack_priority) nic.ack_priority = kPriorities - 1;
}

std::unique_ptr<TransportAgent> PiasParameters::make_agent(Scheduler& scheduler,
                                                           std::uint32_t rank) const {
  std::unique_ptr<TransportAgent> of_thresholds, of_long_flows;
  if (tuning_by_agent.every) {
    of_thresholds =
        std::make_unique<ThresholdAgent>(scheduler, rank, tuning_by_agent, thresholds.size());
  }
  if (long_flows.every) {
    of_long_flows = std::make_unique<LongFlowAgent>(scheduler, rank, long_flows);
  }
  if (of_long_flows == nullptr) return of_thresholds;
  if (of_thresholds == nullptr) return of_long_flows;
  return std::make_unique<BothAgents>(std::move(of_thresholds), std::move(of_long_flows));
}

}  // namespace dcc
