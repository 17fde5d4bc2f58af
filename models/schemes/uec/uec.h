// Ultra Ethernet's transport: packets by any path, selective acknowledgements, headers of what was
// trimmed, windows set by the sender (NSCC) or credit given by the receiver (RCCC).
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

namespace dcc {

/// Congestion control of Ultra Ethernet as the consortium's simulator has it
/// (ultraethernet/uet-htsim, 2024 and 2025). No form on the wire is modelled.
struct UecParameters final : TransportParameters {
  enum class Control : std::uint8_t {
    kNscc,  // windows
    kRccc,  // credit
    kBoth,  // what both allow
  };
  Control control = Control::kNscc;
  std::optional<Bytes> initial_window;  // empty: 3/2 of the bandwidth-delay product
  std::optional<Bytes> max_window;      // the same
  Bytes ack_every = 0;                  // on the wire; less than a packet: each is acknowledged
  std::optional<PicoSeconds> timeout;   // empty: 15 us and six base RTTs, a queue's time each
  NsccParameters nscc;
  Ratio pull_rate{99, 100};   // of the receiver's link
  unsigned pull_packets = 4;  // that a PULL lets go

  bool has_window() const { return control != Control::kRccc; }
  bool has_credit() const { return control != Control::kNscc; }
  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* discipline() const override { return "trimming"; }
};

DCC_ENUM_NAMES(UecParameters::Control, {UecParameters::Control::kNscc, "nscc"},
               {UecParameters::Control::kRccc, "rccc"}, {UecParameters::Control::kBoth, "both"});

/// Sender: what was trimmed, or timed out, before what is new, as far as window and credit go;
/// flows of a host take turns. Receiver: answers a trimmed packet at once, data at once or after so
/// many bytes, with all that has come in order and a bit for each of the 64 packets up to the
/// latest that came since the last answer: nothing is left untold. Every packet asks to be marked;
/// its answer brings the mark back, and the number its path was chosen by (`routing: reps`).
///
/// Credit: a sender begins with a window of it, which ends with the first answer; after that each
/// PULL lets some packets go. Data says how far its sender wants to be let go, PULLs and all
/// answers how far it has been: counts, so nothing is lost with a packet. PULLs of all senders of a
/// host take turns and leave at the pace of what they call for. A sender that hears nothing and may
/// send nothing asks, ever more rarely.
class Uec final : public MessageTransport {
 public:
  Uec(const TransportContext& context, const UecParameters& parameters);

  bool has_packet() const override { return !ready_.empty(); }
  Packet* next_packet() override;

 private:
  struct Sender {
    explicit Sender(const NsccWindow& fresh) : window(fresh) {}
    bool ready = false;       // in ready_
    bool backlogged = false;  // counted in backlogged_
    bool speculative = true;  // has heard nothing; its credit is what it began with
    Psn posted = 0;           // end of what was posted when it last began
    Outstanding packets;
    Bytes in_flight = 0;
    NsccWindow window;
    Bytes credit = 0;
    std::uint64_t spare = 0;   // packets' worth of it that is counted as unused
    std::uint64_t pulled = 0;  // bytes that the receiver has let go so far
    PicoSeconds heard{};       // when anything came, or was begun
    PicoSeconds asked{};       // when it last asked for credit
    template <class Digest>
    void add_state(Digest& d) const {
      d(speculative, posted, packets, in_flight, window, credit, pulled, heard, asked);
    }
  };
  /// Where the packets lie that came since the last answer: within 64, which it tells of.
  struct Untold {
    Psn first = 0;
    Psn end = 0;  // 0: none
    bool fits(Psn psn) const {
      return end == 0 || std::max(end, psn + 1) - std::min(first, psn) <= SequenceSet::kBits;
    }
    void add(Psn psn) {
      first = end == 0 ? psn : std::min(first, psn);
      end = std::max(end, psn + 1);
    }
    template <class Digest>
    void add_state(Digest& d) const {
      d(first, end);
    }
    /// They are told of with all that came in order.
    void forget_before(Psn psn) {
      first = std::max(first, psn);
      if (end <= psn) *this = {};
    }
  };
  struct Receiver {
    Psn seen_end = 0;  // behind the last packet of which anything came
    Untold untold;
    Bytes unanswered = 0;      // that came since the last answer, on the wire
    bool asked = false;        // an answer was wanted, but something was missing
    std::uint64_t wanted = 0;  // bytes that the sender wants to be let go
    std::uint64_t pulled = 0;  // bytes that it has been
    bool queued = false;       // in pull_turns_
    template <class Digest>
    void add_state(Digest& d) const {
      d(seen_end, untold, unanswered, asked, wanted, pulled);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Sending
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

  // Receiving
  void on_data(Qpn qpn, const Packet& data);
  void on_request(Qpn qpn, const Packet& request);
  void remember(Qpn qpn, const Packet& data);
  void answer(Qpn qpn, const Packet& packet, PacketKind kind);
  void on_wanted(Qpn qpn, std::uint64_t wanted);
  void let_go(Qpn qpn);
  void send_pull();

  UecParameters parameters_;
  Bytes packet_;  // a full one on the wire
  Bytes initial_window_;
  Bytes max_window_;
  PicoSeconds timeout_;
  PicoSeconds pull_interval_;
  NsccWindow fresh_window_;
  std::vector<Sender> senders_;      // by queue pair
  std::vector<Receiver> receivers_;  // the same
  std::deque<Qpn> ready_;            // senders that may send, in turn
  std::size_t backlogged_ = 0;       // senders with something to send
  DeadlineTable deadlines_;
  std::deque<Qpn> pull_turns_;
  PicoSeconds next_pull_{};
  Event pulling_;
};

}  // namespace dcc
