// Replays a recording of a controller in lock-step, with a waveform of its end:
// controller_replay RECORDING [--fst FILE] [--last CALLS]
#include <Vcontroller_checked_1024.h>
#include <Vcontroller_checked_1024___024root.h>
#include <Vcontroller_checked_64.h>
#include <Vcontroller_checked_64___024root.h>

#include <string>

#include "controller/controller_model.h"
#include "controller/controller_registers.h"
#include "controller_engine_lockstep.h"
#include "controller_engine_rtl_impl.h"
#include "controller_recording.h"
#include "controller_rtl_dut_verilated.h"
#include "replay_program.h"

namespace dcc {
namespace {

/// A receiver of rates for replays, which ignores all rates.
class NoSink final : public RateSink {
  void rate_calculated(std::uint32_t, Rate) override {}
};

void make_call(ControllerEngine& device, regs::RegisterBlock& block, const ControllerCall& c) {
  std::uint32_t value = 0;
  switch (c.kind) {
    case ControllerCall::Kind::kCnp:
      return device.cnp(c.first, c.dscp, c.marks, c.packets);
    case ControllerCall::Kind::kBytes:
      return device.bytes(c.first, c.dscp, c.second);
    case ControllerCall::Kind::kRelease:
      return device.release(c.first);
    case ControllerCall::Kind::kQuery:
      return device.query(c.first);
    case ControllerCall::Kind::kWrite:
      block.write(c.first, c.second, c.dscp);
      return;
    case ControllerCall::Kind::kRead:
      block.read(c.first, value);
      return;
    case ControllerCall::Kind::kLook:
      if (c.first == ControllerCall::kFigures) device.statistics();
      if (c.first == ControllerCall::kSlotOf) device.slot_of(c.second);
      if (c.first == ControllerCall::kSlot) device.slot(c.second);
      return;
  }
}

template <class Dut>
int replay_on(const ReplayOptions& replay, const ControllerRecording& recording) {
  constexpr std::uint32_t kRank = 1;
  Scheduler scheduler;
  NoSink sink;
  ControllerConfig config;
  config.slots = recording.slots;
  config.clock = Frequency{recording.clock_hertz};
  Dut* traced = nullptr;
  RtlController<Dut>* rtl = nullptr;
  ControllerLockstepOptions options;
  options.name = "replay";
  options.seed = recording.seed;
  options.rtl.fault = recording.fault;
  options.log_path = replay.recording + ".replayed";
  const std::unique_ptr<LockstepControllerEngine> engine =
      make_lockstep_controller(scheduler, config, kRank, sink, options, [&](RateSink& ear) {
        auto dut = std::make_unique<Dut>(recording.fault);
        traced = dut.get();
        auto made = std::make_unique<RtlController<Dut>>(scheduler, config, kRank, ear, options.rtl,
                                                         std::move(dut));
        rtl = made.get();
        return made;
      });
  regs::ControllerRegisters registers(*engine);
  const std::vector<ControllerCall>& calls = recording.calls;
  // Prolongs the waveform: lock-step detects a difference when the RTL predicts an answer, and the
  // waveform continues until this answer has left the block.
  const auto watched = [&](const auto& what) {
    try {
      what();
    } catch (const LockstepMismatch&) {
      for (int i = 0; i < 8; ++i) traced->edge();
      throw;
    }
  };
  return replay_calls<LockstepMismatch>(
      replay, calls.size(),
      [&](std::size_t i) {
        watched([&] {
          scheduler.run_until(calls[i].time);
          make_call(*engine, registers.block(), calls[i]);
        });
      },
      [&] { watched([&] { scheduler.run_until(recording.end); }); },
      [&] {
        rtl->skip_idle(false);
        traced->watch().open(*traced, replay.fst);
      },
      [&] { return engine->comparisons(); });
}

int replay(const ReplayOptions& replay) {
  const ControllerRecording recording = read_controller_recording(replay.recording);
  using Small =
      VerilatedController<Vcontroller_checked_64, Vcontroller_checked_64___024root, Waveform>;
  using Large =
      VerilatedController<Vcontroller_checked_1024, Vcontroller_checked_1024___024root, Waveform>;
  if (recording.slots == 64) return replay_on<Small>(replay, recording);
  if (recording.slots == 1024) return replay_on<Large>(replay, recording);
  throw std::runtime_error("no RTL with " + std::to_string(recording.slots) + " slots");
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  return dcc::replay_main(argc, argv, "controller_replay", 100, dcc::replay);
}
