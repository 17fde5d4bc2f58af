// Diagnosis `headroom_exceeds_buffer`: a switch cannot store the bytes that arrive after its
// pauses.
#include <fmt/format.h>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"
#include "diagnose/headroom.h"

namespace dcc::vp {
namespace {

class HeadroomExceedsBuffer final : public Diagnosis {
 public:
  Found before(const Evidence& evidence) const override {
    const HeadroomNeed need = greatest_headroom(evidence);
    if (need.of.empty() || need.missing() < 0) return std::nullopt;
    const char* const which = evidence.config().switch_.pfc.headroom ? "" : " (auto)";
    std::string text = fmt::format("Switch {} has a buffer of {}", need.of, readable(need.buffer));
    if (need.set_aside > 0) {
      text += fmt::format(", {} of which pools and reserved parts take", readable(need.set_aside));
    }
    if (need.per_input >= need.room()) {
      text += fmt::format(
          " and one input needs {} of PFC headroom{}, so nothing is left for queues: packets are "
          "dropped at an empty switch",
          readable(need.per_input), which);
    } else {
      text += fmt::format(
          "; {} inputs with {} lossless priorit{} need {} of PFC headroom{}, up to {} each: a "
          "lossless class loses packets when all are paused",
          need.inputs, need.priorities, need.priorities == 1 ? "y" : "ies", readable(need.reserved),
          which, readable(need.per_input));
    }
    text += fmt::format(" (switch.buffer above {}, shorter links, or fewer switch.pfc.priorities)",
                        readable(need.reserved + need.set_aside));
    return Observation{text,
                       {{"switch", need.of},
                        {"buffer_bytes", need.buffer},
                        {"headroom_bytes", need.reserved},
                        {"missing_bytes", need.missing()}}};
  }
};

const RegisteredDiagnosis<HeadroomExceedsBuffer> kHeadroomExceedsBuffer{
    "headroom_exceeds_buffer",
    "The PFC headroom of a switch's inputs is no less than its whole buffer",
    "Enlarge `switch.buffer`, or shorten links; headroom is two link delays at line rate and three "
    "packets for each input and lossless priority"};

}  // namespace
}  // namespace dcc::vp
