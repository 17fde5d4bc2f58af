// Hermes (Zhang et al., SIGCOMM'17): hosts measure paths by the ACKs of their packets, start flows
// on good paths, and move a flow only if the gain is large. The hosts of a rack share their
// measurements. In this model the switch of the rack measures and chooses paths for its hosts.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/balancers.h"
#include "fabric/fabric_map.h"
#include "schemes/common/key_table.h"
#include "schemes/common/rate_estimator.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"

namespace dcc {

/// Parameters of Hermes: limits by which a path counts as good or bad, and by which a flow changes
/// its path.
struct HermesParameters final : BalancerParameters {
  PicoSeconds rtt_low = kMicroSecond * 60;
  PicoSeconds rtt_high = kMicroSecond * 180;
  PicoSeconds rtt_gain = kMicroSecond * 100;
  Ratio ecn_share{2, 5};
  Ratio ecn_gain{1, 10};
  Bytes sent = 600'000;
  Ratio rate{3, 10};
  PicoSeconds interval = kMicroSecond * 100;
  PicoSeconds age = kMicroSecond * 320;
  PicoSeconds failed_for = kMilliSecond * 10;
  PicoSeconds probe_interval{};  // time between two rounds of probes; 0: no probes

  void describe(ParameterVisitor& v) override;
};

/// The Hermes load balancer. A packet carries its path as a tag. The ACK brings back the tag, the
/// sending time of the packet and its mark. A path is identified by its first link only.
///
/// With probes, the switch also measures paths that carry no data. In each interval the switch
/// sends a probe, a small packet, to every far edge switch along two paths drawn at random and
/// along the best path known so far. The far edge switch answers each probe. A probe waits in the
/// same queues as data, so round trip and mark of the probe are those of data. No probes are sent
/// while no data leaves for other racks.
class Hermes final : public PathChoice {
 public:
  enum class State : std::uint8_t { kGood, kGrey, kBad, kFailed };

  Hermes(const HermesParameters& parameters, const PathContext& context);

  Needs needs() const override { return {true, false}; }
  void join(const FabricMap& fabric, int self) override;
  void routes_changed() override;

  std::uint32_t peek(const Packet& packet, PortSet ports) const override;
  std::uint32_t choose(Packet& packet, PortSet ports) override;
  void add_state(StateDigest& d) const override;

  // Functions for diagnosis of Hermes
  /// State of the path to a far edge switch through `port`.
  State state_of(std::uint32_t edge, int port) const;
  std::uint64_t probes_sent() const { return probes_sent_; }

 private:
  /// Measurements of a path to one far edge switch.
  struct Way {
    PicoSeconds heard{};           // time of the last ACK from a packet on the path
    PicoSeconds rtt{};             // moving average of the path's round-trip time
    std::uint32_t marked_q16 = 0;  // moving average of the path's share of marked packets
    bool known = false;
    PicoSeconds failed_until{};
    // number of packets on the path since the last check of retransmissions
    std::uint32_t packets = 0;
    std::uint32_t repeats = 0;
    void add_state(StateDigest& d) const {
      d(heard, rtt, marked_q16, known, failed_until, packets, repeats);
    }
  };
  struct Flow {
    std::uint16_t port = 0;
    bool placed = false;
    bool acknowledged = true;  // true if an ACK arrived since the flow's last retransmission
    // number of consecutive retransmissions of the flow without an ACK
    std::uint8_t lost_rounds = 0;
    Psn next = 0;    // one above the number of the highest packet that the flow sent
    Bytes sent = 0;  // bytes that the flow sent on its present path
    PicoSeconds moved{};
    RateEstimator rate;
    void add_state(StateDigest& d) const {
      d(port, placed, acknowledged, lost_rounds, next, sent, moved, rate);
    }
  };

  bool begins_here(const Packet& packet) const;
  Way& way(std::uint32_t edge, int port);
  const Way* find(std::uint32_t edge, int port) const;
  State state(const Way* way) const;
  bool is_known(const Way& way) const;
  std::uint32_t hear(Packet& news);
  void note_data(const Packet& packet);
  void probe();
  void send_probe(std::uint32_t edge, int port);
  std::uint32_t quickest(std::uint32_t edge, PortSet ports) const;
  void sense_way(const Packet& answer);
  void sense(const Packet& ack);
  void look_at_repeats(Flow& flow, const Packet& packet, std::uint32_t edge);
  std::uint32_t fresh(std::uint32_t edge, PortSet ports, RandomStream& random) const;
  std::uint32_t better(const Flow& flow, std::uint32_t edge, PortSet ports) const;
  std::uint32_t least_used(std::uint32_t edge, PortSet ports, State wanted, const Way* than) const;
  bool may_move(const Flow& flow) const;

  HermesParameters parameters_;
  RateEstimatorParameters estimating_;
  const PathView& view_;
  std::uint64_t hash_seed_;
  RandomStream random_;
  PathActions* actions_;
  const FabricMap* fabric_ = nullptr;
  NodeId node_ = 0;
  std::uint32_t self_ = FabricMap::kNoEdge;
  std::size_t ports_;
  // measured paths, indexed by far edge and port; empty: nothing is known yet
  std::vector<std::vector<Way>> ways_;
  std::vector<RateEstimator> use_;  // utilisation of each port by flows of this switch
  KeyTable<Flow> flows_;
  // Members that are used only if Hermes probes paths.
  std::unique_ptr<Event> probing_;  // time of the next probes; null: no probes
  std::vector<HostId> host_of_;     // a host of each edge switch, to which probes are addressed
  Packet pattern_;                  // the last data packet that left for another rack
  bool data_left_ = false;          // true if data left for other racks since the last probes
  std::uint64_t probes_sent_ = 0;
};

}  // namespace dcc
