// ConWeave (Song et al., SIGCOMM'23): the edge switch a flow's sender is at asks how fast its way
// answers, about once a round trip, and gives the flow another way when the answer is late; the
// edge switch at the other end holds what comes by the new way until all of the old one is there.
// So flows move as often as it pays, and RoCE's receivers see their packets in order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/balancers.h"
#include "fabric/fabric_map.h"
#include "schemes/common/key_table.h"
#include "sim/random.h"
#include "sim/scheduler.h"

namespace dcc {

/// When a path counts as congested, and how long the far edge waits for packets of a flow's
/// previous path.
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

/// What data carry from edge to edge, as the packet's overlay: the model adds no bytes for it. What
/// comes back is a packet of its own (PacketKind::kPathNews), with its News as `immediate`.
struct ConweaveHeader {
  static constexpr unsigned kEpochBits = 5;
  static constexpr unsigned kEpochs = 1u << kEpochBits;
  static constexpr int kStampShift = 16;  // a stamp is in 65.5 ns, and goes round in 4.3 ms

  enum class News : std::uint32_t {
    kReply,   // of a request
    kClear,   // all of the old way has come
    kNotify,  // a packet of this way was marked
  };

  std::uint8_t way = 0;  // from 1; 0: none of this is meant
  std::uint8_t epoch = 0;
  bool rerouted = false;    // goes the epoch's new way
  bool request = false;     // first of its epoch: answered at once
  bool tail = false;        // last by the old way
  std::uint16_t stamp = 0;  // when it left the first edge; of a rerouted one, when the tail did

  OverlayHeader packed() const;
  static ConweaveHeader of(const OverlayHeader& overlay);
  static std::uint16_t stamp_of(PicoSeconds when) {
    return static_cast<std::uint16_t>(when.count >> kStampShift);
  }
};

/// Of one edge switch, or of one on the way of others.
class Conweave final : public PathChoice {
 public:
  /// Of all packets for which this switch was the far edge.
  struct Counters {
    std::uint64_t held = 0;
    std::uint64_t released_by_tail = 0;  // queues
    std::uint64_t released_by_time = 0;
    std::uint64_t late = 0;      // packets of the old way behind a queue that was let go
    std::uint64_t rerouted = 0;  // epochs in which a flow from here took another way
  };

  Conweave(const ConweaveParameters& parameters, const PathContext& context);

  Needs needs() const override { return {true, false}; }
  void join(const FabricMap& fabric, int self) override;
  void routes_changed() override { ++routes_; }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override;
  std::uint32_t choose(Packet& packet, PortSet ports) override;
  void add_state(StateDigest& d) const override;

  // For diagnosis.
  const Counters& counters() const { return counters_; }
  /// Of the ways to a far edge: no flow is given it now.
  bool is_busy(std::uint32_t edge, std::uint8_t way) const;

 private:
  /// A flow that begins here.
  struct Sender {
    PicoSeconds active{};         // its last packet
    PicoSeconds reply_due{};      // while `asks`
    std::uint32_t routes = 0;     // which it was placed by
    std::uint16_t tail_sent = 0;  // stamp
    std::uint8_t way = 0;         // 0: none yet
    std::uint8_t epoch = 0;
    bool asks = false;      // an answer is awaited
    bool rerouted = false;  // in this epoch
    bool settled = false;   // the next packet begins an epoch
    template <class Digest>
    void add_state(Digest& d) const {
      d(active, reply_due, routes, tail_sent, way, epoch, asks, rerouted, settled);
    }
  };
  /// Packets of one flow that wait for its old way.
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
  /// A flow that ends here.
  struct Receiver {
    PicoSeconds active{};
    PicoSeconds old_came{};       // the last packet by the epoch's first way
    std::uint16_t old_sent = 0;   // its stamp
    std::uint16_t tail_sent = 0;  // as rerouted packets say
    std::uint8_t epoch = 0;
    bool known = false;      // the epoch is
    bool knows_old = false;  // a packet of this epoch came by its first way
    bool passes = false;     // rerouted packets need not wait: the tail is here, or given up
    Queue* queue = nullptr;  // null: none waits
    template <class Digest>
    void add_state(Digest& d) const {
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
  const FabricMap* fabric_ = nullptr;
  NodeId node_ = 0;
  std::uint32_t self_ = FabricMap::kNoEdge;
  std::uint32_t routes_ = 0;  // how often they have changed
  KeyTable<Sender> senders_;
  KeyTable<Receiver> receivers_;
  std::vector<std::vector<PicoSeconds>> busy_until_;  // by far edge and way less one; once known
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<Queue*> spare_;
  Counters counters_;
};

}  // namespace dcc
