// The bench of one timing wheel: stimulus, device under test and oracle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>

#include "timing_wheel_coverage.h"
#include "timing_wheel_dut.h"
#include "timing_wheel_oracle.h"
#include "timing_wheel_stimulus.h"

namespace dcc {

/// Error thrown when the wheel violates its contract. what() gives cycle, tick and the last
/// transactions.
class WheelMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Maximum number of cycles that a command waits while starts are accepted and no records are
/// swept.
constexpr std::uint32_t kCommandBound = 12;
/// Maximum number of ticks by which the wheel falls behind in profile full, whose ticks have 16
/// cycles or more. Commands and moves take turns, so commands alone cannot delay the wheel further.
constexpr std::uint32_t kFullLoadLag = 16;
/// Maximum number of cycles by which the i-th expiry of a tick is late for a consumer that takes
/// one every 4 cycles, if ticks have 250 cycles or more.
constexpr std::uint32_t kExpiryBound = 64;

/// Drives a timing wheel and checks every output in every cycle against the oracle. `timed` also
/// checks bounds in cycles (false for the model, which has no such bounds).
class WheelBench {
 public:
  WheelBench(WheelDut& dut, WheelCoverage& coverage, bool timed);

  /// Runs a profile until `ops` operations are done, then lets all timers expire and checks that no
  /// timer is left. Throws WheelMismatch.
  CosimProfileResult run(const std::string& profile, std::uint64_t ops, std::uint64_t seed);

 private:
  struct Transaction {
    std::uint64_t cycle = 0;
    std::uint64_t tick = 0;
    const char* what = "";
    std::uint32_t slot = 0;
    std::uint64_t value = 0;
  };
  struct Life {
    std::uint64_t started = 0;
    int level = 0;
    bool waited = false;  // true if the wheel offered the expiry and the consumer did not take it
  };
  struct Expected {
    bool hit = false;
    WheelCommand op = WheelCommand::kRead;
    std::uint32_t due = 0;
    std::uint64_t accepted = 0;  // cycle in which the command was accepted
  };

  void cycle(WheelInputs& in, WheelStimulus* stimulus);
  void drain();
  void check_time(const WheelInputs& in, const WheelOutputs& out);
  void check_offer(const WheelInputs& in, const WheelOutputs& out);
  void check_idle(const WheelOutputs& out);
  void check_promise(const WheelInputs& in, const WheelOutputs& out);
  void check_moves(const WheelOutputs& out);
  void check_command_wait(const WheelInputs& in, const WheelOutputs& out);
  void take(const WheelOutputs& out);
  void accept(const WheelInputs& in, const WheelOutputs& out, bool expired_now);
  void answer(const WheelOutputs& out);
  void end_life(std::uint32_t slot, WheelOutcome outcome, bool pressed);
  void pass_time(const WheelInputs& in, const WheelOutputs& out);
  void track_schedule(const WheelStimulus* stimulus, const WheelOutputs& out);
  void log(const char* what, std::uint32_t slot, std::uint64_t value);
  [[noreturn]] void fail(const std::string& what) const;

  WheelDut& dut_;
  WheelCoverage& coverage_;
  const bool timed_;
  WheelOracle oracle_{kVerilatedTimers};
  std::vector<Life> lives_{kVerilatedTimers};
  CosimProfileResult result_;
  WheelRandom random_{1};

  std::uint64_t cycle_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t pointer_ = 0;
  bool pointer_moved_ = false;
  bool overrun_ = false;
  std::deque<Expected> expected_;  // expected answers to the commands that the wheel has accepted
  // true if the consumer did not take the expiry that was offered in the previous cycle
  bool offered_ = false;
  std::uint16_t offered_slot_ = 0;
  bool command_waits_ = false;
  std::uint32_t command_wait_ = 0;
  std::uint32_t expiry_wait_ = 0;

  bool promised_ = false;      // true if the wheel was idle and has received no command since then
  std::uint64_t promise_ = 0;  // tick at which the wheel announced work; kNever: none
  std::uint64_t moves_left_ = 0;  // number of moves that events may still make, two for each start

  bool kept_up_ = false;  // true if the lag was zero at some time since the records were swept

  bool paced_ = false;  // true: ticks have the platform's length and the wheel has no lag
  std::uint64_t ideal_service_ = 0;              // cycle in which the consumer took the last expiry
  std::array<std::uint64_t, 256> tick_begin_{};  // cycle in which each tick began, by tick mod 256

  std::array<Transaction, 32> log_{};
  std::uint64_t logged_ = 0;
};

}  // namespace dcc
