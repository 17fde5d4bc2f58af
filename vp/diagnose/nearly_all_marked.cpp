// Diagnosis `nearly_all_marked`: nearly all packets are marked, so marks no longer distinguish a
// heavy flow from a light one.
#include <fmt/format.h>

#include "config/controller_hosts.h"
#include "controller/dcc.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class NearlyAllMarked final : public Diagnosis {
  Found after(const Evidence& evidence) const override {
    const RunResults& results = *evidence.results();
    const NicConfig& nic = evidence.config().nic;
    if (!any_host_shares_by_weight(evidence.config())) return std::nullopt;
    Bytes received = 0;
    for (const FlowResult& flow : results.flows) received += flow.delivered_measured;
    // With fewer than 1 % of packets unmarked, a flow's marks no longer depend on its rate.
    const auto packets = static_cast<std::uint64_t>(received / nic.mtu);
    const std::uint64_t marks = results.counters.of(&SwitchCounters::ecn_marks);
    if (packets == 0 || 100 * marks <= 99 * packets) return std::nullopt;
    return Observation{
        fmt::format(
            "Nearly every packet was marked: {} marks, {} packets received. The sum of weights "
            "is too great for the link's rate (a smaller r_ai, or g near 1)",
            marks, packets),
        {{"marks", static_cast<double>(marks)}, {"packets", static_cast<double>(packets)}}};
  }
};

const RegisteredDiagnosis<NearlyAllMarked> kNearlyAllMarked{
    "nearly_all_marked", "More than 99 % of the packets were marked, so marks do not order flows",
    "Lower `r_ai` or the sum of weights, or raise `switch.ecn.kmax`"};

}  // namespace
}  // namespace dcc::vp
