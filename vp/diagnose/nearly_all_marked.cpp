// Diagnosis `nearly_all_marked`: nearly all packets are marked, so marks no longer distinguish a
// heavy flow from a light one.
#include <fmt/format.h>

#include "config/controller_hosts.h"
#include "diagnose/diagnosis.h"
#include "diagnose/link_use.h"

namespace dcc::vp {
namespace {

class NearlyAllMarked final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults& results) const override {
    if (!any_host_shares_by_weight(evidence.config())) return std::nullopt;
    // With fewer than 1 % of packets unmarked, marks no longer depend on a flow's rate.
    const std::uint64_t packets = full_packets_delivered(evidence);
    const std::uint64_t marks = results.counters.of(&SwitchCounters::ecn_marks);
    if (packets == 0 || 100 * marks <= 99 * packets) return std::nullopt;
    return Observation{
        fmt::format(
            "Nearly every packet was marked: {} marks, {} packets received. The sum of weights "
            "is too great for the link's rate (a smaller r_ai, or g near 1)",
            marks, packets),
        {{"marks", marks}, {"packets", packets}}};
  }
};

const RegisteredDiagnosis<NearlyAllMarked> kNearlyAllMarked{
    "nearly_all_marked", "More than 99 % of the packets were marked, so marks do not order flows",
    "Lower `r_ai` or the sum of weights, or raise `switch.ecn.kmax`"};

}  // namespace
}  // namespace dcc::vp
