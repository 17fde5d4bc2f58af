#include "switch/credits.h"

#include <algorithm>
#include <cassert>

#include "describe/visitor.h"
#include "switch/pfc.h"

namespace dcc {

void CreditParameters::describe(ParameterVisitor& v) {
  v.field("buffer", buffer, "auto", {"1KB", "1GiB"},
          {"of each input for each priority; auto: what keeps its link busy",
           "InfiniBand Architecture 1.3, 7.9"});
}

Bytes credit_buffer_for(const LinkParameters& link, Bytes largest_packet) {
  // headroom_for: there and back, and three packets. A quarter waits to be told, and a packet's
  // worth of blocks may be lost to rounding up.
  const Bytes busy = headroom_for(link, largest_packet) + 3 * largest_packet;
  return busy + busy / 2;
}

LaneCredits::LaneCredits(Bytes buffer, Bytes largest_packet)
    : buffer_(buffer / kCreditBlock),
      largest_(credit_blocks(largest_packet)),
      worth_telling_(std::max(largest_, buffer_ / 4)) {
  assert(largest_ <= buffer_);
  for (Lane& lane : lanes_) lane.limit = lane.told = buffer_;
}

void LaneCredits::sent(int lane, Bytes bytes) {
  at(lane).sent += credit_blocks(bytes);
  const auto bit = static_cast<std::uint8_t>(1u << lane);
  if (blocks_left(lane) >= largest_) return;
  // The far end hears of what was sent: it may have room that it has not told, and had some of this
  // been lost, it would wait for it for ever.
  if ((exhausted_ & bit) == 0) owed_ = static_cast<std::uint8_t>(owed_ | bit);
  exhausted_ = static_cast<std::uint8_t>(exhausted_ | bit);
}

void LaneCredits::left(int lane, Bytes bytes) {
  at(lane).held -= credit_blocks(bytes);
  assert(at(lane).held >= 0);
  look(lane);
}

void LaneCredits::look(int lane) {
  const Lane& l = at(lane);
  const std::int64_t limit = l.arrived + buffer_ - l.held;
  const bool waited_for = l.told - l.arrived < largest_ && limit - l.arrived >= largest_;
  if (limit - l.told >= worth_telling_ || (limit > l.told && waited_for)) {
    owed_ = static_cast<std::uint8_t>(owed_ | 1u << lane);
  }
}

void LaneCredits::write_frame(Packet& packet) {
  const int lane = __builtin_ctz(owed_);
  owed_ = static_cast<std::uint8_t>(owed_ & (owed_ - 1u));
  Lane& l = at(lane);
  l.told = l.arrived + buffer_ - l.held;
  packet.kind = PacketKind::kCreditLimit;
  packet.wire_bytes = kPauseFrameBytes;
  packet.priority = static_cast<std::uint8_t>(lane);
  packet.psn = static_cast<Psn>(l.sent);
  packet.scheme = static_cast<std::uint64_t>(l.told);
}

void LaneCredits::receive_frame(const Packet& packet) {
  const int lane = packet.priority;
  Lane& l = at(lane);
  l.limit = static_cast<std::int64_t>(packet.scheme);
  if (blocks_left(lane) >= largest_) {
    exhausted_ = static_cast<std::uint8_t>(exhausted_ & ~(1u << lane));
  }
  // What is missing was lost on the wire: nothing overtakes on it.
  l.arrived = static_cast<std::int64_t>(packet.psn);
  look(lane);  // whoever has sent all that it may asks for what was not worth telling before
}

}  // namespace dcc
