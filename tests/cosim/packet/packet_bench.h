// The three benches of packet_bench.
#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

namespace dcc {

/// Throws std::runtime_error with `what` unless `holds`.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// Drives dc_parser with `frames` frames, half of them damaged. Throws at the first wrong answer.
void run_parser(std::uint64_t frames, std::uint32_t seed);
/// Drives dc_sent with `packets` sent packets. Throws at the first wrong answer.
void run_sent(std::uint64_t packets, std::uint32_t seed);
/// Drives dc_notifier with `packets` data packets, and dc_parser's oracle with the CNPs that it
/// sends.
void run_notifier(std::uint64_t packets, std::uint32_t seed);

}  // namespace dcc
