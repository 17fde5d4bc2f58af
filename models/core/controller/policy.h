// A policy of the algorithm "dcc": the default values of its parameters, and the law or algorithm
// that calculates rates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "describe/quantities.h"

namespace dcc {

class Algorithm;
class Law;
struct AlgorithmContext;
struct CnpParameters;
struct DccParameters;
struct NetworkScale;

/// One choice of nic.congestion_control.policy. Each policy is a namespace-scope constant of its
/// own .cpp file and registers itself, so that a configuration can name it.
///
/// Most policies are laws of the controller (law/law.h). A policy without a law makes an algorithm
/// of its own, and no hardware takes part in it.
class Policy {
 public:
  /// Registers the policy; throws std::logic_error if another policy has the same name. `name` and
  /// `description` must outlive the policy.
  Policy(const char* name, const char* description);
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  const char* name() const { return name_; }
  const char* description() const { return description_; }

  /// Sets the policy's own defaults in `parameters`, which hold the preset's values at the call.
  virtual void set_defaults(DccParameters& /*parameters*/) const {}
  /// Sets the policy's own defaults for how the NIC sends congestion notifications.
  virtual void set_defaults(CnpParameters& /*cnp*/) const {}
  /// True if the policy's defaults follow the weights of the flows (follow_weights).
  virtual bool follows_weights() const { return false; }
  /// Replaces the policy's defaults for a network. `weight`: the greatest sum of weights of the
  /// flows that share a link as slow as the network's slowest one, as a multiple of 1/65536; 0 if
  /// the flows are not known.
  virtual void follow_weights(DccParameters& /*parameters*/, const NetworkScale& /*network*/,
                              std::uint64_t /*weight*/) const {}
  /// The law of the controller that calculates the policy's rates, or null.
  virtual const Law* law() const { return nullptr; }
  /// Makes the algorithm of a policy without a law; null otherwise.
  virtual std::unique_ptr<Algorithm> make(const DccParameters& parameters,
                                          const AlgorithmContext& context) const;

  /// Every registered policy, in the order of names.
  static const std::vector<const Policy*>& all();
  /// The policy with this name; throws std::logic_error if no policy has the name.
  static const Policy& of(const std::string& name);

 protected:
  ~Policy();

 private:
  const char* name_;
  const char* description_;
};

}  // namespace dcc
