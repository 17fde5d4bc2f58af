#include "nic/link_pause.h"

namespace dcc {

void LinkPause::block(unsigned priorities, PicoSeconds now) {
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
