#include "nic/algorithm/registry.h"

#include "describe/visitor.h"

namespace dcc {

template struct Named<AlgorithmSeam>;

namespace {
/// A stand-in for a NIC, sufficient to make an algorithm and to ask for its needs.
class NoHost final : public AlgorithmHost {
 public:
  PicoSeconds now() const override { return PicoSeconds(0); }
  void set_rate(FlowNumber, Rate) override {}
  void set_window(FlowNumber, Bytes) override {}
  void start_timer(FlowNumber, int, PicoSeconds) override {}
  void stop_timer(FlowNumber, int) override {}
  Rate line_rate() const override { return Rate::from(BitRate(100'000'000'000)); }
};
}  // namespace

void AlgorithmChoice::describe(ParameterVisitor& v, CnpParameters& cnp) {
  Algorithms::Choice::describe(v);
  const AlgorithmParameters* const mine = chosen();
  if (v.reading() && mine != nullptr) mine->preset(cnp);
}

AlgorithmNeeds AlgorithmChoice::needs(std::uint32_t mtu) const {
  Scheduler scheduler;
  NoHost host;
  const std::unique_ptr<Algorithm> algorithm = make({scheduler, host, mtu, kMicroSecond});
  return algorithm == nullptr ? AlgorithmNeeds{} : algorithm->needs();
}

}  // namespace dcc
