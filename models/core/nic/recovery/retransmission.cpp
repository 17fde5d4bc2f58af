#include "nic/recovery/retransmission.h"

#include <memory>

namespace dcc {

void Retransmission::gap_reported(SendQueuePair& pair) const {
  if (pair.recovery == nullptr) return;
  pair.recovery->gap_reported(pair.config.base_rtt / serialization_time(1, parameters_.line_rate));
  limit_window(pair);
}

void Retransmission::arrived_early(SendQueuePair& pair, Psn early) const {
  if (early < pair.work.oldest_unacked() || early >= pair.work.next_psn()) return;
  if (pair.selective == nullptr) {
    pair.selective = std::make_unique<SelectiveRepeat>(selective_window_, pair.work);
    gap_reported(pair);
  }
  pair.selective->arrived(pair.work, early);
}

void Retransmission::repeat_unheard(SendQueuePair& pair) const {
  if (pair.selective == nullptr) {
    pair.selective = std::make_unique<SelectiveRepeat>(selective_window_, pair.work);
  }
  pair.selective->timed_out(pair.work);
  went_back(pair);
}

bool Retransmission::has_lost(const SendQueuePair& pair) {
  if (!pair.selective->has_lost()) return false;
  const Bytes repeated = pair.selective->repeated_bytes();
  return pair.recovery == nullptr || repeated == 0 || repeated < pair.window;
}

void Retransmission::open_window(SendQueuePair& pair, Bytes newly_acked) {
  if (pair.work.idle()) {
    pair.recovery.reset();
  } else {
    pair.recovery->acknowledged(newly_acked);
  }
  limit_window(pair);
}

void Retransmission::close_window(SendQueuePair& pair) const {
  if (pair.recovery == nullptr) {
    pair.recovery = std::make_unique<RecoveryWindow>(pair.work.mtu(), pair.work.in_flight());
  }
  pair.recovery->timed_out(scheduler_.now());
  limit_window(pair);
}

}  // namespace dcc
