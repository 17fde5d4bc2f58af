// Ultra Ethernet's transport: packets on any path, selective acknowledgements, trimmed packets, and
// windows of the sender (NSCC) or credit from the receiver (RCCC).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"
#include "schemes/uec/nscc_window.h"
#include "sim/state_digest.h"

namespace dcc {

/// Congestion control as in the consortium's simulator (ultraethernet/uet-htsim, 2024 and 2025).
/// The wire format is not modelled.
struct UecParameters final : TransportParameters {
  enum class Control : std::uint8_t {
    kNscc,  // congestion control by the sender's windows
    kRccc,  // congestion control by the receiver's credit
    kBoth,  // both controls: the smaller of the two windows applies
  };
  Control control = Control::kNscc;
  // first window in bytes; empty: 3/2 of the bandwidth-delay product
  std::optional<Bytes> initial_window;
  std::optional<Bytes> max_window;  // maximum window of a queue pair in bytes
  // wire bytes between two ACKs; below a packet's size: one ACK for each packet
  Bytes ack_every = 0;
  std::optional<PicoSeconds> timeout;  // retransmission timeout; empty: 15 us + six base RTTs
  NsccParameters nscc;
  Ratio pull_rate{99, 100};   // data rate granted by PULLs, as a share of the receiver's link rate
  unsigned pull_packets = 4;  // number of packets that one PULL grants
  // credit beyond what is wanted, granted while nobody waits for credit; empty: as max_window
  std::optional<Bytes> ahead;

  bool has_window() const { return control != Control::kRccc; }
  bool has_credit() const { return control != Control::kNscc; }
  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* discipline() const override { return "trimming"; }
};

DCC_ENUM_NAMES(UecParameters::Control, {UecParameters::Control::kNscc, "nscc"},
               {UecParameters::Control::kRccc, "rccc"}, {UecParameters::Control::kBoth, "both"});

/// The Ultra Ethernet sender sends trimmed and timed-out packets before new packets, as far as
/// window and credit allow. The flows of a host take turns.
///
/// The Ultra Ethernet receiver answers a trimmed packet at once, and data at once or after
/// `ack_every` bytes. An answer carries the end of the data received in order, and one bit for each
/// of the 64 packets up to the latest packet since the last answer, so every packet is reported.
/// Every data packet is ECN-capable. The answer to a data packet returns the packet's mark, and the
/// entropy value that chose its path (`routing: reps`).
///
/// With credit from the receiver, a sender starts with a window of credit, which ends with the
/// first answer. Then each PULL grants some packets. Data carries the total credit that its sender
/// wants, and PULLs and all answers carry the total credit granted. Because credit is a total, a
/// lost packet is harmless. The PULLs of all senders of a host take turns at the rate of the data
/// that they grant. While no sender wants credit, the senders that have all the credit they wanted
/// get more credit in turn, up to `ahead` each. A sender that receives nothing and may send nothing
/// requests credit, at increasing intervals.
class Uec final : public MessageTransport {
 public:
  Uec(const TransportContext& context, const UecParameters& parameters);

  bool has_packet() const override { return !ready_.empty(); }
  Packet* next_packet() override;

