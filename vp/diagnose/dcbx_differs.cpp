// Diagnosis `dcbx_differs`: the two ends of a link work with different settings.
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class DcbxDiffers final : public Diagnosis {
  Found after(const Evidence&, const RunResults& results) const override {
    const std::optional<DcbxResult>& dcbx = results.dcbx;
    if (!dcbx || dcbx->differences.empty()) return std::nullopt;
    const DcbxDifference& first = dcbx->differences.front();
    const std::size_t count = dcbx->differences.size();
    const std::string more =
        count == 1 ? "" : fmt::format(" ({} such differences in all: dcbx of metrics.json)", count);
    std::vector<FindingFigure> figures{{"differences", count}, {"link", first.link}};
    if (first.of == "lldp") {
      return Observation{fmt::format("DCBX: no LLDP frames come back on {}{}", first.link, more),
                         std::move(figures)};
    }
    return Observation{
        fmt::format("DCBX: the ends of {} differ in {} and neither is willing to give way: {} "
                    "here, {} there{}",
                    first.link, first.of, first.here, first.there, more),
        std::move(figures)};
  }
};

const RegisteredDiagnosis<DcbxDiffers> kDcbxDiffers{
    "dcbx_differs", "The ends of a link did not agree on PFC, ETS or priorities",
    "Make one end willing, or give both the same settings (`dcbx.ends`)"};

}  // namespace
}  // namespace dcc::vp
