// Replays a recording of a wheel in lock-step, with a waveform of its end:
// wheel_replay RECORDING [--fst FILE] [--last CALLS]
#include <Vwheel_trace.h>
#include <verilated_fst_c.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "timer_engine_lockstep.h"
#include "timing_wheel_dut_verilated.h"
#include "wheel_transactions.h"

namespace dcc {
namespace {

/// The RTL with a waveform that begins when it is asked to.
class TracedWheel final : public WheelDut {
 public:
  TracedWheel(WheelFault fault, std::uint32_t random_seed)
      : wheel_("rtl (traced)", fault, random_seed) {
    wheel_.context().traceEverOn(true);
  }
  ~TracedWheel() override { trace_.close(); }

  void trace_to(const std::string& path) {
    wheel_.pins().trace(&trace_, 99);
    trace_.open(path.c_str());
    if (!trace_.isOpen()) throw std::runtime_error("cannot write " + path);
  }
  WheelOutputs cycle(const WheelInputs& in) override {
    const WheelOutputs out = wheel_.cycle(in);
    if (trace_.isOpen()) {  // 4 ns a cycle; the clock's edges lie on even and odd halves
      trace_.dump(4000 * cycles_);
      wheel_.pins().eval();
      trace_.dump(4000 * cycles_ + 2000);
    }
    ++cycles_;
    return out;
  }
  void reset() override { wheel_.reset(); }
  std::string name() const override { return wheel_.name(); }

 private:
  VerilatedWheel<Vwheel_trace> wheel_;
  VerilatedFstC trace_;
  std::uint64_t cycles_ = 0;
};

void make_call(LockstepTimerEngine& engine, const WheelTransaction& t) {
  switch (t.call) {
    case WheelCall::kStart:
      engine.start(t.slot, t.value, t.tick);
      break;
    case WheelCall::kCancel:
      engine.cancel(t.slot, t.tick);
      break;
    case WheelCall::kTake:
      engine.take_expired(t.tick);
      break;
    case WheelCall::kReset:
      engine.reset(t.tick);
      break;
    case WheelCall::kNextDue:
      engine.next_due(t.tick);
      break;
    case WheelCall::kLag:
      engine.lag(t.tick);
      break;
    case WheelCall::kRead:
      engine.is_started(t.slot);
      break;
  }
}

int replay(const std::string& path, const std::string& fst, std::size_t last) {
  const WheelRecording recording = read_recording(path);
  auto wheel = std::make_unique<TracedWheel>(recording.fault, recording.random_seed);
  TracedWheel& traced = *wheel;
  LockstepOptions options;
  options.name = "replay";
  options.seed = recording.seed;
  options.rtl.slots = recording.slots;
  options.rtl.fault = recording.fault;
  options.rtl.random_seed = recording.random_seed;
  options.log_path = path + ".replayed";
  const auto engine = make_lockstep_timer_engine(
      options, make_rtl_timer_engine(std::move(wheel), options.rtl.slots));

  const std::vector<WheelTransaction>& calls = recording.run.calls;
  std::size_t done = 0;
  try {
    engine->reset(recording.run.begin);
    for (const WheelRun::Pending& p : recording.run.pending) {
      engine->start(p.slot, p.delay, recording.run.begin);
    }
    for (; done < calls.size(); ++done) {
      if (!fst.empty() && done + last == std::max(last, calls.size())) traced.trace_to(fst);
      make_call(*engine, calls[done]);
    }
    if (!calls.empty()) engine->finish(calls.back().tick);
  } catch (const LockstepMismatch& mismatch) {
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
  std::size_t last = 2000;
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
    std::fprintf(stderr, "usage: wheel_replay RECORDING [--fst FILE] [--last CALLS]\n");
    return 2;
  }
  try {
    return dcc::replay(path, fst, last);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wheel_replay: %s\n", error.what());
    return 2;
  }
}
