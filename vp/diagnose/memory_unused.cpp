// Diagnosis `memory_unused`: fast_forward.memo was enabled, but everything was simulated.
#include <fmt/format.h>

#include <string>

#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class MemoryUnused final : public Diagnosis {
  Found after(const Evidence&, const RunResults& results) const override {
    const auto& memo = results.memo;
    if (!memo || memo->hits != 0) return std::nullopt;
    return Observation{"fast_forward.memo took nothing from memory: " + cause(*memo),
                       {{"bursts", memo->misses + memo->checked}, {"refused", memo->refused}}};
  }

  static std::string cause(const MemoResult& memo) {
    if (memo.refused != 0) {
      return fmt::format(
          "{} of {} spot checks found another course than memory, by more than memo_error",
          memo.refused, memo.checked);
    }
    if (memo.misses + memo.checked == 0) {
      return "no flow that waits for others began while the network was at rest";
    }
    if (memo.lossy != 0) {
      return fmt::format("packets were sent again in {} bursts, which are not remembered",
                         memo.lossy);
    }
    if (memo.cut != 0) {
      return fmt::format(
          "{} bursts were known, but flows that start by the clock, or the begin or end of the run "
          "or of `measure`, lay within them",
          memo.cut);
    }
    if (memo.differing != 0) {
      return fmt::format("{} bursts began like a known one, but other flows followed",
                         memo.differing);
    }
    return fmt::format(
        "{} bursts were simulated, and none began more than twice with the same flow (the first is "
        "noted, the second is remembered, the third is checked)",
        memo.misses + memo.checked);
  }
};

const RegisteredDiagnosis<MemoryUnused> kMemoryUnused{
    "memory_unused", "`fast_forward.memo` is on, and no burst of traffic was taken from memory",
    "The text names the cause: let bursts repeat (`rounds`, `think`, `after`), keep the network at "
    "rest between them, or leave `memo` out"};

}  // namespace
}  // namespace dcc::vp
