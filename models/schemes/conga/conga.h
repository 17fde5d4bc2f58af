// CONGA (Alizadeh et al., SIGCOMM'14): an edge switch sends each flowlet by the path whose busiest
// link has the lowest use. Every port estimates its link's use (DRE). A packet collects the highest
// estimate of its path; the edge switch at the destination returns that value on packets of the
// opposite direction.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/balancers.h"
#include "schemes/common/edge_choice.h"
#include "schemes/common/flowlets.h"
#include "schemes/common/rate_estimator.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

/// Parameters of the link use estimate and of the lifetime of remote congestion reports.
struct CongaParameters final : BalancerParameters {
  FlowletParameters flowlet;
  RateEstimatorParameters dre;
  PicoSeconds age = kMilliSecond * 10;

  void describe(ParameterVisitor& v) override;
};

class Conga final : public EdgeChoice {
 public:
  Conga(const CongaParameters& parameters, const PathContext& context);

  Needs needs() const override { return {true, true}; }
  /// Throws std::invalid_argument for an edge switch with more than 255 uplinks.
  void join(const FabricMap& fabric, int self) override;
  void routes_changed() override;

  std::uint32_t peek(const Packet& packet, PortSet ports) const override;
  std::uint32_t choose(Packet& packet, PortSet ports) override;
  void departs(Packet& packet, int port) override;
  void add_state(StateDigest& d) const override;

  // Functions for diagnosis of CONGA
  /// Congestion of the path through `port`, as the far edge switch reported it; 0 if unknown.
  std::uint32_t congestion_to(std::uint32_t edge, int port) const;

 private:
  /// Known congestion of a path between this edge switch and a far edge switch.
  struct News {
    PicoSeconds since{};
    std::uint8_t congestion = 0;
    bool known = false;
    bool untold = false;
    void add_state(StateDigest& d) const { d(since, congestion, known, untold); }
  };
  /// Congestion of the paths between this edge switch and one far edge switch, indexed by path tag
  /// − 1.
  struct Edge {
    std::vector<News> to;
    std::vector<News> from;
    std::uint32_t next = 0;  // index into `from` of the next path whose congestion is reported
    void add_state(StateDigest& d) const { d(to, from, next); }
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
  std::vector<RateEstimator> use_;  // utilisation estimate of each port's link
  std::vector<std::uint8_t> tag_;   // path tag of each port; 0: the port leads to a host
  std::uint32_t tags_ = 0;
  // known congestion of paths, by far edge switch; empty: nothing is known yet
  std::vector<Edge> edges_;
};

}  // namespace dcc
