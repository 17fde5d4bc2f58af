// Diagnosis `defaults_of_another_speed`: a named preset has the values of a source for links of
// another rate.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "controller/law/dcqcn_parameters.h"
#include "describe/readable.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class DefaultsOfAnotherSpeed final : public Diagnosis {
  // Steps and times of DCQCN scale with the rate. Within a factor of four a link still fills within
  // the time that the preset's source shows.
  static constexpr std::uint64_t kFactor = 4;

 public:
  Found before(const Evidence& evidence) const override {
    const PlatformConfig& config = evidence.config();
    Found found = of_section(evidence, config.nic.congestion_control, "nic.congestion_control");
    for (std::size_t i = 0; i < config.nics.size() && !found; ++i) {
      found = of_section(evidence, config.nics[i].congestion_control,
                         "nics." + std::to_string(i) + ".congestion_control");
    }
    return found;
  }

 private:
  static Found of_section(const Evidence& evidence, const AlgorithmChoice& algorithm,
                          const std::string& section) {
    const auto* const dcqcn = algorithm.chosen<DcqcnParameters>();
    if (dcqcn == nullptr || dcqcn->preset_name == DcqcnParameters::Preset::kAuto) {
      return std::nullopt;
    }
    const bool sig15 = dcqcn->preset_name == DcqcnParameters::Preset::kSig15;
    // A step that the user wrote is the user's choice, even if it is the preset's. A file in which
    // both steps are written and are the preset's has the source's values (as the copy of the
    // effective configuration has).
    if (dcqcn->r_ai.bits_per_second != (sig15 ? 40'000'000u : 5'000'000u) ||
        (evidence.wrote(section + ".r_ai") && !evidence.wrote(section + ".r_hai"))) {
      return std::nullopt;
    }
    const BitRate source(sig15 ? 40'000'000'000 : 25'000'000'000);
    const BitRate link = evidence.config().topology.slowest_link();
    const auto [low, high] = std::minmax(source.bits_per_second, link.bits_per_second);
    if (high < low * kFactor) return std::nullopt;
    return Observation{
        fmt::format("{}.preset: {} has its source's values, for {}, and the slowest link has {}; "
                    "preset: auto follows the network, and r_ai of your own ends this note",
                    section, name_of(dcqcn->preset_name), readable(source), readable(link)),
        {{"preset_gbps", static_cast<double>(source.bits_per_second) / 1e9},
         {"link_gbps", static_cast<double>(link.bits_per_second) / 1e9}}};
  }
};

const RegisteredDiagnosis<DefaultsOfAnotherSpeed> kDefaultsOfAnotherSpeed{
    "defaults_of_another_speed",
    "A named preset of DCQCN has values for links at least four times slower or faster",
    "Use `preset: auto`, which follows the network, or set `r_ai`; a comparison of algorithms "
    "needs "
    "the same for all"};

}  // namespace
}  // namespace dcc::vp
