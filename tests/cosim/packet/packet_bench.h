// Test benches of the packet blocks: parser, byte notifications, notification point.
#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

namespace dcc {

/// Throws std::runtime_error with the text `what` unless `holds` is true.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// Drives dc_parser with `frames` frames, half of them damaged. Throws at the first wrong answer.
void run_parser(std::uint64_t frames, std::uint32_t seed);
/// Drives dc_sent with `packets` sent packets. Throws at the first wrong byte notification.
void run_sent(std::uint64_t packets, std::uint32_t seed);
/// Drives dc_notifier with `packets` data packets, and checks the CNPs that it sends with the
/// oracle of dc_parser.
void run_notifier(std::uint64_t packets, std::uint32_t seed);

}  // namespace dcc
