// Every call goes to model and hardware; what they answer must be the same.
#include "rate_engine_lockstep.h"

#include <utility>

#include "controller/rate_unit.h"
#include "rate_recording.h"

namespace dcc {
namespace {

bool same(const DecreaseResult& a, const DecreaseResult& b) {
  return a.rc == b.rc && a.rt == b.rt && a.alpha == b.alpha;
}
bool same(const IncreaseResult& a, const IncreaseResult& b) {
  return a.rc == b.rc && a.rt == b.rt && a.at_maximum == b.at_maximum;
}

class Lockstep final : public LockstepRateEngine {
 public:
  Lockstep(RateLockstepOptions options, std::unique_ptr<RtlRateEngine> hardware)
      : options_(std::move(options)), hardware_(std::move(hardware)) {}

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
        ++comparisons_;
        const std::uint32_t of_model = tables_.read(table, k);
        const std::uint32_t of_hardware = hardware_->read(table, k);
        if (differed_ || of_model == of_hardware) continue;
        differ("table " + std::to_string(i) + " entry " + std::to_string(k),
               std::to_string(of_model), std::to_string(of_hardware));
      }
    }
  }
  std::uint64_t comparisons() const override { return comparisons_; }

 private:
  template <class Result>
  Result compared(const Result& of_model, const Result& of_hardware) {
    ++comparisons_;
    if (!differed_ && !same(of_model, of_hardware)) {
      differ(to_string(calls_.last(1).front()), to_string(of_model), to_string(of_hardware));
    }
    return of_model;
  }

  [[noreturn]] void differ(const std::string& what, const std::string& of_model,
                           const std::string& of_hardware) const {
    std::string report = options_.name + ": model and RTL differ after " +
                         std::to_string(comparisons_) + " comparisons, seed " +
                         std::to_string(options_.seed) + ": " + what + "\n  model: " + of_model +
                         "\n  RTL:   " + of_hardware + "\n  " + to_string(RateCall(registers_)) +
                         "\n  last calls:\n";
    for (const RateCall& call : calls_.last(options_.last_calls)) {
      report += "    " + to_string(call) + "\n";
    }
    try {
      write_recording(options_.log_path,
                      {options_.seed, options_.rtl.fault, options_.rtl.random_seed, calls_.all()});
      report += options_.replay_line("rate.fst");
    } catch (const std::runtime_error& error) {
      report += std::string("  no replay: ") + error.what();
    }
    differed_ = true;
    throw LockstepMismatch(report);
  }

  RateLockstepOptions options_;
  // Told once: who collects results afterwards gets the model's answers.
  mutable bool differed_ = false;
  RateUnit model_;
  RateRegisters registers_;
  RateTables tables_;  // as loaded, to compare with what the hardware kept
  std::unique_ptr<RtlRateEngine> hardware_;
  std::uint64_t comparisons_ = 0;
  RateCalls calls_;
};

}  // namespace

std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(const RateLockstepOptions& options) {
  return make_lockstep_rate_engine(options, make_rtl_rate_engine(options.rtl));
}

std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options, std::unique_ptr<RtlRateEngine> hardware) {
  return std::make_unique<Lockstep>(options, std::move(hardware));
}

}  // namespace dcc
