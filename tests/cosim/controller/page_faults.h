// A memory that loses a bit, from the warm-up to the recovery.
#pragma once

#include <cstdint>
#include <string>

#include "guarded_memory.h"
#include "page_bench.h"

namespace dcc::page {

struct Loss {
  std::uint64_t most_waited = 0;  // cycles until it was seen
  std::uint64_t answered = 0;     // right answers between the loss and the standstill
};

/// CTRL.SOFT_RESET, and waits until it is over.
void soft_reset(Bench& bench);

/// Flips that bit in all words under random load: no wrong answer may leave, the block must say
/// what happened and stand still, and after a soft reset keep the contract again. Empty, or what
/// was wrong.
std::string lose_a_bit(Bench& bench, const GuardedMemory& memory, unsigned bit, Loss& loss);

/// A wrong CNP waits at the head of its FIFO, which that memory is, until MEMORY_ERRORS is full: a
/// cycle counts one. Empty, or what was wrong.
std::string count_errors(Bench& bench, const GuardedMemory& cnps);

/// CNPs in every cycle leave no room for expiries, until the wheel is 2^15 ticks behind; then a
/// soft reset. Empty, or what was wrong.
std::string starve(Bench& bench);

/// CNPs in every cycle while a flow's notifications are joined as often as is counted; of the
/// expiries that are late together the last is due a thousand ticks after the others. Empty, or
/// what was wrong.
std::string join_and_be_late(Bench& bench);

/// Ticks of up to 2^15 cycles. Empty, or what was wrong.
std::string long_ticks(Bench& bench);

}  // namespace dcc::page
