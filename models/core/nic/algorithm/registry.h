// Congestion-control algorithms by name. Each registers itself in its own file; nobody lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controller/controller_model.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "sim/scheduler.h"

namespace dcc {

/// What an algorithm may want to know besides its parameters.
struct AlgorithmContext {
  Scheduler& scheduler;
  AlgorithmHost& host;
  std::uint32_t mtu = 0;              // payload bytes of a full packet
  PicoSeconds longest_base_rtt{};     // of the topology: a full packet there and its ACK back
  ControllerConfig controller;        // the hardware block, for who has one …
  std::uint32_t controller_rank = 0;  // above every rank that delivers notifications
  std::function<std::unique_ptr<TimerEngine>()> timers;  // empty: the model
  std::function<std::unique_ptr<RateEngine>()> rates;
  ControllerEngineFactory engine = {};  // of the whole block; empty: the model
};

struct AlgorithmEntry {
  std::string name;
  std::string description;
  std::function<std::unique_ptr<AlgorithmParameters>()> defaults;
  std::function<std::unique_ptr<AlgorithmParameters>(const AlgorithmParameters&)> copy;
  std::function<std::unique_ptr<Algorithm>(const AlgorithmParameters&, const AlgorithmContext&)>
      make;
};

/// All that registered, by name.
const std::vector<AlgorithmEntry>& algorithms();
/// Throws std::logic_error for a name that is taken.
void register_algorithm(AlgorithmEntry entry);

/// A namespace-scope constant of the algorithm's .cpp:
///   const RegisteredAlgorithm<MineParameters> kMine{"mine", "what it does in a few words",
///       [](const MineParameters& parameters, const AlgorithmContext& context) {
///         return std::make_unique<Mine>(context.host, parameters);
///       }};
template <class Parameters>
struct RegisteredAlgorithm {
  template <class Make>
  RegisteredAlgorithm(const char* name, const char* description, Make make) {
    register_algorithm(
        {name, description, [] { return std::make_unique<Parameters>(); },
         [](const AlgorithmParameters& from) {
           return std::make_unique<Parameters>(static_cast<const Parameters&>(from));
         },
         [make](const AlgorithmParameters& parameters, const AlgorithmContext& context) {
           return make(static_cast<const Parameters&>(parameters), context);
         }});
  }
};

/// The algorithm that a configuration names, and the parameters of every one there is.
class AlgorithmChoice {
 public:
  AlgorithmChoice();  // dcc
  AlgorithmChoice(const AlgorithmChoice& other);
  AlgorithmChoice& operator=(const AlgorithmChoice& other);

  /// "none": flows send at line rate.
  const std::string& name() const { return name_; }
  void choose(std::string name) { name_ = std::move(name); }

  /// Of the chosen algorithm; null when it has not this type (none has no parameters at all).
  template <class Parameters = AlgorithmParameters>
  const Parameters* chosen() const {
    const auto known = parameters_.find(name_);
    return known == parameters_.end() ? nullptr
                                      : dynamic_cast<const Parameters*>(known->second.get());
  }
  /// Of an algorithm, chosen or not; `name` is registered with these parameters.
  template <class Parameters>
  Parameters& of(const std::string& name) {
    return static_cast<Parameters&>(*parameters_.at(name));
  }
  template <class Parameters>
  const Parameters& of(const std::string& name) const {
    return static_cast<const Parameters&>(*parameters_.at(name));
  }

  /// The choice and everybody's parameters. `cnp` gets the chosen one's presets while it is read.
  void describe(ParameterVisitor& v, CnpParameters& cnp);
  /// What the chosen algorithm wants, before there is a NIC.
  AlgorithmNeeds needs(std::uint32_t mtu) const;
  /// Null: none.
  std::unique_ptr<Algorithm> make(const AlgorithmContext& context) const;

 private:
  std::string name_;
  std::map<std::string, std::unique_ptr<AlgorithmParameters>> parameters_;
};

}  // namespace dcc
