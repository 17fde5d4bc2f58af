// Priority flow control, IEEE 802.1Qbb: pauses that a port sends to and receives from its
// neighbour.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "sim/state_digest.h"
#include "stats/priority_pauses.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

/// Parameters of the watchdog against pause storms (switch/pfc_watchdog.h).
struct WatchdogParameters {
  enum class Action : std::uint8_t { kDrop, kForward };
  // minimum duration of a pause storm that the watchdog detects; empty: no watchdog
  std::optional<PicoSeconds> detect;
  PicoSeconds restore = kMilliSecond * 400;
  std::optional<PicoSeconds> poll;  // time between two checks of the watchdog; empty: as `detect`
  Action action = Action::kDrop;

  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(WatchdogParameters::Action, {WatchdogParameters::Action::kDrop, "drop"},
               {WatchdogParameters::Action::kForward, "forward"});

struct PfcParameters {
  bool enabled = true;
  // share alpha of the free buffer that a class may use; see SharedBufferParameters
  Ratio alpha{1, 8};
  std::optional<BitRate> reference_rate;  // port rate that alpha is for; alpha scales with the rate
  // headroom of each ingress port and priority; empty: headroom_for() sets it
  std::optional<Bytes> headroom;
  PicoSeconds response{};  // time that a neighbour takes to obey a pause; headroom covers this time
  // size of one headroom pool for all classes; empty: each class has its own headroom
  std::optional<Bytes> shared_headroom;
  Bytes resume_below = 3_KB;       // distance below its threshold at which a paused class resumes
  std::uint8_t priorities = 0xFF;  // bit p: priority p is lossless
  // duration of a pause in quanta; empty: a pause lasts until it is resumed
  std::optional<unsigned> quanta;
  WatchdogParameters watchdog;

  void describe(ParameterVisitor& v);
};

/// Wire bytes of a pause frame: the minimum Ethernet frame.
constexpr std::uint32_t kPauseFrameBytes = 64;

/// Bytes that can still arrive after a port decided to pause its neighbour. The pause frame waits
/// for a packet in progress, is sent and propagates; the neighbour then finishes its own packet.
/// During that time and the propagation back, bytes arrive at line rate. One further packet
/// accounts for the packet that crossed the threshold. (802.1Qbb annex O, without processing time.)
Bytes headroom_for(const LinkParameters& link, Bytes largest_packet);

/// The share of the free buffer that a class of this port may hold, 65536 = 1.0:
/// PfcParameters::alpha scaled to the port's rate, from 1/65536 to 64.
std::uint32_t alpha_for(const LinkParameters& link, const PfcParameters& parameters);

struct PfcCounters {
  std::uint64_t pauses_sent = 0;   // number of pauses of classes that this port sent
  std::uint64_t resumes_sent = 0;  // number of resumes of classes that this port sent
  std::uint64_t pauses_received = 0;
  std::uint64_t resumes_received = 0;
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t credit_frames_sent = 0;  // credit frames; part of frames_sent

  template <class Visitor>
  static void describe(Visitor&& v) {  // Describes the counters (stats/metric.h).
    v(&PfcCounters::pauses_sent, "pfc_pauses", {"PFC pauses", "", "times a priority was paused"});
    v(&PfcCounters::credit_frames_sent, "credit_frames",
      {"credit frames", "packets", "frames by which switches advertised free buffer"});
  }
};

/// The link control of one port. stop() and release() change the pause state to be sent to the
/// neighbour. A pause frame is due until it is sent, and then carries the state of all eight
/// classes.
class PfcPort {
 public:
  bool has_stopped(int priority) const { return (stopped_ >> priority & 1) != 0; }
  void stop(int priority) {
    stopped_ = static_cast<std::uint8_t>(stopped_ | 1u << priority);
    pause_due_ = frame_due_ = true;
    ++counters_.pauses_sent;
  }
  void release(int priority) {
    stopped_ = static_cast<std::uint8_t>(stopped_ & ~(1u << priority));
    pause_due_ = frame_due_ = true;
    ++counters_.resumes_sent;
  }
  /// Makes a frame due that repeats the pauses in force.
  void renew() {
    if (stopped_ != 0) pause_due_ = frame_due_ = true;
  }
  /// True if some link-control frame (queued at the port, pause or credits) is due to the
  /// neighbour.
  bool frame_due() const { return frame_due_; }
  /// Fills in a pause frame, which is then no longer due.
  void write_frame(Packet& packet);

