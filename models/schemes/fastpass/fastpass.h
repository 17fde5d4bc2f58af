// Fastpass: an arbiter says in which timeslot, and by which way, each packet leaves.
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

/// Perry et al., "Fastpass: A Centralized 'Zero-Queue' Datacenter Network", SIGCOMM 2014. Its form
/// on the wire is not modelled, but for the sizes of what is told (fastpass_entries.h).
struct FastpassParameters final : TransportParameters {
  HostId arbiter = 0;
  TimeslotAllocator::Order order = TimeslotAllocator::Order::kMaxMin;
  std::optional<PicoSeconds> slot;  // empty: a full packet, and what goes beside it
  unsigned batch = 8;
  std::optional<PicoSeconds> lead;  // empty: half a base RTT and two batches
  PicoSeconds request_time{};
  PicoSeconds allocation_time{5'400};
  unsigned rack = 0;
  unsigned ways = 1;
  std::optional<PicoSeconds> ask_again;  // empty: three base RTTs, and the lead
  PicoSeconds timeout = kMilliSecond;
  PicoSeconds clock_error{};

  void describe(ParameterVisitor& v) override;
  void check() const override;
  /// The arbiter is one of the hosts; its slots are of one clock, its ways of racks and the ports
  /// up from them.
  void check_network(const TopologyParameters& topology) const override;
  bool needs_source_routing() const override { return rack != 0; }
};

/// Sender: for each host it sends to it tells the arbiter how many slots it wants in all; what it
/// is given is counted in the same way, by the arbiter. It wants as many more as it has packets for
/// which no slot is to come: new ones, those that are lost, and those whose slot was given and
/// never came, came too late, or went by while control packets had the wire. In its slot, by its
/// own clock, a packet of a queue pair to that host leaves: in turn, or with `shortest` that which
/// has least left. If it has none the slot goes by. When nothing is heard the demand is repeated,
/// ever more rarely, and answered with what was given. Each packet is acknowledged, without a slot,
/// and sent again when nothing is heard of it for the timeout.
class Fastpass final : public MessageTransport, private FastpassArbiter::Client {
 public:
  Fastpass(const TransportContext& context, const FastpassParameters& parameters);

  bool has_packet() const override;
  Packet* next_packet() override;
  const FastpassTiming& timing() const { return timing_; }

 private:
  struct Sender {
    Outstanding packets;
    std::uint64_t work = 0;  // packets, new and again, that its host is told of
    template <class Digest>
    void add_state(Digest& d) const {
      d(packets, work);
    }
  };
  /// What goes to one host.
  struct Way {
    std::deque<Qpn> waiting;    // have work, in turn
    std::uint64_t work = 0;     // of all
    std::uint64_t wanted = 0;   // slots, in all
    std::uint64_t given = 0;    // of those, as far as is known
    std::uint64_t in_hand = 0;  // of those, to come
    bool to_tell = false;       // in to_tell_
    bool ask = false;           // and wants an answer
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

  // Asking
  Way& way_to(HostId host);
  void count_work(Qpn qpn, std::uint64_t work);
  void want(HostId host);
  void tell(HostId host);
  void tell_all();
  void hear_nothing();
  void hear(std::uint64_t base, const FastpassEntry& entry);

  // Sending
  PicoSeconds begin_of(std::uint64_t slot) const { return timing_.begin_of(slot) + clock_offset_; }
  void use_slots();
  void slot_passed(HostId host);
  Qpn choose(const Way& way) const;
  void settle(Qpn qpn);
  void look_at(Qpn qpn);
  void ring_timeouts();

  const FastpassParameters parameters_;
  FastpassTiming timing_;
  PicoSeconds told_;  // when the arbiter was, last
  PicoSeconds ask_again_;
  PicoSeconds clock_offset_{};
  std::unique_ptr<FastpassArbiter> arbiter_;  // of the host that is it
  std::vector<Sender> senders_;               // by queue pair
  std::vector<Way> ways_;                     // by host
  std::vector<HostId> to_tell_;
  std::deque<Slot> hand_;        // in order
  std::optional<Slot> current_;  // nothing was sent in it yet
  Event telling_, slots_;
  DeadlineTable silence_;   // by host
  DeadlineTable timeouts_;  // by queue pair
};

}  // namespace dcc
