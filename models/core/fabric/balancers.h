// Load balancers by name (`routing.kind`). Each load balancer registers itself in its own file
// below models/schemes; the load balancer ECMP is part of the switch and is not registered.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "describe/named_choice.h"
#include "fabric/path_choice.h"

namespace dcc {

class FabricMap;
class FlowScheduler;
class Scheduler;

/// Constructor arguments of a central scheduler of flows. All references outlive the scheduler.
struct FlowSchedulerContext {
  Scheduler& scheduler;
  const FabricMap& fabric;
  std::uint64_t seed = 0;  // seed of the run
  std::uint32_t rank = 0;  // order of the scheduler's events among the events of one instant
  // Function that returns the least wire rate in bits per second that a flow should have; 0: none.
  // Null: no flow has such a rate.
  std::function<std::uint64_t(std::uint32_t flow)> goal{};
};

/// Parameters of a load balancer, and the properties that the platform asks for before a switch
/// exists.
struct BalancerParameters {
  virtual ~BalancerParameters() = default;
  /// Names each parameter of the load balancer (describe/visitor.h).
  virtual void describe(ParameterVisitor&) {}
  /// Throws ParameterError when the load balancer's parameters contradict each other.
  virtual void check() const {}
  /// True if all packets of a flow take one path while no route changes.
  virtual bool one_path_per_flow() const { return false; }
  /// True if the packets of a flow and their ACKs take the same path.
  virtual bool is_symmetric() const { return false; }
  /// True if packets take the path that the sender's transport wrote into their headers.
  virtual bool obeys_source() const { return false; }
  /// True if the load balancer detains packets in the switch's shared buffer (PathActions::detain).
  virtual bool detains_packets() const { return false; }
  /// True if a central scheduler reads the flow counters of all switches and sets their flow
  /// entries.
  virtual bool is_central() const { return false; }
  /// Number of addresses of a host among which a central scheduler moves flows, each with one path;
  /// 0: paths are not selected by address.
  virtual unsigned addresses() const { return 0; }
  /// Index of the port by which a switch forwards to an address of a host, among `choices` equally
  /// good ports. Precondition: addresses() is not 0, or `choices` is 1.
  virtual std::uint32_t index_of(std::uint64_t /*hash_seed*/, HostId /*destination*/,
                                 unsigned /*path*/, std::uint32_t /*choices*/) const {
    return 0;
  }
  /// Makes the central flow scheduler; null unless is_central().
  virtual std::unique_ptr<FlowScheduler> make_scheduler(const FlowSchedulerContext&) const;

 protected:
  BalancerParameters() = default;
  BalancerParameters(const BalancerParameters&) = default;
  BalancerParameters& operator=(const BalancerParameters&) = default;
};

/// Parameters of load balancers without settings that spread the packets of a flow over several
/// paths.
struct ManyPathsParameters final : BalancerParameters {};
/// Parameters of load balancers without settings that keep a flow on one path.
struct OnePathParameters final : BalancerParameters {
  bool one_path_per_flow() const override { return true; }
};

struct BalancerSeam {
  using Parameters = BalancerParameters;
  using Product = PathChoice;
  using Context = PathContext;
  static constexpr const char* kSection = "routing";
  static constexpr const char* kKey = "kind";
  static constexpr const char* kDefault = "ecmp";
  static std::vector<std::pair<std::string, std::string>> built_in() {
    return {{"ecmp", "by hash of source, destination and flow: one path per flow and direction"}};
  }
};
using Balancers = Named<BalancerSeam>;

/// The load balancer that a configuration names.
class BalancerChoice : public Balancers::Choice {
 public:
  BalancerChoice() = default;
  explicit BalancerChoice(std::string name) { choose(std::move(name)); }

  bool one_path_per_flow() const { return chosen() == nullptr || chosen()->one_path_per_flow(); }
  bool is_symmetric() const { return chosen() != nullptr && chosen()->is_symmetric(); }
  bool obeys_source() const { return chosen() != nullptr && chosen()->obeys_source(); }
  bool detains_packets() const { return chosen() != nullptr && chosen()->detains_packets(); }
  bool is_central() const { return chosen() != nullptr && chosen()->is_central(); }
};

}  // namespace dcc
