// The checks of the wheel's bench: each event at its tick, exactly once and in order; bounds in
// cycles; correct time outputs.
#include "timing_wheel_bench.h"

#include <algorithm>

namespace dcc {
namespace {

constexpr std::uint32_t kHoldLag = 65536 - 2 * 2048;
constexpr std::uint32_t kOverrunLag = 32768;
constexpr std::uint32_t kHang = 50'000;  // number of cycles without progress that count as a hang
// number of cycles without an operation that count as a hang
constexpr std::uint32_t kStuck = 300'000;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
// minimum number of cycles between two expiries that the platform takes
constexpr std::uint32_t kService = 4;

}  // namespace

WheelBench::WheelBench(WheelDut& dut, WheelCoverage& coverage, bool timed)
    : dut_(dut), coverage_(coverage), timed_(timed) {}

CosimProfileResult WheelBench::run(const std::string& profile, std::uint64_t ops,
                                   std::uint64_t seed) {
  const std::unique_ptr<WheelStimulus> stimulus =
      make_wheel_stimulus(profile, kVerilatedTimers, seed);
  random_ = WheelRandom(~seed);
  result_ = {};
  result_.profile = profile;
  const std::uint64_t first_cycle = cycle_;
  WheelInputs in;
  std::uint64_t operations = 0, progress = cycle_;
  while (result_.operations < ops) {
    cycle(in, stimulus.get());
    if (result_.operations != operations) progress = cycle_;
    operations = result_.operations;
    if (cycle_ - progress > kStuck) fail("nothing is accepted and nothing expires");
  }
  drain();
  result_.cycles = cycle_ - first_cycle;
  return result_;
}

void WheelBench::cycle(WheelInputs& in, WheelStimulus* stimulus) {
  in.clear = false;
  in.overrun_clear = false;
  if (stimulus != nullptr) {
    stimulus->drive({cycle_, now_, pointer_, offered_, offered_slot_, command_waits_, &oracle_},
                    in);
    in.clear = random_.one_in(1u << 19);
    in.overrun_clear = random_.one_in(1u << 12);
  }
  const WheelOutputs out = dut_.cycle(in);
  result_.busy_cycles += out.busy ? 1 : 0;
  result_.moves += out.move ? 1 : 0;

  check_time(in, out);
  check_offer(in, out);
  check_command_wait(in, out);
  check_idle(out);
  if (timed_) check_promise(in, out);
  if (timed_) check_moves(out);
  if (timed_) track_schedule(stimulus, out);
  answer(out);

  const bool fire = out.expire_valid && in.expire_ready;
  if (out.expire_valid && !fire) lives_[out.expire_slot].waited = true;
  if (fire) take(out);
  const bool accepted = in.cmd_valid && out.cmd_ready;
  if (accepted) promised_ = false;
  if (accepted) accept(in, out, fire && out.expire_slot == in.cmd_slot);
  offered_ = out.expire_valid && !fire &&
             !(accepted && in.cmd_slot == out.expire_slot && in.cmd_op != WheelCommand::kRead);
  if (out.expire_valid) offered_slot_ = out.expire_slot;
  command_waits_ = in.cmd_valid && !accepted;
  if (accepted) in.cmd_valid = false;

  if (in.clear) {
    if (oracle_.pending() > 0) coverage_.seen(WheelSituation::kClearedWhilePending);
    log("clear", 0, oracle_.pending());
    oracle_.clear();
    expected_.clear();
    offered_ = false;
    paced_ = false;
    promised_ = false;
    moves_left_ = 0;
  }
  pass_time(in, out);
  ++cycle_;
}

void WheelBench::drain() {
  WheelInputs in;
  for (std::uint64_t quiet = 0; quiet < kHang; ++quiet) {
    in = WheelInputs{};
    in.expire_ready = true;
    in.advance = oracle_.pending() > 0;
    in.advance_to = static_cast<std::uint32_t>(now_ + 3000);
    const std::size_t before = oracle_.pending();
    cycle(in, nullptr);
    if (oracle_.pending() != before) quiet = 0;
    if (oracle_.pending() == 0 && quiet > 20) break;
  }
  if (oracle_.pending() != 0) {
    fail(std::to_string(oracle_.pending()) + " events left over at the end, first slot " +
         std::to_string(oracle_.first().second) + " due " + std::to_string(oracle_.first().first));
  }
  if (!expected_.empty()) fail("a command was accepted and never done");
  const WheelOutputs out = dut_.cycle(WheelInputs{});
  ++cycle_;
  if (!out.idle) fail("empty, but not idle");
  if (out.next_due_valid) fail("empty, but next_due is valid");
}

void WheelBench::check_time(const WheelInputs& in, const WheelOutputs& out) {
  if (out.now != static_cast<std::uint32_t>(now_)) {
    fail("now is " + std::to_string(out.now) + ", not " + std::to_string(now_));
  }
  pointer_moved_ = pointer_ != now_ - out.lag;
  pointer_ = now_ - out.lag;
  if (oracle_.pending() > 0 && oracle_.first().first < pointer_) {
    fail("the pointer passed an event: lag " + std::to_string(out.lag) + ", slot " +
         std::to_string(oracle_.first().second) + " was due " +
         std::to_string(oracle_.first().first));
  }
  if (!out.init_done) kept_up_ = false;  // events do not move while the records are swept
  if (out.init_done && out.lag == 0) kept_up_ = true;
  if (timed_ && kept_up_ && result_.profile == "full" && out.lag > kFullLoadLag) {
    fail("at full load the lag grows to " + std::to_string(out.lag));
  }
  // The model sets its overrun flag one cycle earlier than the RTL, which needs a cycle after the
  // lag has grown.
  if (timed_ && out.overrun != overrun_) {
    fail(out.overrun ? "overrun without a lag" : "overrun is not told, or not kept");
  }
  overrun_ = out.lag >= kOverrunLag || (overrun_ && !in.overrun_clear);
  if (out.overrun) coverage_.seen(WheelSituation::kOverrun);
}

void WheelBench::check_offer(const WheelInputs& in, const WheelOutputs& out) {
  if (offered_ && !(out.expire_valid && out.expire_slot == offered_slot_)) {
    fail("the offer of slot " + std::to_string(offered_slot_) + " went away untaken");
  }
  if (!out.expire_valid) {
    const bool due = oracle_.pending() > 0 && oracle_.first().first <= now_;
    expiry_wait_ = due && in.expire_ready && !pointer_moved_ ? expiry_wait_ + 1 : 0;
    if (expiry_wait_ > kHang) fail("a due event does not come");
    return;
  }
  expiry_wait_ = 0;
  if (oracle_.pending() == 0) {
    fail("expiry of slot " + std::to_string(out.expire_slot) + ", but nothing is started");
  }
  const auto [due, slot] = oracle_.first();
  if (slot != out.expire_slot || static_cast<std::uint32_t>(due) != out.expire_due) {
    fail("expiry of slot " + std::to_string(out.expire_slot) + " due " +
         std::to_string(out.expire_due) + ", but the first is slot " + std::to_string(slot) +
         " due " + std::to_string(due));
  }
  if (due > now_) fail("slot " + std::to_string(slot) + " expires early");
  if (now_ - due != out.lag) fail("lateness is not the lag: " + std::to_string(out.lag));
}

void WheelBench::check_idle(const WheelOutputs& out) {
  if (!out.idle) return;
  if (out.lag != 0) fail("idle with a lag of " + std::to_string(out.lag));
  if (oracle_.pending() == 0) {
    if (out.next_due_valid) fail("idle with nothing started, but next_due is valid");
    return;
  }
  const std::uint64_t due = oracle_.first().first;
  if (due <= now_) fail("idle with an event due");
  if (!out.next_due_valid) fail("idle with events started, but next_due is not valid");
  const std::uint64_t next = now_ + static_cast<std::uint32_t>(out.next_due - out.now);
  if (next > due || next == now_)
    fail("next_due is " + std::to_string(next) + ", an event is due " + std::to_string(due));
}

// Checks that the output `idle` is exact: without a command no event occurs before next_due, and
// one occurs then.
void WheelBench::check_promise(const WheelInputs& in, const WheelOutputs& out) {
  if (out.busy || out.expire_valid) {
    if (promised_ && !in.cmd_valid && now_ < promise_) {
      fail("it works before the next_due of " + std::to_string(promise_));
    }
    promised_ = false;
    return;
  }
  if (!out.idle) return;
  if (promised_ && now_ == promise_) fail("idle again, but next_due had named this tick");
  const std::uint64_t next =
      out.next_due_valid ? now_ + static_cast<std::uint32_t>(out.next_due - out.now) : kNever;
  if (promised_ && next != promise_) {
    fail("next_due went from " + std::to_string(promise_) + " to " + std::to_string(next));
  }
  promised_ = true;
  promise_ = next;
}

void WheelBench::check_moves(const WheelOutputs& out) {
  if (!out.move) return;
  if (moves_left_ == 0) fail("more than two moves for each start");
  --moves_left_;
}

void WheelBench::check_command_wait(const WheelInputs& in, const WheelOutputs& out) {
  const bool held = out.lag >= kHoldLag && in.cmd_op == WheelCommand::kStart;
  if (out.cmd_ready && !out.init_done) fail("ready before the records are swept");
  if (held && out.cmd_ready && timed_) fail("a start is accepted beyond the horizon");
  if (!in.cmd_valid || out.cmd_ready || !out.init_done || held) {
    if (in.cmd_valid && held && !out.cmd_ready) coverage_.seen(WheelSituation::kStartHeldAtHorizon);
    command_wait_ = 0;
    return;
  }
  ++command_wait_;
  result_.longest_command_stall = std::max(result_.longest_command_stall, command_wait_);
  if (timed_ && command_wait_ > kCommandBound) fail("a command waits longer than its bound");
}

void WheelBench::track_schedule(const WheelStimulus* stimulus, const WheelOutputs& out) {
  const bool pace_fits = stimulus != nullptr && stimulus->pace().tick_cycles >= 250 &&
                         stimulus->pace().take_one_in == 1 && stimulus->pace().take_gap <= kService;
  if (!pace_fits || !out.init_done) {
    paced_ = false;
  } else if (!paced_ && out.lag == 0 &&
             (oracle_.pending() == 0 || oracle_.first().first > now_ + 64)) {
    paced_ = true;
    ideal_service_ = 0;
    tick_begin_.fill(cycle_);
  }
}

void WheelBench::take(const WheelOutputs& out) {
  const auto [due, slot] = oracle_.first();
  log("expiry", slot, due);
  if (paced_) {
    result_.largest_lateness =
        std::max(result_.largest_lateness, static_cast<std::uint32_t>(now_ - due));
    ideal_service_ = std::max(ideal_service_ + kService, tick_begin_[due % tick_begin_.size()]);
    if (cycle_ > ideal_service_) {
      const auto slip = static_cast<std::uint32_t>(cycle_ - ideal_service_);
      result_.longest_first_expiry = std::max(result_.longest_first_expiry, slip);
      if (slip > kExpiryBound) {
        fail("an expiry comes " + std::to_string(slip) + " cycles after the platform's schedule");
      }
    }
  }
  (void)out;
  end_life(slot, WheelOutcome::kExpired, lives_[slot].waited);
  oracle_.withdraw(slot);
  ++result_.expiries;
  ++result_.operations;
}

void WheelBench::accept(const WheelInputs& in, const WheelOutputs& out, bool expired_now) {
  const std::uint32_t slot = in.cmd_slot;
  const std::optional<std::uint64_t> old_due = oracle_.due(slot);
  const bool offered = out.expire_valid && out.expire_slot == slot && !expired_now;
  const bool queued = old_due.has_value() && *old_due <= now_ && !offered;
  const bool pressed = out.expire_valid && !(offered_ == false && expired_now);
  expected_.push_back({old_due.has_value(), in.cmd_op,
                       static_cast<std::uint32_t>(old_due.value_or(0) & 0x1FFFF), cycle_});
  switch (in.cmd_op) {
    case WheelCommand::kStart: {
      const std::uint64_t due = now_ + std::max<std::uint32_t>(1, in.cmd_delay);
      log(old_due.has_value() ? "restart" : "start", slot, due);
      if (expired_now) coverage_.seen(WheelSituation::kRestartWithExpiryTaken);
      if (offered) coverage_.seen(WheelSituation::kRestartOfOffered);
      if (queued) coverage_.seen(WheelSituation::kRestartOfDue);
      if (in.cmd_delay == 0) coverage_.seen(WheelSituation::kDelayZero);
      if (in.cmd_delay == 1) coverage_.seen(WheelSituation::kDelayOne);
      if (in.cmd_delay == 65535) {
        coverage_.seen(WheelSituation::kDelayLongest);
        if (out.lag > 0) coverage_.seen(WheelSituation::kMaxDelayWithLag);
      }
      if (out.lag > 0) coverage_.seen(WheelSituation::kStartWithLag);
      if (old_due.has_value()) {
        end_life(slot,
                 due >= *old_due ? WheelOutcome::kRestartedLater : WheelOutcome::kRestartedEarlier,
                 pressed);
      }
      oracle_.start(slot, due);
      moves_left_ += 2;
      lives_[slot] = {now_, WheelCoverage::level(due, pointer_), false};
      if (oracle_.pending() == kVerilatedTimers) coverage_.seen(WheelSituation::kAllSlotsStarted);
      break;
    }
    case WheelCommand::kCancel:
      log("cancel", slot, old_due.value_or(0));
      if (expired_now) coverage_.seen(WheelSituation::kCancelWithExpiryTaken);
      if (offered) coverage_.seen(WheelSituation::kCancelOfOffered);
      if (queued) coverage_.seen(WheelSituation::kCancelOfDue);
      if (old_due.has_value()) {
        end_life(slot, WheelOutcome::kCancelled, pressed);
      } else {
        coverage_.seen(WheelSituation::kCancelOfNothing);
      }
      oracle_.withdraw(slot);
      break;
    case WheelCommand::kRead:
      coverage_.seen(old_due.has_value() ? WheelSituation::kReadStarted
                                         : WheelSituation::kReadNotStarted);
      return;
  }
  ++result_.commands;
  ++result_.operations;
}

void WheelBench::answer(const WheelOutputs& out) {
  if (!out.cmd_done) return;
  if (expected_.empty()) fail("a command is done that was not accepted");
  const Expected expected = expected_.front();
  expected_.pop_front();
  if (expected.hit != out.cmd_hit) {
    fail(std::string("a command says the slot was ") + (out.cmd_hit ? "" : "not ") + "started");
  }
  if (expected.op == WheelCommand::kRead && expected.hit && expected.due != out.cmd_due) {
    fail("a read tells due " + std::to_string(out.cmd_due) + ", not " +
         std::to_string(expected.due));
  }
  // Number of cycles of an operation as in doc/theory.md, without the cycle in which the operation
  // overlaps the next one.
  const std::uint64_t took = cycle_ - expected.accepted;
  const bool changes = expected.hit && expected.op != WheelCommand::kRead;
  const bool lazy = expected.op == WheelCommand::kStart && took == 1;
  if (timed_ && !lazy && took != (!changes ? 1u : expected.op == WheelCommand::kCancel ? 2u : 3u)) {
    fail("a command is done after " + std::to_string(took) + " cycles");
  }
}

void WheelBench::end_life(std::uint32_t slot, WheelOutcome outcome, bool pressed) {
  const Life& life = lives_[slot];
  const std::uint64_t due = *oracle_.due(slot);
  const bool wrapped = (life.started >> 16) != (due >> 16);
  const int level = std::min(life.level, WheelCoverage::level(due, pointer_));
  coverage_.event_ended(life.level, level, wrapped, outcome, pressed);
}

void WheelBench::pass_time(const WheelInputs& in, const WheelOutputs& out) {
  const std::uint64_t before = now_;
  if (in.advance && out.idle && !in.clear) {
    std::uint64_t target = now_ + static_cast<std::uint32_t>(in.advance_to - out.now);
    const std::uint64_t next = now_ + static_cast<std::uint32_t>(out.next_due - out.now);
    if (out.next_due_valid && next < target) {
      target = next;
      coverage_.seen(WheelSituation::kSkipClamped);
    }
    if (target != now_) coverage_.seen(WheelSituation::kSkipped);
    now_ = target;
  }
  if (in.tick) ++now_;
  if (now_ == before) return;
  tick_begin_[now_ % tick_begin_.size()] = cycle_ + 1;
  if ((before >> 32) != (now_ >> 32)) coverage_.seen(WheelSituation::kTimeWrapped);
  std::size_t on_this_tick = 0;
  if (random_.one_in(64) || oracle_.pending() >= kVerilatedTimers / 2) {
    for (auto it = oracle_.order().begin();
         it != oracle_.order().end() && it->first == now_ && on_this_tick < kVerilatedTimers / 2;
         ++it) {
      ++on_this_tick;
    }
  }
  if (on_this_tick == kVerilatedTimers / 2) coverage_.seen(WheelSituation::kHalfTheSlotsOnOneTick);
}

void WheelBench::log(const char* what, std::uint32_t slot, std::uint64_t value) {
  log_[logged_++ % log_.size()] = {cycle_, now_, what, slot, value};
}

void WheelBench::fail(const std::string& what) const {
  std::string text = dut_.name() + ", profile " + result_.profile + ", cycle " +
                     std::to_string(cycle_) + ", tick " + std::to_string(now_) + ": " + what +
                     "\n  last transactions (cycle, tick, what, slot, due):";
  const std::uint64_t first = logged_ > log_.size() ? logged_ - log_.size() : 0;
  for (std::uint64_t i = first; i < logged_; ++i) {
    const Transaction& t = log_[i % log_.size()];
    text += "\n  " + std::to_string(t.cycle) + " " + std::to_string(t.tick) + " " + t.what + " " +
            std::to_string(t.slot) + " " + std::to_string(t.value);
  }
  throw WheelMismatch(text);
}

}  // namespace dcc
