// The platform's parser made of verilated hardware.
#pragma once

#include <cstdint>
#include <memory>

#include "nic/parser/parser_engine.h"

namespace dcc {

/// Faults between adapter and hardware that lock-step must find. 1: bit 0 of the DSCP in written
/// contexts is inverted. 2: bit 6 of the length of every 64th sent packet is inverted. 3: a bit of
/// every fourth CNP is inverted, so that its ICRC is wrong.
constexpr unsigned kParserFaults = 3;

struct RtlParserOptions {
  HostId host = 0;  // number of the host, for messages
  unsigned fault = 0;
};

/// Number of queue pairs that the hardware was built for; their numbers begin with 0.
std::uint32_t verilated_parser_pairs();

/// Makes a parser from dc_parser, which receives CNPs as frames made by the wire code, and dc_sent,
/// which receives sent packets. The blocks are clocked only while they have work. Calls throw
/// std::runtime_error if a queue pair's number is beyond those that the hardware was built for, or
/// if an assertion fails.
///
/// Whether CNPs carry counts (counting_i) is set for each frame from the CNP itself, because a
/// configuration may change while CNPs are under way.
std::unique_ptr<ParserEngine> make_rtl_parser(const RtlParserOptions& options);

}  // namespace dcc
