// NDP: senders start with a full window; receivers pull further packets at the rate of their link.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"
#include "sim/state_digest.h"

namespace dcc {

/// Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
/// performance", SIGCOMM 2017, section 3; constants of its authors' simulator.
struct NdpParameters final : TransportParameters {
  // number of packets that a sender sends without a PULL when a message starts
  unsigned initial_window = 23;
  // time between two PULLs of a host; empty: time of a packet with full payload
  std::optional<PicoSeconds> pull_interval;
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
  const char* discipline() const override { return "trimming"; }
};

/// The NDP sender sends the first window at once when a message starts on a queue pair with nothing
/// left to send. Then it sends one packet for each PULL, trimmed packets before new packets.
///
/// The NDP receiver sends an ACK for each packet, a NACK for each header, and a PULL for each
/// packet and each header. The PULLs of all queue pairs take turns, one per PULL interval. PULLs,
/// ACKs and NACKs carry the number of PULLs sent so far, so the next of them makes up for a lost
/// PULL. If no other queue pair waits, the ACK replaces the PULL. After the end of a message was
/// seen, only the missing packets are pulled.
///
/// If no ACK, NACK or returned header of a packet arrives within the timeout, the packet is sent
/// again without a PULL, which restores the packet's part of the window. As in the authors'
/// simulator the timeout is the smoothed round trip plus four mean deviations, and at least
/// `timeout`. Before the first round trip is known, the timeout is twenty times as long, because
/// headers may wait for a millisecond behind the data of a full port.
///
/// A sender with no packet in flight waits for its PULL, however long the PULLs of other queue
/// pairs take. ACKs, NACKs and PULLs state how many PULLs the receiver still owes, and only a
/// sender to which no PULL is owed times out. If packets are missing and no PULL is owed, a
/// receiver that gets nothing for the timeout repeats the last PULL, which was lost, at increasing
/// intervals.
///
/// A returned header (the port's header queue was full) is first among the packets to send again.
/// Its packet leaves at once if no PULL is expected, or if a quarter of the last twelve ACKs, NACKs
/// and returned headers were ACKs: then the path was bad, not the number of senders too large.
class Ndp final : public MessageTransport {
 public:
  Ndp(const TransportContext& context, const NdpParameters& parameters);

  bool has_packet() const override { return !ready_.empty(); }
  Packet* next_packet() override;

 private:
  /// Record of the latest ACKs, NACKs and returned headers, which gives the share of ACKs among
  /// them.
  class LatestAnswers {
   public:
    void add(bool is_ack) {
      acks_ = static_cast<std::uint16_t>((acks_ << 1 | (is_ack ? 1u : 0u)) & ((1u << kKept) - 1));
      if (count_ < kKept) ++count_;
    }
    /// True if many of the latest packets got through, so that a bad path, not the receiver's load,
    /// causes losses.
    bool tell_of_a_bad_way() const {
      const auto acks = static_cast<unsigned>(__builtin_popcount(acks_));
      return acks != 0 && count_ / acks <= 3;
    }
    void add_state(StateDigest& d) const { d(acks_, count_); }

   private:
    static constexpr unsigned kKept = 12;
    // bitmap of the latest answers: 1 for an ACK, 0 for a NACK or a returned header; bit 0 is the
    // last
    std::uint16_t acks_ = 0;
    std::uint8_t count_ = 0;
  };
  struct Sender {
    bool ready = false;  // true if the queue pair is in the list of senders that may send (ready_)
    Psn posted = 0;  // one above the number of the last posted packet when the sender last started
    Outstanding packets;
    std::uint64_t allowed = 0;  // number of packets that the sender may send now
    std::uint64_t pulled = 0;   // number of PULLs that the sender received
    // number of ACKs and NACKs that the sender received; each announces a PULL
    std::uint64_t answers = 0;
    LatestAnswers latest;
    std::uint64_t news = 0;  // sequence number of the latest ACK, NACK or PULL
    // number of PULLs that the receiver still owes, by the latest ACK, NACK or PULL
    std::uint32_t owed = 0;
    PicoSeconds heard{};       // time at which the sender last received a packet
    PicoSeconds round_trip{};  // smoothed round-trip time of the flow; 0: not yet measured
    PicoSeconds deviation{};   // mean deviation of the flow's round-trip time
    void add_state(StateDigest& d) const {
      d(posted, packets, allowed, pulled, answers, latest, news, owed, heard, round_trip,
        deviation);
    }
  };
  struct Receiver {
    // one above the number of the last packet that the receiver saw, as data or header
    Psn seen_end = 0;
    bool ended = false;         // true if packet seen_end - 1 is the last packet of its message
    std::uint64_t pending = 0;  // number of PULLs that the receiver has still to send
    std::uint64_t pulls = 0;    // number of PULLs that the receiver has sent
    std::uint64_t told = 0;     // number of ACKs, NACKs and PULLs that the receiver has sent
    PicoSeconds patience{};     // time until the receiver repeats its last PULL
    bool queued = false;  // true if the queue pair is in the round robin of PULLs (pull_turns_)
    void add_state(StateDigest& d) const { d(seen_end, ended, pending, pulls, told, patience); }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Functions of the NDP sender
  void on_ack(Qpn qpn, const Packet& ack);
  void on_return(Qpn qpn, Psn psn);
  void on_pull(Qpn qpn, std::uint64_t pulls);
  void measure(Sender& sender, PicoSeconds round_trip) const;
  PicoSeconds timeout_of(const Sender& sender) const;
  std::uint64_t work_left(Qpn qpn) const;
  void settle(Qpn qpn);
  void set_deadline(Qpn qpn);
  void look_at(Qpn qpn);
  void check_deadlines();

  // Functions of the NDP receiver
  void answer(Qpn qpn, const Packet& packet, PacketKind kind);
  PicoSeconds interval(Qpn qpn) const;
  void limit_pulls(Qpn qpn);
  bool pull_at_once(Qpn qpn);
  void queue_pull(Qpn qpn);
  void tell_pulls(Receiver& receiver, Packet& packet);
  void watch(Qpn qpn);
  void check_silence();
  void send_pull();

  NdpParameters parameters_;
  std::vector<Sender> senders_;      // senders indexed by queue pair
  std::vector<Receiver> receivers_;  // receivers indexed by queue pair
  std::deque<Qpn> ready_;            // queue pairs whose sender may send, in round robin order
  DeadlineTable deadlines_;          // deadlines of the senders' timeouts, by queue pair
  DeadlineTable silence_;            // deadlines of receivers after they have sent their last PULL
  std::deque<Qpn> pull_turns_;
  PicoSeconds next_pull_{};
  Event pulling_;
};

}  // namespace dcc
