// Replays a recording of a wheel in lock-step, with a waveform of its end:
// wheel_replay RECORDING [--fst FILE] [--last CALLS]
#include <Vwheel_trace.h>

#include <string>

#include "replay_program.h"
#include "timer_engine_lockstep.h"
#include "timing_wheel_dut_verilated.h"
#include "wheel_transactions.h"

namespace dcc {
namespace {

using TracedWheel = VerilatedWheel<Vwheel_trace, Waveform>;

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

int replay(const ReplayOptions& replay) {
  const WheelRecording recording = read_recording(replay.recording);
  auto wheel =
      std::make_unique<TracedWheel>("rtl (traced)", recording.fault, recording.random_seed);
  TracedWheel& traced = *wheel;
  LockstepOptions options;
  options.name = "replay";
  options.seed = recording.seed;
  options.rtl.slots = recording.slots;
  options.rtl.fault = recording.fault;
  options.rtl.random_seed = recording.random_seed;
  options.log_path = replay.recording + ".replayed";
  const auto engine = make_lockstep_timer_engine(
      options, make_rtl_timer_engine(std::move(wheel), options.rtl.slots));
  engine->reset(recording.run.begin);
  for (const WheelRun::Pending& p : recording.run.pending) {
    engine->start(p.slot, p.delay, recording.run.begin);
  }
  const std::vector<WheelTransaction>& calls = recording.run.calls;
  return replay_calls<LockstepMismatch>(
      replay, calls.size(), [&](std::size_t i) { make_call(*engine, calls[i]); },
      [&] {
        if (!calls.empty()) engine->finish(calls.back().tick);
      },
      [&] { traced.watch().open(traced, replay.fst); }, [&] { return engine->comparisons(); });
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  return dcc::replay_main(argc, argv, "wheel_replay", 2000, dcc::replay);
}
