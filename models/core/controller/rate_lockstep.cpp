// Rate engines in lock-step: each call goes to model and hardware, and the answers must be equal.
#include "controller/rate_lockstep.h"

#include <optional>
#include <utility>

#include "controller/rate_unit.h"

namespace dcc {
namespace {

bool same_rate(const DecreaseResult& a, const DecreaseResult& b) {
  return a.rc == b.rc && a.rt == b.rt && a.alpha == b.alpha;
}
bool same_rate(const IncreaseResult& a, const IncreaseResult& b) {
  return a.rc == b.rc && a.rt == b.rt && a.at_maximum == b.at_maximum;
}

class RateLockstep final : public LockstepRateEngine {
 public:
  RateLockstep(LockstepReport report, std::unique_ptr<RateEngine> hardware, RateRecorder recorder)
      : report_(std::move(report)),
        hardware_(std::move(hardware)),
        recorder_(std::move(recorder)) {}

  void load(const RateRegisters& registers) override {
    calls_.add(registers);
    registers_ = registers;
    model_.load(registers);
    hardware_->load(registers);
  }
  void load(RateTable table, std::uint32_t index, std::uint32_t word) override {
    if (!tables_.write(table, index, word)) return;
    calls_.add(RateTableWrite{table, index, word});
    model_.load(table, index, word);
    hardware_->load(table, index, word);
  }
  DecreaseResult decrease(const DecreaseRequest& request) override {
    calls_.add(request);
    return compared(model_.decrease(request), hardware_->decrease(request));
  }
  IncreaseResult increase(const IncreaseRequest& request) override {
    calls_.add(request);
    return compared(model_.increase(request), hardware_->increase(request));
  }

  void finish() override {
    for (int i = 0; i < kRateTables; ++i) {
      const auto table = static_cast<RateTable>(i);
      for (std::uint32_t k = 0; k < entries(table); ++k) {
        const std::optional<std::uint32_t> of_hardware = hardware_->read(table, k);
        if (!of_hardware) return;
        ++comparisons_;
        const std::uint32_t of_model = tables_.read(table, k);
        if (differed_ || of_model == *of_hardware) continue;
        differ("table " + std::to_string(i) + " entry " + std::to_string(k),
               std::to_string(of_model), std::to_string(*of_hardware));
      }
    }
  }
  std::uint64_t comparisons() const override { return comparisons_; }

 private:
  template <class Result>
  Result compared(const Result& of_model, const Result& of_hardware) {
    ++comparisons_;
    if (!differed_ && !same_rate(of_model, of_hardware)) {
      differ(to_string(calls_.last(1).front()), to_string(of_model), to_string(of_hardware));
    }
    return of_model;
  }

  [[noreturn]] void differ(const std::string& what, const std::string& of_model,
                           const std::string& of_hardware) const {
    std::string report = report_.name + ": model and RTL differ after " +
                         std::to_string(comparisons_) + " comparisons, seed " +
                         std::to_string(report_.seed) + ": " + what + "\n  model: " + of_model +
                         "\n  RTL:   " + of_hardware + "\n  " + to_string(RateCall(registers_)) +
                         "\n  last calls:\n";
    for (const RateCall& call : calls_.last(report_.last_calls)) {
      report += "    " + to_string(call) + "\n";
    }
    try {
      if (recorder_) report += recorder_(calls_.all());
    } catch (const std::runtime_error& error) {
      report += std::string("  no replay: ") + error.what();
    }
    differed_ = true;
    throw LockstepMismatch(report);
  }

  LockstepReport report_;
  // True after a difference, which is reported once; later calls return the model's answers.
  mutable bool differed_ = false;
  RateUnit model_;
  RateRegisters registers_;
  RateTables tables_;  // values loaded so far, to compare with the hardware's tables
  std::unique_ptr<RateEngine> hardware_;
  RateRecorder recorder_;
  std::uint64_t comparisons_ = 0;
  RateCalls calls_;
};

}  // namespace

std::unique_ptr<LockstepRateEngine> make_rate_lockstep(LockstepReport report,
                                                       std::unique_ptr<RateEngine> hardware,
                                                       RateRecorder recorder) {
  return std::make_unique<RateLockstep>(std::move(report), std::move(hardware),
                                        std::move(recorder));
}

}  // namespace dcc
