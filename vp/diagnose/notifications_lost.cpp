// Diagnosis `notifications_lost`: the controller does not accept all notifications.
#include <fmt/format.h>

#include "config/controller_hosts.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

class NotificationsLost final : public Diagnosis {
 public:
  /// Finds ports that send full packets faster than the controller takes byte notifications, one in
  /// a cycle.
  Found before(const Evidence& evidence) const override {
    const PlatformConfig& config = evidence.config();
    if (controllers(config).empty()) return std::nullopt;
    const Topology& topology = evidence.topology();
    const LinkParameters* fastest = nullptr;
    double most = 1;
    std::uint32_t mtu = 0;
    for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
      const LinkParameters& link = topology.link(topology.node_of(host), 0);
      const double bits =
          8.0 * static_cast<double>(roce::data_wire_bytes(config.mtu_of(host), false, false) +
                                    link.overhead);
      const double packets = static_cast<double>(link.rate.bits_per_second) / bits *
                             to_seconds(config.nic.controller.clock_period());
      if (packets <= most) continue;
      most = packets;
      fastest = &link;
      mtu = config.mtu_of(host);
    }
    if (fastest == nullptr) return std::nullopt;
    return Observation{
        fmt::format("A port of {} can send {:.3g} packets of {} B (nic.mtu) in a cycle of the "
                    "controller, which takes one notification of a sent packet in a cycle "
                    "(nic.controller.clock): what a host sends beyond that is not counted",
                    readable(fastest->rate), most, mtu),
        {{"packets_a_cycle", most}}};
  }

  Found after(const Evidence&, const RunResults& results) const override {
    const HostResult all = sum_over_hosts(results.hosts);
    if (all.cnps_lost == 0 && all.inputs_dropped == 0) return std::nullopt;
    return Observation{
        fmt::format("{} CNPs found the input queue of a controller full, and {} CNPs and sent "
                    "packets came while a controller was reset, or sent packets came faster than "
                    "one in a cycle of its clock: they did not count",
                    all.cnps_lost, all.inputs_dropped),
        {{"queue_full", all.cnps_lost}, {"in_reset", all.inputs_dropped}}};
  }
};

const RegisteredDiagnosis<NotificationsLost> kNotificationsLost{
    "notifications_lost",
    "CNPs reached a controller that was in reset or whose input was full, or a host sends more "
    "than one packet in a cycle of its controller",
    "Reset a controller before traffic begins; raise `nic.controller.clock`; send larger packets "
    "(`nic.mtu`)"};

}  // namespace
}  // namespace dcc::vp