 private:
  struct Sender {
    Sender(const NsccWindow& fresh, Bytes full_packet) : window(fresh), packet(full_packet) {}
    bool ready = false;  // true if the queue pair is in the list of senders that may send (ready_)
    // true if the queue pair counts as a sender with data to send (backlogged_)
    bool backlogged = false;
    // true while the sender has no answer yet, so that its credit is the initial credit
    bool speculative = true;
    Psn posted = 0;  // one above the number of the last posted packet when the sender last started
    Outstanding packets;
    Bytes in_flight = 0;
    NsccWindow window;
    Bytes packet;  // wire bytes of a full packet of the path
    Bytes credit = 0;
    std::uint64_t spare = 0;   // number of packets for which the sender holds unused credit
    std::uint64_t pulled = 0;  // total credit that the receiver granted, in bytes
    PicoSeconds heard{};       // time at which the sender last received a packet, or started
    PicoSeconds asked{};       // time of the sender's last request for credit
    void add_state(StateDigest& d) const {
      d(speculative, posted, packets, in_flight, window, credit, pulled, heard, asked);
    }
  };
  /// Range of the packets that arrived since the receiver's last answer (ACK); it spans at most 64
  /// packets, because the bitmap of an answer has 64 bits.
  struct Untold {
    Psn first = 0;
    Psn end = 0;  // one above the number of the last packet of the range; 0: the range is empty
    bool fits(Psn psn) const {
      return end == 0 || std::max(end, psn + 1) - std::min(first, psn) <= SequenceSet::kBits;
    }
    void add(Psn psn) {
      first = end == 0 ? psn : std::min(first, psn);
      end = std::max(end, psn + 1);
    }
    void add_state(StateDigest& d) const { d(first, end); }
    /// Removes packets that the cumulative number of an answer reports.
    void remove_before(Psn psn) {
      first = std::max(first, psn);
      if (end <= psn) *this = {};
    }
  };
  struct Receiver {
    // one above the number of the last packet that the receiver saw, as data or header
    Psn seen_end = 0;
    Untold untold;
    Bytes unanswered = 0;      // wire bytes that arrived since the receiver's last answer
    bool asked = false;        // true if the sender requested an answer while packets were missing
    std::uint64_t wanted = 0;  // total credit that the sender wants, in bytes
    std::uint64_t pulled = 0;  // total credit that the receiver granted, in bytes
    bool queued = false;  // true if the queue pair is in the round robin of PULLs (pull_turns_)
    // true if the queue pair is in the round robin of credit ahead of demand (ahead_turns_)
    bool ahead = false;
    void add_state(StateDigest& d) const { d(seen_end, untold, unanswered, asked, wanted, pulled); }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Functions of the Ultra Ethernet sender
  Psn work_left(Qpn qpn) const;
  bool may_send(const Sender& sender) const;
  Bytes wire_of(Qpn qpn, Psn psn) const;
  bool lost(Qpn qpn, Psn psn);
  Bytes took(Qpn qpn, Psn psn);
  void on_ack(Qpn qpn, const Packet& ack);
  void on_nack(Qpn qpn, const Packet& nack);
  void on_pulled(Qpn qpn, std::uint64_t pulled);
  std::uint64_t wanted(Qpn qpn) const;
  void settle(Qpn qpn);
  void take_turn(Qpn qpn);
  bool waits_for_word(Qpn qpn) const;
  void set_deadline(Qpn qpn);
  PicoSeconds may_ask_at(const Sender& sender) const;
  void ask(Qpn qpn);
  void look_at(Qpn qpn);
  void ring();

  // Functions of the Ultra Ethernet receiver
  void on_data(Qpn qpn, const Packet& data);
  void on_request(Qpn qpn, const Packet& request);
  void remember(Qpn qpn, const Packet& data);
  void answer(Qpn qpn, const Packet& packet, PacketKind kind);
  void on_wanted(Qpn qpn, std::uint64_t wanted);
  void send_credit(Qpn qpn);
  void plan_pull(PicoSeconds when);
  void go_ahead(Qpn qpn);
  void send_pull();

  UecParameters parameters_;
  Bytes packet_;  // wire bytes of a full packet of the host
  Bytes initial_window_;
  Bytes max_window_;
  std::uint64_t ahead_;
  PicoSeconds timeout_;
  PicoSeconds pull_interval_;
  std::vector<Sender> senders_;      // senders indexed by queue pair
  std::vector<Receiver> receivers_;  // receivers indexed by queue pair
  std::deque<Qpn> ready_;            // queue pairs whose sender may send, in round robin order
  std::size_t backlogged_ = 0;       // number of senders that have data to send
  DeadlineTable deadlines_;
  std::deque<Qpn> pull_turns_;  // queue pairs whose sender wants credit, in round robin order
  // queue pairs whose sender has all credit that it wanted, in round robin order
  std::deque<Qpn> ahead_turns_;
  PicoSeconds next_pull_{};
  Event pulling_;
};

}  // namespace dcc
