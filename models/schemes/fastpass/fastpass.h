// Fastpass: a central arbiter decides in which timeslot and on which path each packet leaves.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"
#include "schemes/fastpass/fastpass_arbiter.h"
#include "schemes/fastpass/fastpass_demand.h"
#include "sim/state_digest.h"

namespace dcc {

/// Perry et al., "Fastpass: A Centralized 'Zero-Queue' Datacenter Network", SIGCOMM 2014. Of its
/// wire format only the sizes of messages are modelled (fastpass_entries.h).
struct FastpassParameters final : TransportParameters {
  HostId arbiter = 0;
  unsigned arbiters = 1;
  TimeslotAllocator::Order order = TimeslotAllocator::Order::kMaxMin;
  // length of a timeslot; empty: time of a full packet and its control traffic
  std::optional<PicoSeconds> slot;
  unsigned batch = 8;
  // time from allocation to the slot; empty: base RTT / 2 + two batches, one more per further
  // arbiter
  std::optional<PicoSeconds> lead;
  PicoSeconds request_time{};
  PicoSeconds allocation_time{5'400};
  unsigned rack = 0;
  unsigned ways = 1;
  // time until an unanswered demand is repeated; empty: three base RTTs plus the lead, and a batch
  // per further arbiter
  std::optional<PicoSeconds> ask_again;
  PicoSeconds timeout = kMilliSecond;
  PicoSeconds clock_error{};

  void describe(ParameterVisitor& v) override;
  const char* needs_one_mtu() const override {
    return "the arbiter gives all hosts timeslots of one packet";
  }
  void check() const override;
  /// Checks that the arbiter is a host, that all hosts share one slot length, and that racks and
  /// uplinks match the network.
  void check_network(const TopologyParameters& topology) const override;
  bool needs_source_routing() const override { return rack != 0; }
};

/// The sender of Fastpass reports to the arbiter, for each destination host, the total number of
/// slots that it wants; the arbiter reports the total number of slots given. The sender wants one
/// more slot for each packet without a slot. Packets without a slot are new packets, lost packets,
/// and packets whose slot did not arrive, arrived too late, or passed while control packets used
/// the link. In a slot one packet to the slot's destination host leaves. The queue pairs to this
/// host take turns, or with `shortest` the queue pair with the fewest packets left sends. A slot
/// without a packet is unused. Without a message from the arbiter, the sender repeats its demand at
/// increasing intervals, and the arbiter answers with the number of slots given. A pair of hosts
/// waits for slots as long as other pairs use its hosts, so a repeated demand is no sign of loss. A
/// timeout is counted only if the answer shows that a demand or slots were lost. Every data packet
/// is acknowledged without a slot, and sent again if no acknowledgement arrives within the timeout.
/// With several arbiters a sender keeps these totals for each arbiter, and demands a slot of the
/// arbiter at which the pair lacks the fewest slots. An arbiter that leaves a repeated demand
/// unanswered counts as absent until the host gets a message from this arbiter again. The slots
/// that an absent arbiter owes are demanded of the other arbiters.
class Fastpass final : public MessageTransport, private FastpassArbiter::Client {
 public:
  Fastpass(const TransportContext& context, const FastpassParameters& parameters);

  bool has_packet() const override;
  Packet* next_packet() override;
  const FastpassTiming& timing() const { return timing_; }

 private:
  struct Sender {
    Outstanding packets;
    // number of packets to send that are counted in the destination's demand
    std::uint64_t work = 0;
    void add_state(StateDigest& d) const { d(packets, work); }
  };
  /// Demand and allocated timeslots for data to one destination host.
  struct Way {
    std::deque<Qpn> waiting;  // queue pairs with packets to the destination, in round robin
    std::uint64_t work = 0;   // number of packets to this destination, of all queue pairs
    // number of timeslots given for this destination that are still in the future
    std::uint64_t in_hand = 0;
    FastpassDemand demand;  // timeslots wanted and given for this destination, by arbiter
    void add_state(StateDigest& d) const { d(waiting, work, in_hand, demand); }
  };
  struct Slot {
    std::uint64_t number = 0;
    HostId host = 0;
    std::uint8_t first_way = 0, second_way = 0;
    void add_state(StateDigest& d) const { d(number, host, first_way, second_way); }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void arrived_for_host(Packet& packet) override;
  void add_own_state(StateDigest& d) const override;
  void send_entries(HostId to, std::uint64_t base,
                    const std::vector<FastpassEntry>& entries) override;

  // Functions of the Fastpass sender that handle demands
  Way& way_to(HostId host);
  void count_work(Qpn qpn, std::uint64_t work);
  void want(HostId host);
  /// Index of the account of a destination host at an arbiter, in to_tell_ and silence_.
  std::uint32_t number_of(HostId host, unsigned arbiter) const {
    return host * parameters_.arbiters + arbiter;
  }
  bool is_here(unsigned arbiter) const {
    return arbiter_ != nullptr && context_.nic.host == parameters_.arbiter + arbiter;
  }
  void tell(HostId host, unsigned arbiter);
  void tell_all();
  void hear_nothing();
  void doubt(unsigned arbiter);
  void hear(unsigned arbiter, std::uint64_t base, const FastpassEntry& entry);

  // Functions of the Fastpass sender
  PicoSeconds begin_of(std::uint64_t slot) const { return timing_.begin_of(slot) + clock_offset_; }
  void use_slots();
  void slot_passed(HostId host);
  Qpn choose(const Way& way) const;
  void settle(Qpn qpn);
  void look_at(Qpn qpn);
  void ring_timeouts();

  const FastpassParameters parameters_;
  FastpassTiming timing_;
  PicoSeconds told_;  // time at which this host last sent messages to the arbiters
  PicoSeconds ask_again_;
  PicoSeconds clock_offset_{};
  // Fastpass arbiter on this host; null: this host has none
  std::unique_ptr<FastpassArbiter> arbiter_;
  std::vector<Sender> senders_;         // senders indexed by queue pair
  std::vector<Way> ways_;               // demand and timeslots of each destination, by host
  std::vector<std::uint32_t> to_tell_;  // accounts whose demands are to be sent to their arbiters
  unsigned turn_ = 0;  // arbiter at which the next timeslot is demanded if several lack equally few
  // by arbiter: time of the first request that the arbiter has not answered, or max()
  std::vector<PicoSeconds> asked_;
  // by arbiter: true if the arbiter left a request unanswered for too long
  std::vector<bool> absent_;
  std::deque<Slot> hand_;        // granted timeslots in order of time
  std::optional<Slot> current_;  // present timeslot, if it was granted and no packet has used it
  Event telling_, slots_;
  DeadlineTable silence_;   // time at which the demand of each account is repeated
  DeadlineTable timeouts_;  // timeouts for retransmission, by queue pair
};

}  // namespace dcc
