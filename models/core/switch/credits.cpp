#include "switch/credits.h"

#include <algorithm>
#include <cassert>

#include "describe/visitor.h"
#include "switch/pfc.h"

namespace dcc {

void CreditParameters::describe(ParameterVisitor& v) {
  v.field("buffer", buffer, "auto", {"1KB", "1GiB"},
          {"receive buffer of each input and priority; auto: just enough to keep the link busy",
           "InfiniBand Architecture 1.3, 7.9"});
}

Bytes credit_buffer_for(const LinkParameters& link, Bytes largest_packet) {
  // The term headroom_for() covers the link's round trip and three packets. A quarter of the buffer
  // may be free without being advertised, and rounding to blocks may waste a packet's worth.
  const Bytes busy = headroom_for(link, largest_packet) + 3 * largest_packet;
  return busy + busy / 2;
}

LaneCredits::LaneCredits(Bytes buffer, Bytes largest_packet)
    : buffer_(buffer / kCreditBlock),
      largest_(credit_blocks(largest_packet)),
      min_advertised_(std::max(largest_, buffer_ / 4)) {
  assert(largest_ <= buffer_);
  for (Lane& lane : lanes_) lane.limit = lane.advertised = buffer_;
}

void LaneCredits::sent(int lane, Bytes bytes) {
  at(lane).sent += credit_blocks(bytes);
  const auto bit = static_cast<std::uint8_t>(1u << lane);
  if (blocks_left(lane) >= largest_) return;
  // Tells the far end the total sent: the far end may have free room below its advertising
  // threshold, and would wait forever for blocks that were lost on the wire.
  if ((exhausted_ & bit) == 0) frames_due_ = static_cast<std::uint8_t>(frames_due_ | bit);
  exhausted_ = static_cast<std::uint8_t>(exhausted_ | bit);
}

void LaneCredits::released(int lane, Bytes bytes) {
  at(lane).held -= credit_blocks(bytes);
  assert(at(lane).held >= 0);
  check_advertisement(lane);
}

void LaneCredits::check_advertisement(int lane) {
  const Lane& l = at(lane);
  const std::int64_t limit = l.arrived + buffer_ - l.held;
  const bool needed = l.advertised - l.arrived < largest_ && limit - l.arrived >= largest_;
  if (limit - l.advertised >= min_advertised_ || (limit > l.advertised && needed)) {
    frames_due_ = static_cast<std::uint8_t>(frames_due_ | 1u << lane);
  }
}

void LaneCredits::write_frame(Packet& packet) {
  const int lane = __builtin_ctz(frames_due_);
  frames_due_ = static_cast<std::uint8_t>(frames_due_ & (frames_due_ - 1u));
  Lane& l = at(lane);
  l.advertised = l.arrived + buffer_ - l.held;
  packet.kind = PacketKind::kCreditLimit;
  packet.wire_bytes = kPauseFrameBytes;
  packet.priority = static_cast<std::uint8_t>(lane);
  packet.psn = static_cast<Psn>(l.sent);
  packet.scheme = static_cast<std::uint64_t>(l.advertised);
}

void LaneCredits::receive_frame(const Packet& packet) {
  const int lane = packet.priority;
  Lane& l = at(lane);
  l.limit = static_cast<std::int64_t>(packet.scheme);
  if (blocks_left(lane) >= largest_) {
    exhausted_ = static_cast<std::uint8_t>(exhausted_ & ~(1u << lane));
  }
  // Packets do not overtake credit frames, so blocks missing from the total were lost on the wire.
  l.arrived = static_cast<std::int64_t>(packet.psn);
  check_advertisement(lane);
}

}  // namespace dcc
