// Register accesses of software to the verilated controller: accesses that take cycles, and
// inspection without cycles.
#pragma once

#include "controller_engine_rtl_impl.h"

namespace dcc {

/// Returns the first access of the queue, after setting its pins.
template <class Dut>
void RtlController<Dut>::drive_access(ControllerPins& pins) {
  if (!pins.penable) {
    in_access_ = true;
    if (is_soft_reset(accesses_.front().what)) reset_at_ = effect_of_reset();
    return;
  }
  const bool done = dut_->pready();
  const Access& access = accesses_.front();
  const Cycle edge = at_ + 1;
  if (access.sure && done != (edge == access.end)) {
    throw RtlError("the access of " + std::to_string(access.what.address) +
                   (done ? " ends at edge " : " does not end at edge ") + std::to_string(edge) +
                   "; it began at " + std::to_string(access.from) + " and was to end at " +
                   std::to_string(access.end));
  }
  if (!done) return;
  in_access_ = false;
  accesses_.pop();
  if (!accesses_.empty()) {
    accesses_.front().from = std::max(accesses_.front().from, edge + 1);
  }
}

/// An access that writes CTRL.SOFT_RESET begins in this cycle, and its pins are set. Simulates a
/// copy of the state and returns the cycle in which the reset takes effect. Inputs that arrive
/// later do not change this cycle: while the access waits, the arbiter issues no event.
template <class Dut>
Cycle RtlController<Dut>::effect_of_reset() {
  dut_->save(image_);
  Cycle ahead = at_;
  dut_->edge();
  ControllerPins pins;
  set_access(pins, accesses_.front().what, true);
  dut_->drive(pins);
  const auto go_while = [&](bool ready) {
    for (; dut_->ready() == ready; ++ahead) {
      if (ahead - at_ == kMaxAccess) throw RtlError("the controller's RTL does not reset");
      dut_->edge();
    }
  };
  go_while(false);  // an earlier reset ends
  go_while(true);
  dut_->restore(image_);
  return ahead + 1;  // the first cycle in which the RTL is not ready
}

/// Makes a register access at once, with no other activity. `edges` receives the number of edges
/// that the access takes.
template <class Dut>
auto RtlController<Dut>::make_access(const Transfer& access, Cycle& edges) -> Transfer {
  ControllerPins pins;
  set_access(pins, access, false);
  dut_->drive(pins);
  dut_->edge();
  pins.penable = true;
  dut_->drive(pins);
  for (edges = 2; !dut_->pready(); ++edges) {
    if (edges == kMaxAccess) throw RtlError("the controller's RTL does not end an access");
    dut_->edge();
  }
  Transfer answer = access;
  if (!access.write) answer.value = dut_->prdata();
  answer.refused = dut_->pslverr();
  dut_->edge();
  dut_->drive({});
  return answer;
}

/// Makes the waiting accesses on a copy of the state. Returns the cycle in which the last access
/// ends.
template <class Dut>
Cycle RtlController<Dut>::finish_accesses() {
  Cycle ahead = at_;
  if (driven_) dut_->drive({});
  for (std::uint32_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (i == 0 && in_access_) {
      ControllerPins pins;
      set_access(pins, access.what, true);
      dut_->drive(pins);
      // The access's end is an estimate: inputs that arrive after the call can delay it.
      for (bool done = false; !done; ++ahead) {
        if (ahead - at_ == kMaxAccess)
          throw RtlError("the controller's RTL does not end an access");
        done = dut_->pready();
        dut_->edge();
      }
      dut_->drive({});
      continue;
    }
    for (; ahead < access.from - 1; ++ahead) dut_->edge();
    Cycle edges = 0;
    make_access(access.what, edges);
    ahead += edges;
  }
  return ahead;
}

/// Forwards a bus transfer to the RTL. The adapter keeps the register block's decoding for
/// parameters() and tables().
template <class Dut>
void RtlController<Dut>::access(regs::RegisterAccess& access) {
  const Transfer transfer{access.write, access.address, access.write ? access.value : 0,
                          access.strobe, false};
  const Transfer answer = forward(transfer);
  if (answer.refused != access.refused()) throw RtlError("the RTL's decoder differs");
  if (!access.write) {
    access.value = answer.value;
  } else if (access.window_written()) {
    tables_.write(static_cast<RateTable>(access.index), access.word, access.value);
  } else if (access.register_written) {
    regs::dcc_map::decode(parameters_, access.index, access.stored);
  }
}

template <class Dut>
auto RtlController<Dut>::forward(const Transfer& asked) -> Transfer {
  come_back();
  if (before_time()) {
    Cycle edges = 0;
    return make_access(asked, edges);
  }
  catch_up();
  Access now;
  now.from = std::max(edge(), accesses_.empty() ? 0 : access_end_ + 1);
  dut_->save(image_);
  Cycle ahead = finish_accesses();
  for (; ahead < now.from - 1; ++ahead) dut_->edge();
  Cycle edges = 0;
  const Transfer answer = make_access(asked, edges);
  now.end = ahead + edges;
  now.sure = accesses_.empty();
  dut_->restore(image_);
  now.what = asked;
  now.what.refused = answer.refused;
  access_end_ = now.end;
  accesses_.push(now);
  wake_by(now.end);
  return answer;
}

template <class Dut>
template <class Look>
auto RtlController<Dut>::drained(const Look& look) {
  if (looked()) return look();
  catch_up(accesses_.empty());
  if (at_ > last_busy_ && at_ - last_access_ >= kSettled && accesses_.empty()) return look();
  dut_->save(image_);
  Cycle waited = 0;
  dut_->hold();
  while (!dut_->quiet() || !dut_->ready()) {
    if (++waited == kMaxAccess) throw RtlError("the controller's RTL does not become quiet");
    dut_->edge();
  }
  dut_->edge();
  dut_->edge();
  ahead_ = true;
  ahead_from_ = edge();
  return look();
}

}  // namespace dcc
