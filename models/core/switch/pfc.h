// Priority flow control, IEEE 802.1Qbb: what a port has told its neighbour and has been told.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "describe/quantities.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct PfcParameters {
  bool enabled = true;
  Ratio alpha{1, 8};                      // see SharedBufferParameters
  std::optional<BitRate> reference_rate;  // alpha is for such a port, in proportion for others
  std::optional<Bytes> headroom;   // per ingress port and priority; empty: headroom_for the link
  Bytes resume_below = 3_KB;       // the threshold by so much
  std::uint8_t priorities = 0xFF;  // the lossless ones

  void describe(ParameterVisitor& v);
};

/// Wire bytes of a pause frame: minimum Ethernet frame.
constexpr std::uint32_t kPauseFrameBytes = 64;

/// Bytes that can still arrive once a port has decided to pause its neighbour: the pause frame
/// waits for a packet in progress, is sent and travels; the neighbour finishes its own packet; all
/// the while, and for the way back, the wire brings bytes at its rate. One packet more for the one
/// that crossed the threshold. (802.1Qbb annex O, without processing time.)
Bytes headroom_for(const LinkParameters& link, Bytes largest_packet);

/// The share of the free buffer that a class of this port may hold: PfcParameters::alpha scaled
/// to the port's rate, never zero and at most 64 (65536 = 1.0).
std::uint32_t alpha_for(const LinkParameters& link, const PfcParameters& parameters);

struct PfcCounters {
  std::uint64_t pauses_sent = 0;   // classes stopped
  std::uint64_t resumes_sent = 0;  // classes released
  std::uint64_t pauses_received = 0;
  std::uint64_t resumes_received = 0;
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t credit_frames_sent = 0;  // of frames_sent

  template <class Visitor>
  static void describe(Visitor&& v) {  // stats/metric.h
    v(&PfcCounters::pauses_sent, "pfc_pauses", {"PFC pauses", "", "times a priority was paused"});
    v(&PfcCounters::credit_frames_sent, "credit_frames",
      {"credit frames", "packets", "by which switches told their room"});
  }
};

/// One port. `stop`/`release` keep the state to be told; a frame is owed until it has been sent and
/// always carries all eight classes as they are at that time.
class PfcPort {
 public:
  bool has_stopped(int priority) const { return (stopped_ >> priority & 1) != 0; }
  void stop(int priority) {
    stopped_ = static_cast<std::uint8_t>(stopped_ | 1u << priority);
    pause_owed_ = frame_owed_ = true;
    ++counters_.pauses_sent;
  }
  void release(int priority) {
    stopped_ = static_cast<std::uint8_t>(stopped_ & ~(1u << priority));
    pause_owed_ = frame_owed_ = true;
    ++counters_.resumes_sent;
  }
  bool frame_owed() const { return frame_owed_; }
  /// Fills in a pause frame and settles the debt.
  void write_frame(Packet& packet);

  /// The neighbour's pause frame arrived.
  void receive_frame(const Packet& packet, PicoSeconds now);
  /// Bit p set: priority p must not be sent, because of the neighbour or for want of a wire.
  std::uint8_t blocked() const { return blocked_; }
  /// Bit p set: the neighbour has stopped priority p.
  std::uint8_t paused() const { return paused_; }
  // With credits (switch/credits.h) in the place of pauses, what follows from them is the same:
  void hold(std::uint8_t exhausted, PicoSeconds now) {
    if (exhausted != paused_) pause(exhausted, now);
  }
  void received_credits(std::uint8_t exhausted, PicoSeconds now) {
    ++counters_.frames_received;
    hold(exhausted, now);
  }
  void owe_frame() { frame_owed_ = true; }
  /// The link's own frames of another protocol (net/dcbx_port.h) go the same way, before pauses.
  bool other_owed() const { return other_owed_; }
  void owe_other() {
    ++counters_.frames_sent;
    other_owed_ = frame_owed_ = true;
  }
  void sent_other(bool more_owed) {
    other_owed_ = more_owed;
    frame_owed_ = pause_owed_ || more_owed;
  }
  void received_other() { ++counters_.frames_received; }
  /// Those that are paused on this link: no pause of another is heeded.
  void set_priorities(std::uint8_t priorities, PicoSeconds now);
  void sent_credits(bool more_owed) {
    ++counters_.frames_sent;
    ++counters_.credit_frames_sent;
    frame_owed_ = more_owed;
  }
  /// The wire carries nothing any more; or it does again, and both ends begin anew: what the
  /// neighbour had stopped goes on, and what is stopped here is owed to it again.
  void set_carrier(bool up, PicoSeconds now);
  /// How long a priority, and any priority at all, has been paused by the neighbour until `now`.
  PicoSeconds pause_time(int priority, PicoSeconds now) const;
  PicoSeconds pause_time(PicoSeconds now) const;

  const PfcCounters& counters() const { return counters_; }
  template <class Digest>
  void add_state(Digest& d) const {
    d(priorities_, stopped_, paused_, blocked_, pause_owed_, other_owed_, frame_owed_,
      counters_.frames_sent, counters_.frames_received, since_, total_);
  }

 private:
  void pause(std::uint8_t wanted, PicoSeconds now);

  PfcCounters counters_;
  std::array<PicoSeconds, kPriorities> since_{};
  std::array<PicoSeconds, kPriorities> total_{};
  PicoSeconds any_since_{};
  PicoSeconds any_total_{};
  std::uint8_t priorities_ = 0xFF;
  bool pause_owed_ = false;  // of frame_owed_: that of a pause, …
  bool other_owed_ = false;  // … that of another protocol
  // What every packet asks comes last, beside what the port keeps behind it.
  std::uint8_t stopped_ = 0;
  std::uint8_t paused_ = 0;
  std::uint8_t blocked_ = 0;
  bool frame_owed_ = false;
};

}  // namespace dcc
