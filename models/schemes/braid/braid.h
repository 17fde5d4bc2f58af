// Braid: a sender decides window, path and priority of a flow together.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/braid/braid_law.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"
#include "sim/state_digest.h"

namespace dcc {

/// A design of this project, put together from DCTCP (RFC 8257), FlowBender (CoNEXT 2014) and PIAS
/// (NSDI 2015); see README.md for what is new in it.
struct BraidParameters final : TransportParameters {
  bool joined = true;
  Ratio g{1, 16};
  Ratio move_share{1, 20};
  Ratio margin{1, 16};
  // time for which a path's share of marks counts as known; empty: 64 base RTTs
  std::optional<PicoSeconds> memory;
  std::optional<Bytes> initial_window;  // first window of a flow; empty: line rate times base RTT
  // bytes of a message after each of which the message's priority falls by one
  std::vector<unsigned> thresholds{100'000, 300'000, 1'000'000, 3'000'000, 10'000'000};
  unsigned rack = 1;
  unsigned ways = 1;
  unsigned beyond = 1;
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
  void check() const override;
  void check_network(const TopologyParameters& topology) const override;
  bool strict_ports() const override { return true; }
  bool needs_source_routing() const override { return ways * beyond > 1; }
};

/// Every ACK reports the mark of one packet. A packet may leave while the flow's unacknowledged
/// bytes are fewer than its window. The priority of a packet follows from the bytes of its message
/// that were sent before: 7 up to the first threshold, and one less behind each threshold. A host
/// sends its highest priority first, and flows of one priority take turns. A packet without an ACK
/// for `timeout` is sent again, before others; the timeout doubles until the next ACK.
class Braid final : public MessageTransport {
 public:
  Braid(const TransportContext& context, const BraidParameters& parameters);

  bool has_packet() const override;
  Packet* next_packet() override;
  const BraidFlow& flow(Qpn qpn) const { return senders_[qpn].flow; }

 private:
  static constexpr std::uint8_t kNotReady = 0xFF;
  struct Sender {
    BraidFlow flow;
    bool begun = false;
    std::uint8_t ready = kNotReady;  // priority under which the queue pair is listed in ready_
    unsigned late = 0;               // number of the flow's timeouts since its last ACK
    Outstanding packets;
    void add_state(StateDigest& d) const { d(flow, begun, ready, late, packets); }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  BraidPaths& paths_to(Qpn qpn);
  std::uint8_t priority_of(Qpn qpn, Psn psn) const;
  void on_ack(Qpn qpn, const Packet& ack);
  void settle(Qpn qpn);
  void leave(Qpn qpn);
  PicoSeconds patience(const Sender& sender) const;
  void look_at(Qpn qpn);
  void ring();

  const BraidParameters parameters_;
  BraidLawParameters law_;
  long double line_;  // line rate of the NIC in Mb/s
  RandomStream random_;
  std::vector<Sender> senders_;    // senders indexed by queue pair
  std::vector<BraidPaths> paths_;  // shares of marks of the paths, by rack of the destination
  // queue pairs that may send, by priority, in round robin order
  std::array<std::deque<Qpn>, kPriorities> ready_;
  DeadlineTable deadlines_;
};

}  // namespace dcc
