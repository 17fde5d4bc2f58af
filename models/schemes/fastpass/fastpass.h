// Fastpass: an arbiter decides in which timeslot and on which path each packet leaves.
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

namespace dcc {

/// Perry et al., "Fastpass: A Centralized 'Zero-Queue' Datacenter Network", SIGCOMM 2014. Of its
/// wire format only the sizes of messages are modelled (fastpass_entries.h).
struct FastpassParameters final : TransportParameters {
  HostId arbiter = 0;
  TimeslotAllocator::Order order = TimeslotAllocator::Order::kMaxMin;
  std::optional<PicoSeconds> slot;  // length; empty: time of a full packet and its control traffic
  unsigned batch = 8;
  std::optional<PicoSeconds> lead;  // from allocation to slot; empty: base RTT / 2 + two batches
  PicoSeconds request_time{};
  PicoSeconds allocation_time{5'400};
  unsigned rack = 0;
  unsigned ways = 1;
  std::optional<PicoSeconds> ask_again;  // empty: three base RTTs plus the lead
  PicoSeconds timeout = kMilliSecond;
  PicoSeconds clock_error{};

  void describe(ParameterVisitor& v) override;
  void check() const override;
  /// Checks that the arbiter is a host, that all hosts share one slot length, and that racks and
  /// uplinks match the network.
  void check_network(const TopologyParameters& topology) const override;
  bool needs_source_routing() const override { return rack != 0; }
};

/// Sender: reports to the arbiter, for each destination host, the total number of slots that it
/// wants; the arbiter counts the slots given in the same way. The sender wants one more slot for
/// each packet without one: new packets, lost packets, and packets whose slot did not arrive,
/// arrived too late, or passed while control packets used the link. In a slot one packet to that
/// host leaves; queue pairs take turns, or, with `shortest`, the one with the fewest packets left
/// sends. A slot without a packet is unused. Without news the demand is repeated at increasing
/// intervals, and the arbiter answers with the slots given. Every data packet is acknowledged
/// without a slot, and sent again if no acknowledgement arrives within the timeout.
class Fastpass final : public MessageTransport, private FastpassArbiter::Client {
 public:
  Fastpass(const TransportContext& context, const FastpassParameters& parameters);

  bool has_packet() const override;
  Packet* next_packet() override;
  const FastpassTiming& timing() const { return timing_; }

 private:
  struct Sender {
    Outstanding packets;
    std::uint64_t work = 0;  // packets to send, counted in the demand of the destination
    template <class Digest>
    void add_state(Digest& d) const {
      d(packets, work);
    }
  };
  /// Data to one destination host.
  struct Way {
    std::deque<Qpn> waiting;    // queue pairs with packets, round robin
    std::uint64_t work = 0;     // packets of all queue pairs
    std::uint64_t wanted = 0;   // total slots wanted
    std::uint64_t given = 0;    // total slots given, as far as known
    std::uint64_t in_hand = 0;  // given slots in the future
    bool to_tell = false;       // true if the destination is in to_tell_
    bool ask = false;           // true if the next message requests an answer
    PicoSeconds patience{};
    template <class Digest>
    void add_state(Digest& d) const {
      d(waiting, work, wanted, given, in_hand, to_tell, ask, patience);
    }
  };
  struct Slot {
    std::uint64_t number = 0;
    HostId host = 0;
    std::uint8_t first_way = 0, second_way = 0;
    template <class Digest>
    void add_state(Digest& d) const {
      d(number, host, first_way, second_way);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void arrived_for_host(Packet& packet) override;
  void add_own_state(StateDigest& d) const override;
  void send_entries(HostId to, std::uint64_t base,
                    const std::vector<FastpassEntry>& entries) override;

  // Demands
  Way& way_to(HostId host);
  void count_work(Qpn qpn, std::uint64_t work);
  void want(HostId host);
  void tell(HostId host);
  void tell_all();
  void hear_nothing();
  void hear(std::uint64_t base, const FastpassEntry& entry);

  // Sender
  PicoSeconds begin_of(std::uint64_t slot) const { return timing_.begin_of(slot) + clock_offset_; }
  void use_slots();
  void slot_passed(HostId host);
  Qpn choose(const Way& way) const;
  void settle(Qpn qpn);
  void look_at(Qpn qpn);
  void ring_timeouts();

  const FastpassParameters parameters_;
  FastpassTiming timing_;
  PicoSeconds told_;  // time of the last message to the arbiter
  PicoSeconds ask_again_;
  PicoSeconds clock_offset_{};
  std::unique_ptr<FastpassArbiter> arbiter_;  // null unless this host is the arbiter
  std::vector<Sender> senders_;               // senders indexed by queue pair
  std::vector<Way> ways_;                     // destinations, by host
  std::vector<HostId> to_tell_;
  std::deque<Slot> hand_;        // granted slots in order of time
  std::optional<Slot> current_;  // the present slot, if unused so far
  Event telling_, slots_;
  DeadlineTable silence_;   // time of the next repetition of a demand, by host
  DeadlineTable timeouts_;  // timeouts of queue pairs
};

}  // namespace dcc
