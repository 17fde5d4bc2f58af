// Diagnosis `notifications_lost`: the controller did not accept a notification.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class NotificationsLost final : public Diagnosis {
  Found after(const Evidence&, const RunResults& results) const override {
    const HostResult all = sum_over_hosts(results.hosts);
    if (all.cnps_lost == 0 && all.inputs_dropped == 0) return std::nullopt;
    return Observation{
        fmt::format("{} CNPs found the input queue of a controller full, and {} CNPs and sent "
                    "packets came while a controller was reset: they did not count",
                    all.cnps_lost, all.inputs_dropped),
        {{"queue_full", all.cnps_lost}, {"in_reset", all.inputs_dropped}}};
  }
};

const RegisteredDiagnosis<NotificationsLost> kNotificationsLost{
    "notifications_lost", "CNPs reached a controller that was in reset or whose input was full",
    "Reset a controller before traffic begins; raise `nic.controller.clock`"};

}  // namespace
}  // namespace dcc::vp
