// ConWeave (Song et al., SIGCOMM'23): about once a round trip the sender's edge switch measures a
// flow's path with a request; if the reply is late, the flow moves to another path. The receiver's
// edge switch detains packets of the new path until all packets of the old path have arrived, so
// the receiver sees them in order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/balancers.h"
#include "schemes/common/edge_choice.h"
#include "schemes/common/key_table.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"

namespace dcc {

/// Parameters of ConWeave: when a path counts as congested, and how long the far edge waits for
/// packets of a flow's previous path.
struct ConweaveParameters final : BalancerParameters {
  PicoSeconds reply = kMicroSecond * 8;
  PicoSeconds path_busy = kMicroSecond * 16;
  PicoSeconds inactive = kMicroSecond * 300;
  PicoSeconds wait_more = kMicroSecond * 16;
  PicoSeconds wait_unknown = kMicroSecond * 200;
  unsigned message_priority = 6;

  void describe(ParameterVisitor& v) override;
  bool detains_packets() const override { return true; }
};

/// Header of data packets between the edge switches, stored in the packet's overlay without extra
/// bytes on the wire. Replies are packets of their own (PacketKind::kPathNews) with News as
/// `immediate`.
struct ConweaveHeader {
  static constexpr unsigned kEpochBits = 5;
  static constexpr unsigned kEpochs = 1u << kEpochBits;
  // shift from picoseconds to the unit of a time stamp, 65.5 ns; stamps wrap after 4.3 ms
  static constexpr int kStampShift = 16;

  enum class News : std::uint32_t {
    kReply,   // the report answers a request that measured a path
    kClear,   // the report states that all packets of a flow's old path have arrived
    kNotify,  // the report states that a packet of this path was marked
  };

  std::uint8_t way = 0;  // number of the path, from 1; 0: the packet has no ConWeave header
  std::uint8_t epoch = 0;
  bool rerouted = false;  // true if the packet takes the new path of its flow's epoch
  // true for the first packet of a flow's epoch, which the far edge switch answers at once
  bool request = false;
  bool tail = false;  // true for the last packet that a flow sends on its old path
  // time at which the packet left the first edge switch; for a rerouted packet, time at which the
  // last packet on the old path left
  std::uint16_t stamp = 0;

  OverlayHeader packed() const;
  static ConweaveHeader of(const OverlayHeader& overlay);
  static std::uint16_t stamp_of(PicoSeconds when) {
    return static_cast<std::uint16_t>(when.count >> kStampShift);
  }
};

/// The load balancer of an edge switch, or of a switch between edge switches.
class Conweave final : public EdgeChoice {
 public:
  /// Counters of ConWeave for flows that end at this switch; `rerouted` counts flows that begin
  /// here.
  struct Counters {
    std::uint64_t held = 0;
    // number of queues of detained packets that a tail packet released
    std::uint64_t released_by_tail = 0;
    std::uint64_t released_by_time = 0;
    // number of packets on an old path that arrived after the queue of their flow was released by
    // timeout
    std::uint64_t late = 0;
    // number of epochs in which a flow that begins here changed its path
    std::uint64_t rerouted = 0;
  };

  Conweave(const ConweaveParameters& parameters, const PathContext& context);

  Needs needs() const override { return {true, false}; }
  void routes_changed() override { ++routes_; }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override;
  std::uint32_t choose(Packet& packet, PortSet ports) override;
  void add_state(StateDigest& d) const override;

  // Functions for diagnosis of ConWeave
  const Counters& counters() const { return counters_; }
  /// True if flows to the far edge switch must not choose the path now.
  bool is_busy(std::uint32_t edge, std::uint8_t way) const;

 private:
  /// A flow whose sender is attached to this switch.
  struct Sender {
    PicoSeconds active{};      // time of the sender's last packet
    PicoSeconds reply_due{};   // time at which the reply to the request is late; valid while `asks`
    std::uint32_t routes = 0;  // number of route changes (routes_) when the flow's path was chosen
    std::uint16_t tail_sent = 0;  // time stamp at which the tail packet left on the old path
    std::uint8_t way = 0;         // number of the flow's present path; 0: none yet
    std::uint8_t epoch = 0;
    bool asks = false;      // true if the sender's edge switch waits for the reply to a request
    bool rerouted = false;  // true if the flow changed its path in the present epoch
    bool settled = false;   // true if the flow's next packet starts an epoch
    void add_state(StateDigest& d) const {
      d(active, reply_due, routes, tail_sent, way, epoch, asks, rerouted, settled);
    }
  };
  /// Detained packets of one flow, which wait for packets of the old path.
  struct Queue {
    Queue(Conweave& owner, std::uint32_t rank)
        : conweave(owner), due(Event::calling<&Queue::release>(*this, rank)) {}
    void release() { conweave.release(*this); }

    Conweave& conweave;
    std::uint64_t flow = 0;
    int port = 0;
    bool by_tail = false;
    PacketFifo packets;
    Event due;
  };
  /// A flow whose receiver is attached to this switch.
  struct Receiver {
    PicoSeconds active{};
    PicoSeconds old_came{};  // arrival time of the last packet on the old path of the flow's epoch
    std::uint16_t old_sent = 0;   // time stamp of the last packet that arrived on the old path
    std::uint16_t tail_sent = 0;  // time stamp of the tail packet, as rerouted packets report it
    std::uint8_t epoch = 0;
    bool known = false;      // true if the number of the flow's epoch (`epoch`) is known
    bool knows_old = false;  // true if old_came and old_sent belong to the flow's present epoch
    bool passes =
        // true: rerouted packets of the flow pass, because the tail packet has arrived or is given
        // up
        false;
    Queue* queue = nullptr;  // queue of detained packets of the flow; null: none are detained
    void add_state(StateDigest& d) const {
      d(active, old_came, old_sent, tail_sent, epoch, known, knows_old, passes, queue != nullptr);
      if (queue != nullptr) d(queue->port, queue->by_tail, queue->packets, queue->due);
    }
  };

  ConweaveHeader depart(Sender& sender, const Packet& packet, PortSet ports,
                        RandomStream& random) const;
  std::uint8_t pick(std::uint32_t edge, std::uint32_t ways, std::uint8_t otherwise,
                    RandomStream& random) const;
  std::uint32_t ways_to(HostId destination, PortSet ports) const;
  std::uint32_t on_the_way(const Packet& packet, PortSet ports) const;
  std::uint32_t arrive(Packet& packet, PortSet ports);
  bool begins_epoch(const Receiver& flow, const ConweaveHeader& header) const;
  PicoSeconds old_way_due(const Receiver& flow) const;
  void hold(Receiver& flow, std::uint64_t key, Packet& packet, int port);
  void release(Queue& queue);
  void tell(const Packet& about, const ConweaveHeader& header, ConweaveHeader::News news);
  void hear(const Packet& packet);

  ConweaveParameters parameters_;
  const PathView& view_;
  PathActions* actions_;
  std::uint64_t hash_seed_;
  RandomStream random_;
  std::uint32_t routes_ = 0;  // number of route changes of the network
  KeyTable<Sender> senders_;
  KeyTable<Receiver> receivers_;
  // time until which flows must not choose a path, by far edge switch and path number − 1
  std::vector<std::vector<PicoSeconds>> busy_until_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<Queue*> spare_;
  Counters counters_;
};

}  // namespace dcc
