// Replays a recording of a rate unit in lock-step, with a waveform of its end:
// rate_replay RECORDING [--fst FILE] [--last CALLS]
#include <Vrate_trace.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rate_dut_verilated.h"
#include "rate_engine_lockstep.h"
#include "rate_recording.h"

namespace dcc {
namespace {

/// The RTL with a waveform that begins when it is asked to.
class TracedRate final : public RateDut {
 public:
  TracedRate(RateFault fault, std::uint32_t random_seed)
      : unit_("rtl (traced)", fault, random_seed) {
    unit_.context().traceEverOn(true);
  }
  ~TracedRate() override { trace_.close(); }

  void trace_to(const std::string& path) {
    unit_.pins().trace(&trace_, 99);
    trace_.open(path.c_str());
    if (!trace_.isOpen()) throw std::runtime_error("cannot write " + path);
  }
  void set_registers(const RateRegisters& registers) override { unit_.set_registers(registers); }
  RateOutputs cycle(const RateInputs& in) override {
    const RateOutputs out = unit_.cycle(in);
    if (trace_.isOpen()) {  // 4 ns a cycle; the clock's edges lie on even and odd halves
      trace_.dump(4000 * cycles_);
      unit_.pins().eval();
      trace_.dump(4000 * cycles_ + 2000);
    }
    ++cycles_;
    return out;
  }
  void reset() override { unit_.reset(); }
  std::string name() const override { return unit_.name(); }

 private:
  VerilatedRate<Vrate_trace> unit_;
  VerilatedFstC trace_;
  std::uint64_t cycles_ = 0;
};

struct MakeCall {
  LockstepRateEngine& engine;
  void operator()(const RateRegisters& registers) const { engine.load(registers); }
  void operator()(const RateTableWrite& w) const { engine.load(w.table, w.index, w.word); }
  void operator()(const DecreaseRequest& request) const { engine.decrease(request); }
  void operator()(const IncreaseRequest& request) const { engine.increase(request); }
};

int replay(const std::string& path, const std::string& fst, std::size_t last) {
  const RateRecording recording = read_rate_recording(path);
  auto unit = std::make_unique<TracedRate>(recording.fault, recording.random_seed);
  TracedRate& traced = *unit;
  RateLockstepOptions options;
  options.name = "replay";
  options.seed = recording.seed;
  options.rtl.fault = recording.fault;
  options.rtl.random_seed = recording.random_seed;
  options.log_path = path + ".replayed";
  const auto engine = make_lockstep_rate_engine(options, make_rtl_rate_engine(std::move(unit)));

  const std::vector<RateCall>& calls = recording.calls;
  std::size_t done = 0;
  try {
    for (; done < calls.size(); ++done) {
      if (!fst.empty() && done + last == std::max(last, calls.size())) traced.trace_to(fst);
      std::visit(MakeCall{*engine}, calls[done]);
    }
    engine->finish();
  } catch (const RateMismatch& mismatch) {
    std::printf("after %zu of %zu calls: %s\n", done, calls.size(), mismatch.what());
    if (!fst.empty()) std::printf("waveform of the last %zu calls: %s\n", last, fst.c_str());
    return 1;
  }
  std::printf("%zu calls replayed, %llu comparisons, no difference\n", calls.size(),
              static_cast<unsigned long long>(engine->comparisons()));
  return 0;
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  std::string path, fst;
  std::size_t last = 100;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--fst" && i + 1 < argc) {
      fst = argv[++i];
    } else if (word == "--last" && i + 1 < argc) {
      last = std::strtoull(argv[++i], nullptr, 10);
    } else if (path.empty() && word[0] != '-') {
      path = word;
    } else {
      path.clear();
      break;
    }
  }
  if (path.empty() || last == 0) {
    std::fprintf(stderr, "usage: rate_replay RECORDING [--fst FILE] [--last CALLS]\n");
    return 2;
  }
  try {
    return dcc::replay(path, fst, last);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rate_replay: %s\n", error.what());
    return 2;
  }
}
