// NDP: senders begin with a full window, receivers pull the rest at the pace of their link.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"

namespace dcc {

/// Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
/// performance", SIGCOMM 2017, section 3; constants of its authors' simulator.
struct NdpParameters final : TransportParameters {
  unsigned initial_window = 23;              // packets sent unasked
  std::optional<PicoSeconds> pull_interval;  // empty: a full payload at line rate
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
  const char* discipline() const override { return "trimming"; }
};

/// Sender: of a message that begins on a queue pair with nothing unsent, the first window goes out
/// at once; afterwards a packet for each PULL, what was trimmed before what is new. Receiver: an
/// ACK for each packet, a NACK for each header, and for each of both a PULL; PULLs of all queue
/// pairs take turns and leave one an interval. They are counted, and ACKs and NACKs say the count
/// too, so one that is lost, or rides on the ACK because nobody else waits, is made good by what
/// comes next. Of a message whose end was seen no more is pulled than is missing.
///
/// A packet of which nothing is heard for the timeout is sent again unasked: with it its share of
/// the window, that died with it, comes back. A header that came back (the port had no room for
/// headers either) is first among what is to be sent again. It goes at once when no PULL is to be
/// expected, or when of the last twelve answers a quarter were ACKs: then its way was bad, not the
/// receiver's crowd too large.
class Ndp final : public MessageTransport {
 public:
  Ndp(const TransportContext& context, const NdpParameters& parameters);

  bool has_packet() const override { return !ready_.empty(); }
  Packet* next_packet() override;

 private:
  /// ACKs among the last answers of any kind, headers that came back included.
  class LatestAnswers {
   public:
    void add(bool is_ack) {
      acks_ = static_cast<std::uint16_t>((acks_ << 1 | (is_ack ? 1u : 0u)) & ((1u << kKept) - 1));
      if (count_ < kKept) ++count_;
    }
    /// Much gets through: what does not is not for the receiver's sake.
    bool tell_of_a_bad_way() const {
      const auto acks = static_cast<unsigned>(__builtin_popcount(acks_));
      return acks != 0 && count_ / acks <= 3;
    }
    template <class Digest>
    void add_state(Digest& d) const {
      d(acks_, count_);
    }

   private:
    static constexpr unsigned kKept = 12;
    std::uint16_t acks_ = 0;  // the latest is bit 0
    std::uint8_t count_ = 0;
  };
  struct Sender {
    bool ready = false;  // in ready_
    Psn posted = 0;      // end of what was posted when it last began
    Outstanding packets;
    std::uint64_t allowed = 0;  // packets that may go now
    std::uint64_t pulled = 0;   // PULLs so far
    std::uint64_t answers = 0;  // ACKs and NACKs so far: each stands for a PULL
    LatestAnswers latest;
    PicoSeconds heard{};  // when anything came
    template <class Digest>
    void add_state(Digest& d) const {
      d(posted, packets, allowed, pulled, answers, latest, heard);
    }
  };
  struct Receiver {
    Psn seen_end = 0;           // behind the last packet of which anything came
    bool ended = false;         // … which is the last of its message
    std::uint64_t pending = 0;  // PULLs to be sent
    std::uint64_t pulls = 0;    // sent so far
    bool queued = false;        // in pull_turns_
    template <class Digest>
    void add_state(Digest& d) const {
      d(seen_end, ended, pending, pulls);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Sending
  void on_ack(Qpn qpn, const Packet& ack);
  void on_return(Qpn qpn, Psn psn);
  void on_pull(Qpn qpn, std::uint64_t pulls);
  std::uint64_t work_left(Qpn qpn) const;
  void settle(Qpn qpn);
  void set_deadline(Qpn qpn);
  void look_at(Qpn qpn);
  void check_deadlines();

  // Receiving
  void answer(Qpn qpn, const Packet& packet, PacketKind kind);
  void limit_pulls(Qpn qpn);
  bool pull_at_once(Qpn qpn);
  void send_pull();

  NdpParameters parameters_;
  PicoSeconds interval_;
  std::vector<Sender> senders_;      // by queue pair
  std::vector<Receiver> receivers_;  // the same
  std::deque<Qpn> ready_;            // senders that may send, in turn
  DeadlineTable deadlines_;
  std::deque<Qpn> pull_turns_;
  PicoSeconds next_pull_{};
  Event pulling_;
};

}  // namespace dcc
