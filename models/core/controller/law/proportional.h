// The slot's bookkeeping of the law without AVERAGING: unmarked packets, and the hold after a
// burst.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controller/parameter_store.h"
#include "controller/parameters.h"

namespace dcc {

/// Rates rise by packets that were sent and not marked. What is known of a slot:
///   account   packets sent, less G of each marked one, since the last increase; signed, in 1/256;
///             what is below 0 are marks of packets that an earlier increase had counted
///   sent      packets since the last CNP: replaced by the number that arrived when a CNP tells it
///   hold      a slot's first CNP, or far more marks than the flow sends (a queue that others
///             fill), holds Rc down until a packet arrives unmarked; Rt is halved while it is above
///             what is being delivered, and Rc goes to it then. In it `sent` is 1 if the
///             receiver has promised an all clear: its CNP told of marked packets only. It ends
///             in any case after kMaxHold intervals
///   brisk     for BRISK intervals after a hold packets and marks count four times: the same
///             equilibrium, found in a quarter of the time. What is left of them is 256 - T
///   silence   intervals without a packet: a flow that has nothing to send rises with time, so that
///             its slot comes free
/// Docs: docs/differentiation.md, "The rules".
class MarksLaw {
 public:
  explicit MarksLaw(SlotParameters& slot) : slot_(slot) {}

  bool holding() const { return slot_.t != 0 && !brisk(); }
  bool brisk() const { return slot_.t > kMaxHold; }
  void sent_packet() {
    if (holding()) return;
    slot_.alpha = std::min(kOne16, slot_.alpha + 1);
    add(kPacket);
    slot_.bc = 0;
  }
  /// A CNP: so many of the packets that arrived since the last one were marked.
  void notified(std::uint8_t marks, std::uint8_t packets, const ControllerParameters& parameters) {
    if (packets != 0 && packets != 255) {
      add(kPacket * (std::int32_t{packets} - static_cast<std::int32_t>(slot_.alpha)));
    }
    add(-static_cast<std::int32_t>(std::uint32_t{marks} * parameters.rate.g >> 8));
    slot_.alpha = 0;
  }
  static bool some_unmarked(std::uint8_t marks, std::uint8_t packets) { return packets > marks; }
  /// After such a CNP the receiver tells of the first packet without a mark (NotificationPoint).
  static bool promises_all_clear(std::uint8_t marks, std::uint8_t packets) {
    return packets == marks;
  }
  /// Marks stand for more than the flow sends in four intervals.
  bool swamped(const ControllerParameters& parameters) const {
    const std::int64_t owed = -std::int64_t{account()} / kPacket - kOwedAnyway;
    return owed > 0 &&
           static_cast<std::uint64_t>(owed) * parameters.rate.r_hai > std::uint64_t{4} * slot_.rt;
  }
  /// An interval has passed without a hold: the packets to increase by.
  std::uint32_t take_unmarked(const ControllerParameters& parameters) {
    const bool silent = slot_.bc >= parameters.silence &&
                        (slot_.bc == 255 || std::uint64_t{slot_.rt} * slot_.bc >=
                                                std::uint64_t{4} * parameters.rate.r_hai);
    slot_.bc = count_event(slot_.bc);
    if (silent) return std::max(1u, slot_.rt >> kSilentShift);
    const std::int32_t whole = std::max(0, account()) / kPacket;
    add(-kPacket * whole);
    return static_cast<std::uint32_t>(whole);
  }

  void begin_hold(bool promised) {
    slot_.t = 1;
    slot_.bc = 0;
    slot_.alpha = promised ? 1 : 0;
    set(0);
  }
  void held_marks(std::uint8_t marks) {
    slot_.bc = static_cast<std::uint8_t>(std::min(255, slot_.bc + marks));
  }
  /// An interval has passed. True while the target is twice what the marks say is delivered.
  bool overrated(const ControllerParameters& parameters) const {
    return slot_.bc != 255 &&
           std::uint64_t{slot_.rt} * slot_.t >= std::uint64_t{2} * slot_.bc * parameters.rate.r_hai;
  }
  /// Ticks without a mark that end the hold even if no unmarked packet is heard of: an interval,
  /// and an eighth of how long it has been. Where an all clear is promised silence only tells that
  /// the flow's packets wait behind others: then it is a time that drains any buffer.
  std::uint32_t patience(const ControllerParameters& parameters) const {
    const std::uint32_t interval = parameters.timer_interval;
    const std::uint32_t ticks =
        slot_.alpha != 0 ? interval << kPromisedShift : interval + interval * (slot_.t - 1u) / 8;
    return std::min(kMaxDelta, ticks);  // beyond it time is not counted
  }
  /// Nearly all may be marked for good, and then no unmarked packet comes: others have the link and
  /// the flow that waits for one would starve.
  bool too_long() const { return slot_.t >= kMaxHold; }
  void end_hold(const ControllerParameters& parameters) {
    slot_.t = static_cast<std::uint8_t>(256 - parameters.brisk);
    slot_.bc = 0;
    slot_.alpha = 0;
    set(0);
  }

  /// An interval has passed that was in no hold and ended none.
  void interval_passed() {
    if (brisk()) ++slot_.t;  // the last is 255, then it is 0
  }
  /// What a cut makes of marks, and an increase of packets.
  std::uint8_t weighed_marks(std::uint8_t marks) const {
    return static_cast<std::uint8_t>(std::min(255, marks << (brisk() ? kBriskShift : 0)));
  }
  std::uint32_t weighed_packets(std::uint32_t packets) const {
    return std::min(kMaxPackets, packets << (brisk() ? kBriskShift : 0));
  }

 private:
  static constexpr std::int32_t kOwedAnyway = 8;  // marks on their way, at any rate
  static constexpr int kPromisedShift = 6;        // 64 intervals
  static constexpr std::uint8_t kMaxHold = 160;
  static constexpr int kBriskShift = 2;
  static constexpr int kSilentShift = 17;  // a packet each 512 Mb/s of target
  static constexpr std::int32_t kPacket = 256;
  static constexpr std::int32_t kLimit = (1 << 27) - 1;  // packets that the rate unit takes at once
  static constexpr std::uint32_t kMaxPackets = kMaxDelta;  // likewise: it has the place of DELTA

  std::int32_t account() const { return static_cast<std::int32_t>(slot_.pkt_length); }
  void set(std::int32_t value) { slot_.pkt_length = static_cast<std::uint32_t>(value); }
  void add(std::int32_t difference) {
    set(std::clamp(account() + difference, -kLimit - 1, kLimit));
  }

  SlotParameters& slot_;
};

}  // namespace dcc
