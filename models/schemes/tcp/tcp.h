// TCP: numbered segments, cumulative and selective acknowledgements, and congestion windows.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/sequence_ranges.h"
#include "schemes/tcp/rto_estimator.h"
#include "schemes/tcp/tcp_window.h"
#include "sim/state_digest.h"

namespace dcc {

struct TcpParameters final : TransportParameters {
  TcpWindowParameters window;
  // true: the sender reacts to ECN marks as in RFC 3168, or with `growth: dctcp` as in DCTCP
  bool ecn = false;
  // true: duplicate ACKs detect the loss of segments; false: only timeouts do
  bool fast_retransmit = true;
  std::optional<unsigned> receive_window;  // maximum number of segments in flight; empty: no limit
  // number of segments received beyond a gap from which on the missing segments count as lost
  unsigned duplicate_threshold = 3;
  PicoSeconds initial_timeout = kSecond;  // retransmission timeout before the first RTT measurement
  // minimum retransmission timeout: Linux's value; RFC 6298 has one second
  PicoSeconds min_timeout = kMilliSecond * 200;
  PicoSeconds max_timeout = kSecond * 60;
  PicoSeconds granularity = kMilliSecond;

  TcpParameters();
  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* discipline() const override { return "drop_tail"; }
  bool may_be_paused() const override { return true; }
  bool may_share_network() const override { return true; }
};

/// TCP by RFC 9293 with loss recovery by RFC 6675 (SACK), windows by tcp_window.h, timeouts by RFC
/// 6298 with time stamps (RFC 7323), one RTT measurement per window. Segments are numbered instead
/// of bytes; the end of a work item ends a segment, as with a push. Every segment is acknowledged
/// at once. Connections are set up out of band; the handshake counts as one RTT measurement of the
/// empty network. The receiver's window is constant (receive_window).
///
/// A segment is lost when `duplicate_threshold` segments behind it have arrived. The window is cut
/// once for all segments in flight at that time; lost segments are sent again, before new ones, as
/// the segments in the network (RFC 6675: pipe) leave room. After a timeout every segment that is
/// not acknowledged counts as lost. The flows of a host take turns, segment by segment.
///
/// On ports with PFC only a pause of the flow's own priority stops a flow. Without
/// `fast_retransmit` packets may take any path: segments out of order are kept, and a gap does not
/// mean a loss (DeTail, SIGCOMM 2012).
///
/// If ports cut payloads (CP, NSDI 2014), the receiver answers a header with an ACK that names the
/// segment. The segment is certainly lost and is sent again at once if the window allows, also
/// repeatedly; the answers to headers keep the ACK clock running.
class Tcp final : public MessageTransport {
 public:
  Tcp(const TransportContext& context, const TcpParameters& parameters);

  bool has_packet() const override { return next_ready() != ready_.end(); }
  bool respects_priority_pauses() const override { return true; }
  Packet* next_packet() override;

  // The congestion window of a queue pair, for tests.
  const TcpWindow& window(Qpn qpn) const { return senders_[qpn].window; }

 private:
  enum class State : std::uint8_t { kOpen, kRecovery, kTimedOut };
  struct Sender {
    Sender(const TcpWindowParameters& parameters, const RtoEstimator& fresh)
        : window(parameters), timer(fresh) {}
    bool ready = false;
    // true: the sender sends one lost segment regardless of the number of segments in flight
    bool at_once = false;
    State state = State::kOpen;
    bool confirm_cut = false;  // true: the sender tells the receiver to stop echoing marks
    TcpWindow window;
    RtoEstimator timer;
    SequenceRanges arrived;  // segments that the receiver acknowledged beyond the first gap
    Psn recovery_end = 0;    // number of a segment whose acknowledgement ends loss recovery
    Psn lost_to = 0;  // number below which unacknowledged segments count as lost after a timeout
    // one above the number of the last lost segment that was retransmitted; lost segments are
    // retransmitted in order
    Psn sent_again_to = 0;
    Psn again_out = 0;  // number of segments that were retransmitted and are not acknowledged
    std::set<Psn> cut;  // segments whose payload was cut and that have not arrived since
    // segments in `cut` that were not retransmitted since their payload was cut
    std::set<Psn> cut_left;
    Psn round_end = 0;   // number of a segment whose acknowledgement ends the round trip
    Psn timed_from = 0;  // number of the first segment of the next RTT measurement
    Psn held_at = 0;     // number of the last segment that the congestion window admitted
    /// Number of the next segment when the window was last cut; marks of segments below it cause no
    /// further cut.
    Psn cut_end = 0;
    Psn timed_out_at = ~Psn{0};  // number of the first missing segment at the flow's last timeout
    PicoSeconds sent{};          // time at which the sender sent its last data segment
    void add_state(StateDigest& d) const {
      d(at_once, state, confirm_cut, window, timer, arrived, recovery_end, lost_to, sent_again_to,
        again_out, round_end, timed_from, held_at, cut_end, timed_out_at, sent);
    }
  };
  static constexpr std::size_t kBlocks = 3;
  struct Receiver {
    SequenceRanges early;  // segments that the receiver holds beyond the first gap
    // segments for the SACK blocks: one segment of each range that grew most recently
    std::array<Psn, kBlocks> latest{};
    bool echo = false;
    void add_state(StateDigest& d) const { d(early, latest, echo); }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Functions of the TCP sender. next_ready() returns the next sender in turn whose priority is not
  // paused.
  std::deque<Qpn>::const_iterator next_ready() const;
  void on_ack(Qpn qpn, const Packet& ack);
  unsigned take_in(Qpn qpn, const Packet& ack);
  /// Records that the payload of a segment was trimmed.
  void note_cut(Qpn qpn, Psn psn);
  bool may_grow(Qpn qpn, Psn acknowledged, Psn flight) const;
  void answer_marks(Qpn qpn, unsigned segments, bool mark, Psn flight);
  Psn first_missing(Qpn qpn) const { return at(qpn).out.first_undelivered(); }
  /// Returns the number below which unacknowledged segments count as lost.
  Psn lost_before(Qpn qpn) const;
  /// Number of segments in the network (variable pipe of RFC 6675).
  Psn pipe(Qpn qpn) const;
  /// Next lost segment to retransmit; `lost` if there is none.
  Psn next_again(Qpn qpn, Psn lost);
  void settle(Qpn qpn);
  void arm(Qpn qpn) { deadlines_.set(qpn, now() + senders_[qpn].timer.timeout()); }
  void check_timeouts();
  void timed_out(Qpn qpn);

  // Functions of the TCP receiver
  void on_data(Qpn qpn, const Packet& data);
  void take_mark(Qpn qpn, const Packet& data);
  /// Acknowledges a segment, or the header of a trimmed segment.
  void acknowledge(Qpn qpn, const Packet& data);

  bool is_dctcp() const { return parameters_.window.growth == TcpWindowParameters::Growth::kDctcp; }
  RtoEstimator fresh_timer(PicoSeconds base_rtt) const;

  const TcpParameters parameters_;
  std::deque<Sender> senders_;       // senders indexed by queue pair number
  std::vector<Receiver> receivers_;  // receivers indexed by queue pair
  std::deque<Qpn> ready_;            // queue pairs whose sender may send, in round robin order
  DeadlineTable deadlines_;
};

}  // namespace dcc
