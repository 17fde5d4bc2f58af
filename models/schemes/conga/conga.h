// CONGA (Alizadeh et al., SIGCOMM'14): edge switches send flowlets the way that is used least, from
// end to end. Every link's use is estimated where packets leave (DRE); packets collect the greatest
// on their way, and what the far edge has learned so rides back on packets of the other direction.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/balancers.h"
#include "fabric/fabric_map.h"
#include "schemes/common/flowlets.h"
#include "schemes/common/rate_estimator.h"
#include "sim/random.h"

namespace dcc {

/// How the use of links is estimated, and how long news of it counts.
struct CongaParameters final : BalancerParameters {
  FlowletParameters flowlet;
  RateEstimatorParameters dre;
  PicoSeconds age = kMilliSecond * 10;

  void describe(ParameterVisitor& v) override;
};

class Conga final : public PathChoice {
 public:
  Conga(const CongaParameters& parameters, const PathContext& context);

  Needs needs() const override { return {true, true}; }
  /// Throws std::invalid_argument for an edge switch with more than 255 ways up.
  void join(const FabricMap& fabric, int self) override;
  void routes_changed() override;

  std::uint32_t peek(const Packet& packet, PortSet ports) const override;
  std::uint32_t choose(Packet& packet, PortSet ports) override;
  void departs(Packet& packet, int port) override;
  void add_state(StateDigest& d) const override;

  // For diagnosis.
  /// Congestion of a way up, as a far edge has told it: 0 when nothing is known.
  std::uint32_t congestion_to(std::uint32_t edge, int port) const;

 private:
  /// What is known of a way: from itself of one that comes here, from the far edge of one there.
  struct News {
    PicoSeconds since{};
    std::uint8_t congestion = 0;
    bool known = false;
    bool untold = false;
    template <class Digest>
    void add_state(Digest& d) const {
      d(since, congestion, known, untold);
    }
  };
  /// Of one far edge, by tag less one.
  struct Edge {
    std::vector<News> to;
    std::vector<News> from;
    std::uint32_t next = 0;  // of `from`, to be told
    template <class Digest>
    void add_state(Digest& d) const {
      d(to, from, next);
    }
  };

  std::uint32_t aged(const News& news) const;
  std::uint32_t congestion_of(int port, const Edge* edge) const;
  std::uint32_t best(const Packet& packet, PortSet ports, std::uint32_t before,
                     RandomStream& random) const;
  void learn(Edge& edge, const OverlayHeader& overlay);
  void tell(Edge& edge, OverlayHeader& overlay);
  Edge& edge(std::uint32_t number);
  const Edge* find(std::uint32_t number) const;

  CongaParameters parameters_;
  const PathView& view_;
  std::uint64_t hash_seed_;
  RandomStream random_;
  FlowletTable flowlets_;
  const FabricMap* fabric_ = nullptr;
  std::uint32_t self_ = FabricMap::kNoEdge;
  std::vector<RateEstimator> use_;  // by port
  std::vector<std::uint8_t> tag_;   // by port; 0: to a host
  std::uint32_t tags_ = 0;
  std::vector<Edge> edges_;  // empty ones: nothing known
};

}  // namespace dcc
