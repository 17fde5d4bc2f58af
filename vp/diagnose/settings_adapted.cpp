// Diagnosis `settings_adapted`: the program changed a value that contradicts another one.
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class SettingsAdapted final : public Diagnosis {
 public:
  Found before(const Evidence& evidence) const override {
    std::string text;
    for (const std::string& note : evidence.loaded().notes)
      text += (text.empty() ? "" : "; ") + note;
    if (text.empty()) return std::nullopt;
    return Observation{text, {}};
  }
};

const RegisteredDiagnosis<SettingsAdapted> kSettingsAdapted{
    "settings_adapted", "A value was changed to go with an override",
    "Set both values: `-c duration=… -c measure.to=…`"};

}  // namespace
}  // namespace dcc::vp
