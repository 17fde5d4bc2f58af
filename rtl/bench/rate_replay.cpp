// Replays a recording of a rate unit in lock-step, with a waveform of its end:
// rate_replay RECORDING [--fst FILE] [--last CALLS]
#include <Vrate_trace.h>

#include <string>

#include "rate_dut_verilated.h"
#include "rate_engine_lockstep.h"
#include "rate_recording.h"
#include "replay_program.h"

namespace dcc {
namespace {

using TracedRate = VerilatedRate<Vrate_trace, Waveform>;

struct MakeCall {
  LockstepRateEngine& engine;
  void operator()(const RateRegisters& registers) const { engine.load(registers); }
  void operator()(const RateTableWrite& w) const { engine.load(w.table, w.index, w.word); }
  void operator()(const DecreaseRequest& request) const { engine.decrease(request); }
  void operator()(const IncreaseRequest& request) const { engine.increase(request); }
};

int replay(const ReplayOptions& replay) {
  const RateRecording recording = read_rate_recording(replay.recording);
  auto unit = std::make_unique<TracedRate>("rtl (traced)", recording.fault, recording.random_seed);
  TracedRate& traced = *unit;
  RateLockstepOptions options;
  options.name = "replay";
  options.seed = recording.seed;
  options.rtl.fault = recording.fault;
  options.rtl.random_seed = recording.random_seed;
  options.log_path = replay.recording + ".replayed";
  const auto engine = make_lockstep_rate_engine(options, make_rtl_rate_engine(std::move(unit)));
  const std::vector<RateCall>& calls = recording.calls;
  return replay_calls<LockstepMismatch>(
      replay, calls.size(), [&](std::size_t i) { std::visit(MakeCall{*engine}, calls[i]); },
      [&] { engine->finish(); }, [&] { traced.watch().open(traced, replay.fst); },
      [&] { return engine->comparisons(); });
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  return dcc::replay_main(argc, argv, "rate_replay", 5000, dcc::replay);
}
