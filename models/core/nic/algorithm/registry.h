// Congestion-control algorithms by name (`nic.congestion_control.algorithm`). Each registers itself
// in its own file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "describe/named_choice.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "sim/scheduler.h"

namespace dcc {

struct ControllerSetup;

/// Constructor arguments of an algorithm besides its parameters. All references outlive the
/// algorithm.
struct AlgorithmContext {
  Scheduler& scheduler;
  AlgorithmHost& host;
  std::uint32_t mtu = 0;           // payload bytes of a full packet
  PicoSeconds longest_base_rtt{};  // longest round trip of a full packet without queues, with ACK
  /// Rank of the algorithm's events among the events of one instant, above every rank that delivers
  /// notifications; another number for each NIC.
  std::uint32_t rank = 0;
  /// Setup of the hardware controller (controller/controller_setup.h); null: a setup with one slot.
  const ControllerSetup* controller = nullptr;
  std::uint64_t seed = 1;  // the run's seed; `rank` makes the NICs' random numbers differ
};

struct AlgorithmSeam {
  using Parameters = AlgorithmParameters;
  using Product = Algorithm;
  using Context = AlgorithmContext;
  static constexpr const char* kSection = "nic.congestion_control";
  static constexpr const char* kKey = "algorithm";
  static constexpr const char* kDefault = "dcc";
  static std::vector<std::pair<std::string, std::string>> built_in() {
    return {{"none", "flows send at line rate"}};
  }
};
// One instance only, in the program itself: plug-ins add to the program's list.
extern template struct Named<AlgorithmSeam>;
using Algorithms = Named<AlgorithmSeam>;

/// A namespace-scope constant of the algorithm's .cpp:
///   const RegisteredAlgorithm<MineParameters> kMine{"mine", "what it does in a few words",
///       [](const MineParameters& parameters, const AlgorithmContext& context) {
///         return std::make_unique<Mine>(context.host, parameters);
///       }};
template <class Parameters>
using RegisteredAlgorithm = Algorithms::Registered<Parameters>;

/// The algorithm that a configuration names, and the parameters of every registered one.
class AlgorithmChoice : public Algorithms::Choice {
 public:
  /// Parameters of the chosen algorithm; null when they are of another type, or for "none".
  template <class Parameters = AlgorithmParameters>
  const Parameters* chosen() const {
    return dynamic_cast<const Parameters*>(Algorithms::Choice::chosen());
  }
  /// Describes the choice and the parameters of all algorithms. While a configuration is read,
  /// `cnp` gets the presets of the chosen algorithm.
  void describe(ParameterVisitor& v, CnpParameters& cnp);
  /// Needs of the chosen algorithm, before a NIC exists.
  AlgorithmNeeds needs(std::uint32_t mtu) const;
};

}  // namespace dcc
