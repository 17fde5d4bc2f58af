// Diagnoses `dma_faults, lone_queue_pairs, program_events_lost, program_faults`: notes of the
// running platform (RunResults::notes).
#include <fmt/format.h>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

/// Joins the platform's notes that have the given id.
Diagnosis::Found notes_of(const Evidence& evidence, const char* id) {
  constexpr std::size_t kShown = 4;
  std::string text;
  std::size_t count = 0;
  for (const Finding& note : evidence.results()->notes) {
    if (note.id != id || ++count > kShown) continue;
    text += (text.empty() ? "" : "; ") + note.text;
  }
  if (count == 0) return std::nullopt;
  if (count > kShown) text += fmt::format("; and {} more", count - kShown);
  return Diagnosis::Observation{text, {{"notes", count}}};
}

class DmaFaulted final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults&) const override {
    return notes_of(evidence, "dma_faults");
  }
};
class LoneQueuePairs final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults&) const override {
    return notes_of(evidence, "lone_queue_pairs");
  }
};

class ProgramFaulted final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults&) const override {
    return notes_of(evidence, "program_faults");
  }
};
class ProgramEventsLost final : public Diagnosis {
  Found after(const Evidence& evidence, const RunResults&) const override {
    return notes_of(evidence, "program_events_lost");
  }
};

const RegisteredDiagnosis<ProgramFaulted> kProgramFaulted{
    "program_faults", "A handler of a NIC's program ended in an exception",
    "Correct the program at the address that the text names; `dcc_trace()` shows how it came "
    "there"};
const RegisteredDiagnosis<ProgramEventsLost> kProgramEventsLost{
    "program_events_lost", "The cores of a NIC's program did not keep up, and events were lost",
    "Shorten the handler, or raise `cores`, `clock` or `queue` of `nic.congestion_control`"};
const RegisteredDiagnosis<DmaFaulted> kDmaFaulted{
    "dma_faults", "Software gave a NIC addresses that are not memory",
    "Correct the address that the text names, in a descriptor or a ring's base"};
const RegisteredDiagnosis<LoneQueuePairs> kLoneQueuePairs{
    "lone_queue_pairs", "Software set up a queue pair that has no other end",
    "Set both ends up with each other's number"};

}  // namespace
}  // namespace dcc::vp