  /// Applies a pause frame from the neighbour.
  void receive_frame(const Packet& packet, PicoSeconds now);
  /// Ends pauses by the neighbour whose time has expired, for a mask of priorities.
  void end_pauses(std::uint8_t priorities, PicoSeconds now) {
    if ((paused_ & priorities) != 0) pause(static_cast<std::uint8_t>(paused_ & ~priorities), now);
  }
  /// Mask of the priorities that must not be sent, because the neighbour paused them or the link is
  /// down; bit p is priority p.
  std::uint8_t blocked() const { return blocked_; }
  /// Mask of the priorities that the neighbour has paused; bit p is priority p.
  std::uint8_t paused() const { return paused_; }
  /// Time at which the present or last pause of a priority began.
  PicoSeconds paused_since(int priority) const {
    return history().since[static_cast<std::size_t>(priority)];
  }
  /// Lets exactly the priorities in the mask send in spite of the neighbour's pauses.
  void ignore_pauses(std::uint8_t priorities) {
    ignored_ = priorities;
    blocked_ = static_cast<std::uint8_t>(paused_ & ~ignored_);
  }

  // --- Credits (switch/credits.h) in place of pauses ------------------------------------------
  // Blocks exactly the priorities in the mask `exhausted`, which have no credit.
  void block(std::uint8_t exhausted, PicoSeconds now) {
    if (exhausted != paused_) pause(exhausted, now);
  }
  void received_credits(std::uint8_t exhausted, PicoSeconds now) {
    ++counters_.frames_received;
    block(exhausted, now);
  }
  void request_credit_frame() { frame_due_ = true; }
  void sent_credits(bool more_due) {
    ++counters_.frames_sent;
    ++counters_.credit_frames_sent;
    frame_due_ = more_due;
  }

  // --- Frames that the port queues (LLDP, pauses of flows), sent before pauses ----------------
  bool queued_due() const { return queued_due_; }
  void request_queued() {
    ++counters_.frames_sent;
    queued_due_ = frame_due_ = true;
  }
  void sent_queued(bool more_due) {
    queued_due_ = more_due;
    frame_due_ = pause_due_ || more_due;
  }
  void received_queued() { ++counters_.frames_received; }

  // --- State of the link ----------------------------------------------------------------------
  // Sets the priorities that may be paused on this link. Pauses of other priorities end, and later
  // pauses of them are ignored.
  void set_pfc_mask(std::uint8_t priorities, PicoSeconds now);
  /// The link went down or came up, which ends the neighbour's pauses. When the link comes up, the
  /// pause state of this port's classes is due to the neighbour again.
  void set_carrier(bool up, PicoSeconds now);
  /// Total time until `now` for which the neighbour paused one priority, or any priority.
  PicoSeconds pause_time(int priority, PicoSeconds now) const;
  PicoSeconds pause_time(PicoSeconds now) const;
  /// Statistics of the pauses of one priority that the neighbour sent, until `now`.
  PriorityPauses received_pauses(int priority, PicoSeconds now) const {
    const auto p = static_cast<std::size_t>(priority);
    return {history().frames_received[p], history().ends[p], pause_time(priority, now)};
  }
  /// Number of pause frames sent that paused this priority.
  std::uint64_t pause_frames_sent(int priority) const {
    return history().frames_sent[static_cast<std::size_t>(priority)];
  }

  const PfcCounters& counters() const { return counters_; }
  void add_state(StateDigest& d) const {
    d(priorities_, stopped_, paused_, blocked_, pause_due_, queued_due_, frame_due_,
      counters_.frames_sent, counters_.frames_received, history().since, history().total);
  }

 private:
  /// History of a port's pauses. Most ports of a large network never pause, so the history is
  /// allocated with the first pause frame.
  struct History {
    std::array<PicoSeconds, kPriorities> since{};
    std::array<PicoSeconds, kPriorities> total{};
    // Counts for each priority: frames sent and received that paused the priority, and ends of its
    // pauses.
    std::array<std::uint64_t, kPriorities> frames_sent{};
    std::array<std::uint64_t, kPriorities> frames_received{};
    std::array<std::uint64_t, kPriorities> ends{};
    PicoSeconds any_since{};
    PicoSeconds any_total{};
  };
  static const History kNoHistory;
  const History& history() const { return history_ != nullptr ? *history_ : kNoHistory; }
  History& make_history() {
    if (history_ == nullptr) history_ = std::make_unique<History>();
    return *history_;
  }
  void pause(std::uint8_t wanted, PicoSeconds now);
  void record(std::uint8_t wanted, PicoSeconds now);

  PfcCounters counters_;
  std::unique_ptr<History> history_;  // history of the port's pauses; null: no pause yet
  std::uint8_t priorities_ = 0xFF;    // mask of priorities that may be paused on this link
  std::uint8_t ignored_ = 0;  // mask of priorities whose pauses by the neighbour are ignored
  bool pause_due_ = false;    // a pause frame is due to the neighbour
  bool queued_due_ = false;   // a link-control frame queued at the port is due to the neighbour
  // Members that every packet reads come last, since EgressPort puts its own members of this kind
  // behind them.
  std::uint8_t stopped_ = 0;
  std::uint8_t paused_ = 0;
  std::uint8_t blocked_ = 0;
  bool frame_due_ = false;
};

}  // namespace dcc
