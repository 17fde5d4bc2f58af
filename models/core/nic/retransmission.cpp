#include "nic/retransmission.h"

#include <memory>

namespace dcc {

void Retransmission::gap_reported(SendQueuePair& pair) const {
  if (pair.recovery == nullptr) return;
  pair.recovery->gap_reported(pair.config.base_rtt / serialization_time(1, parameters_.line_rate));
  limit_window(pair);
}

void Retransmission::open_window(SendQueuePair& pair, Bytes newly_acked) {
  if (pair.work.idle()) {
    pair.recovery.reset();
  } else {
    pair.recovery->acknowledged(newly_acked);
  }
  limit_window(pair);
}

void Retransmission::close_window(SendQueuePair& pair) {
  if (pair.recovery == nullptr) {
    pair.recovery = std::make_unique<RecoveryWindow>(pair.work.mtu(), pair.work.in_flight());
  }
  pair.recovery->timed_out();
  limit_window(pair);
}

}  // namespace dcc
