// Diagnosis `flows_never_begun`: flows or computations that wait for others, or for the subnet
// manager, did not begin.
#include <fmt/format.h>

#include "describe/quantity_text.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class FlowsNeverBegun final : public Diagnosis {
 public:
  Found after(const Evidence&, const RunResults& results) const override {
    if (!results.completed) return std::nullopt;
    if (results.subnet) {
      if (Found found = without_grant(*results.subnet, results.sim_time)) return found;
    }
    if (!results.dependencies) return std::nullopt;
    const DependencyResult& d = *results.dependencies;
    if (d.never_begun == 0) return std::nullopt;
    return Observation{
        fmt::format("{} of {} flows and computations that wait for others had not begun at the end "
                    "of the run ({}): {}",
                    d.never_begun, d.waiting, text_of(results.sim_time), d.first_never),
        {{"never_begun", d.never_begun}, {"waiting", d.waiting}}};
  }

 private:
  /// Finds flows that the subnet manager refused or did not answer.
  static Found without_grant(const SubnetResult& subnet, PicoSeconds end) {
    const auto refused = static_cast<double>(subnet.refused);
    if (subnet.waiting != 0) {
      return Observation{
          fmt::format("{} flows that asked the subnet manager for a rate had no answer at the end "
                      "of the run ({}){}",
                      subnet.waiting, text_of(end),
                      subnet.discovered_us > 0
                          ? ""
                          : ": it had not discovered the fabric yet, after " +
                                std::to_string(subnet.smps) + " datagrams (subnet.response)"),
          {{"never_begun", static_cast<double>(subnet.waiting) + refused}}};
    }
    for (const SubnetRequestResult& one : subnet.requests) {
      if (one.granted) continue;
      return Observation{
          fmt::format(
              "{} of {} flows that asked the subnet manager for a rate were refused and "
              "sent nothing: flow {} asked for {:.4g} Gb/s of {:.3g} Gb/s that could be had",
              subnet.refused, subnet.admitted + subnet.refused, one.flow, one.asked_gbps,
              one.available_gbps),
          {{"never_begun", refused}}};
    }
    return std::nullopt;
  }
};

const RegisteredDiagnosis<FlowsNeverBegun> kFlowsNeverBegun{
    "flows_never_begun",
    "Flows or computations that wait for others did not begin before the end of the run, or flows "
    "asked the subnet manager for a rate and got none",
    "Make `duration` longer, or see why what they wait for does not end: a `stop`, a loss that "
    "nobody repairs, a host that cannot be reached. Lower `guarantee`"};

}  // namespace
}  // namespace dcc::vp
