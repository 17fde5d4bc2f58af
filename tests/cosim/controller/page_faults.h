// One memory that loses a bit, from the warm-up of the controller to its recovery.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "guarded_memory.h"
#include "page_bench.h"

namespace dcc::page {

struct Loss {
  std::uint64_t most_waited = 0;  // maximum number of cycles until the fault is detected
  std::uint64_t answered = 0;     // correct answers from the lost bit to the stop of the block
};

/// Writes CTRL.SOFT_RESET, and waits until the reset is over.
void soft_reset(Bench& bench);

/// Flips the bits in all words under random load. No wrong answer may leave the block, the block
/// must report the error and stop, and after a soft reset it must keep the contract again. Returns
/// an empty text or the violation.
std::string lose_bits(Bench& bench, const GuardedMemory& memory, const std::vector<unsigned>& bits,
                      Loss& loss);
std::string lose_a_bit(Bench& bench, const GuardedMemory& memory, unsigned bit, Loss& loss);

/// Places a corrupted CNP at the head of its FIFO (the given memory) until MEMORY_ERRORS is
/// saturated; each cycle counts one error. Returns an empty text or the violation.
std::string count_errors(Bench& bench, const GuardedMemory& cnps);

/// Sends CNPs in every cycle, which leaves no room for expiries, until the wheel is 2^15 ticks
/// late; then resets by software. Returns an empty text or the violation.
std::string starve(Bench& bench);

/// Sends CNPs in every cycle while notifications of one flow are joined up to the counter's end.
/// The last of the late expiries is due a thousand ticks after the others. Returns an empty text or
/// the violation.
std::string join_and_be_late(Bench& bench);

/// Runs with ticks of up to 2^15 cycles. Returns an empty text or the violation.
std::string long_ticks(Bench& bench);

}  // namespace dcc::page
