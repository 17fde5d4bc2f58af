// Tests a memory of the controller that loses one bit, from the start of the load to the recovery.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "guarded_memory.h"
#include "page_bench.h"

namespace dcc::page {

struct Loss {
  std::uint64_t most_waited = 0;  // maximum number of cycles from the lost bit to its detection
  // number of correct answers from the lost bit to the stop of the controller
  std::uint64_t answered = 0;
  std::uint32_t word = 0;  // MEMORY_WORD before the soft reset
};

/// Writes CTRL.SOFT_RESET, and waits until the reset is over.
void soft_reset(Bench& bench);

/// Flips the given bits in all words of a memory under random load. No wrong answer may leave the
/// controller. The controller must report the error and stop, and after a soft reset it must obey
/// the contract again. Returns the violation, or an empty text.
std::string lose_bits(Bench& bench, const GuardedMemory& memory, const std::vector<unsigned>& bits,
                      Loss& loss);
std::string lose_a_bit(Bench& bench, const GuardedMemory& memory, unsigned bit, Loss& loss);

/// Places a corrupted CNP at the head of the CNP FIFO (the memory `cnps`) until MEMORY_ERRORS
/// saturates. Each cycle counts one error. Returns the violation, or an empty text.
std::string count_errors(Bench& bench, const GuardedMemory& cnps);

/// Sends a CNP in every cycle, so that no timer expiry is issued, until the wheel lags by 2^15
/// ticks. A soft reset follows. Returns the violation, or an empty text.
std::string starve(Bench& bench);

/// Sends a CNP and a byte notification in every cycle. The byte notifications of one flow are
/// joined until their counter saturates. The last of the late expiries is due a thousand ticks
/// after the other expiries. Returns the violation, or an empty text.
std::string join_and_be_late(Bench& bench);

/// Runs with tick lengths of up to 2^15 cycles. Returns the violation, or an empty text.
std::string long_ticks(Bench& bench);

}  // namespace dcc::page
