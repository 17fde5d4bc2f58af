// Diagnosis `lossless_loss`: a switch dropped packets of a class that PFC protects.
#include <fmt/format.h>

#include <algorithm>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/headroom.h"

namespace dcc::vp {
namespace {

class LosslessLoss final : public Diagnosis {
  /// Number of packets that a switch dropped because it had no room. Packets that links lost do not
  /// count.
  static std::uint64_t no_room(const CounterTotals& counters) {
    const std::vector<CounterInfo>& all = CounterTotals::described();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == "drops_no_room") return counters.at(i);
    }
    return 0;
  }

  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PlatformConfig& config = evidence.config();
    const std::uint64_t dropped = no_room(results.counters);
    if (dropped == 0) return std::nullopt;
    const std::uint8_t lossless = lossless_in_use(evidence);
    if (lossless == 0) return std::nullopt;
    std::uint64_t lost = dropped;
    const char* lost_text = "packets of lossless classes found no room in a switch";
    if (lossless != priorities_in_use(config)) {
      // Drops are counted for all priorities together. If no timeout occurred, a flow of a lossless
      // class retransmits only lost packets.
      const auto transports = config.transports();
      if (results.counters.of(&NicCounters::timeouts) > 0 ||
          std::any_of(transports.begin(), transports.end(),
                      [](const TransportChoice* one) { return one->chosen() != nullptr; })) {
        return std::nullopt;
      }
      lost = 0;
      const FlowCensus census = census_of(results);
      for (unsigned dscp = 0; dscp < census.retransmits.size(); ++dscp) {
        const unsigned priority = config.dscp_of(dscp).priority;
        if ((lossless >> priority & 1) != 0) lost += census.retransmits[dscp];
      }
      if (lost == 0) return std::nullopt;
      lost_text = "packets of lossless classes were sent again after a loss in a switch";
    }
    std::string text = fmt::format("{} {}", lost, lost_text);
    std::vector<FindingFigure> figures{{"packets", lost}};
    const HeadroomGap gap = greatest_headroom_gap(evidence);
    const HeadroomNeed need = greatest_headroom(evidence);
    if (!gap.link.empty()) {
      text += fmt::format(
          ": after a pause {} still brings up to {}, and {} is {}, so {} is missing; headroom: "
          "auto "
          "reserves it",
          gap.link, readable(gap.needed), gap.key, readable(gap.set),
          readable(gap.needed - gap.set));
      figures.push_back({"missing_bytes", gap.needed - gap.set});
    } else if (need.wanted > need.reserved) {
      text += fmt::format(
          ": all inputs of {} together need {} of headroom and switch.pfc.shared_headroom is {}, "
          "so {} is missing when all are paused",
          need.of, readable(need.wanted), readable(need.reserved),
          readable(need.wanted - need.reserved));
      figures.push_back({"missing_bytes", need.wanted - need.reserved});
    } else if (need.missing() >= 0) {
      text += fmt::format(
          ": the inputs of {} need {} of headroom and its buffer has {} for them, so {} is missing "
          "(switch.buffer)",
          need.of, readable(need.reserved), readable(need.room()), readable(need.missing()));
      figures.push_back({"missing_bytes", need.missing()});
    } else {
      text += fmt::format(
          ": {} of headroom are needed and the buffer of {} has {}; other classes "
          "had filled it before headroom could be reserved, or a neighbour did "
          "not obey pauses",
          readable(need.reserved), need.of, readable(need.room()));
    }
    return Observation{text, std::move(figures)};
  }
};

const RegisteredDiagnosis<LosslessLoss> kLosslessLoss{
    "lossless_loss", "Switches dropped packets of a class that PFC should protect",
    "Give the missing headroom: a larger `switch.buffer`, or `switch.pfc.headroom: auto`"};

}  // namespace
}  // namespace dcc::vp
