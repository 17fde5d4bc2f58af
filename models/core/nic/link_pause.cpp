#include "nic/link_pause.h"

namespace dcc {

void LinkPause::pause_received(unsigned priorities, PicoSeconds now) {
  for (std::size_t p = 0; p < kPriorities; ++p) by_priority_[p].frames += priorities >> p & 1;
  block(priorities & pfc_mask_, now);
}

void LinkPause::block(unsigned priorities, PicoSeconds now) {
  const unsigned changed = paused_ ^ priorities;
  for (std::size_t p = 0; changed != 0 && p < kPriorities; ++p) {
    if ((changed >> p & 1) == 0) continue;
    if ((priorities >> p & 1) != 0) {
      since_[p] = now;
    } else {
      ++by_priority_[p].ends;
      by_priority_[p].time += now - since_[p];
    }
  }
  if (paused_ == 0 && priorities != 0) pause_started_ = now;
  if (paused_ != 0 && priorities == 0) paused_time_ += now - pause_started_;
  paused_ = blocked_ = priorities;
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
