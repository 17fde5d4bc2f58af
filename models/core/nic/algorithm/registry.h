// Congestion-control algorithms by name (`nic.congestion_control.algorithm`). Each algorithm
// registers itself in its own file.
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
  std::uint32_t mtu = 0;  // payload bytes of a full packet of the NIC
  // longest round trip in the network of a full packet and its ACK, through empty queues
  PicoSeconds longest_base_rtt{};
  /// Rank of the algorithm's events among the events of one instant, which is above every rank that
  /// delivers notifications and differs for each NIC.
  std::uint32_t rank = 0;
  /// Setup of the hardware controller (controller/controller_setup.h); null: a setup with one slot.
  const ControllerSetup* controller = nullptr;
  std::uint64_t seed = 1;  // random seed of the run; `rank` makes the NICs' random numbers differ
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
// The only instance is in the program itself, so that plug-ins add to the program's list of
// algorithms.
extern template struct Named<AlgorithmSeam>;
using Algorithms = Named<AlgorithmSeam>;

/// Maker for RegisteredAlgorithm: makes an algorithm of type Made from the NIC, the parameters and
/// the named members of the context.
template <class Made, auto... kMembers>
constexpr auto kMakesAlgorithm = [](const auto& parameters, const AlgorithmContext& context) {
  return std::make_unique<Made>(context.host, parameters, context.*kMembers...);
};

/// A namespace-scope constant of the algorithm's .cpp:
///   const RegisteredAlgorithm<MineParameters> kMine{"mine", "what it does in a few words",
///                                                   kMakesAlgorithm<Mine>};
template <class Parameters>
using RegisteredAlgorithm = Algorithms::Registered<Parameters>;

/// The algorithm that a configuration names, and the parameters of every registered algorithm.
class AlgorithmChoice : public Algorithms::Choice {
 public:
  /// Parameters of the chosen algorithm; null when the parameters are of another type, or for
  /// "none".
  template <class Parameters = AlgorithmParameters>
  const Parameters* chosen() const {
    return dynamic_cast<const Parameters*>(Algorithms::Choice::chosen());
  }
  /// Describes the choice of algorithm and the parameters of all algorithms. While a configuration
  /// is read, `cnp` gets the presets of the chosen algorithm.
  void describe(ParameterVisitor& v, CnpParameters& cnp);
  /// Needs of the chosen algorithm, which can be asked before a NIC exists.
  AlgorithmNeeds needs(std::uint32_t mtu) const;
};

}  // namespace dcc
