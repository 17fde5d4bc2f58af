// The platform's parser made of verilated hardware.
#pragma once

#include <cstdint>
#include <memory>

#include "nic/parser/parser_engine.h"

namespace dcc {

/// Faults between adapter and hardware, to show that lock-step finds them. 1: bit 0 of the DSCP in
/// contexts that are written is inverted. 2: every 64th sent packet has bit 6 of its length
/// inverted. 3: every fourth CNP has an inverted bit, which its ICRC does not fit.
constexpr unsigned kParserFaults = 3;

struct RtlParserOptions {
  HostId host = 0;  // for messages
  unsigned fault = 0;
};

/// Number of queue pairs that the hardware was built for: 0 to one below it.
std::uint32_t verilated_parser_pairs();

/// A parser whose CNPs go through dc_parser, as frames of the wire code, and whose sent packets go
/// through dc_sent. Its clock runs while it has something to do. Calls throw std::runtime_error if
/// a queue pair's number is beyond those it was built for, or an assertion fails.
///
/// Whether CNPs carry counts (counting_i) is set for each frame from the CNP itself, because a
/// configuration may change while CNPs are under way.
std::unique_ptr<ParserEngine> make_rtl_parser(const RtlParserOptions& options);

}  // namespace dcc
