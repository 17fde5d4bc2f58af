#include "nic/link_pause.h"

namespace dcc {

void LinkPause::pause_received(unsigned priorities, PicoSeconds now) {
  if (priorities != 0) {
    History& history = make_history();
    for (std::size_t p = 0; p < kPriorities; ++p) {
      history.by_priority[p].frames += priorities >> p & 1;
    }
  }
  block(priorities & pfc_mask_, now);
}

void LinkPause::block(unsigned priorities, PicoSeconds now) {
  if (priorities != paused_) {
    record(priorities, now);
    paused_ = priorities;
  }
  blocked_ = priorities;
}

/// Notes which priorities change from the present state to `priorities`.
void LinkPause::record(unsigned priorities, PicoSeconds now) {
  History& history = make_history();
  const unsigned changed = paused_ ^ priorities;
  for (std::size_t p = 0; p < kPriorities; ++p) {
    if ((changed >> p & 1) == 0) continue;
    if ((priorities >> p & 1) != 0) {
      history.since[p] = now;
    } else {
      ++history.by_priority[p].ends;
      history.by_priority[p].time += now - history.since[p];
    }
  }
  if (paused_ == 0 && priorities != 0) history.started = now;
  if (paused_ != 0 && priorities == 0) history.total += now - history.started;
}

bool LinkPause::set_pfc_mask(unsigned mask, PicoSeconds now) {
  pfc_mask_ = mask;
  if ((paused_ & ~pfc_mask_) == 0) return false;
  block(paused_ & pfc_mask_, now);
  return true;
}

void LinkPause::set_carrier(bool up, PicoSeconds now) {
  block(0, now);
  if (!up) blocked_ = 0xFF;
}

}  // namespace dcc
