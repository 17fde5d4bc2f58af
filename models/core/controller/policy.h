// A policy of the algorithm "dcc": the values of its parameters, and the law or algorithm that
// calculates rates.
#pragma once

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

/// One choice of nic.congestion_control.policy. Each policy is a namespace-scope constant of its
/// own .cpp file and registers itself, so that a configuration can name it.
///
/// Most policies are laws of the controller (law/law.h). A policy without a law makes an algorithm
/// of its own, and no hardware takes part in it.
class Policy {
 public:
  /// Throws std::logic_error if another policy has the name. Both texts must outlive the policy.
  Policy(const char* name, const char* description);
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  const char* name() const { return name_; }
  const char* description() const { return description_; }

  /// Sets the policy's own defaults in `parameters`, which hold the preset's values before.
  virtual void set_defaults(DccParameters& /*parameters*/) const {}
  /// Sets the policy's own defaults for the NIC's congestion notifications.
  virtual void set_defaults(CnpParameters& /*cnp*/) const {}
  /// The law of the controller that calculates the rates, or null.
  virtual const Law* law() const { return nullptr; }
  /// Makes the algorithm of a policy without a law; null otherwise.
  virtual std::unique_ptr<Algorithm> make(const DccParameters& parameters,
                                          const AlgorithmContext& context) const;

  /// Every policy, in the order of the names.
  static const std::vector<const Policy*>& all();
  /// Throws std::logic_error for a name that no policy has.
  static const Policy& of(const std::string& name);

 protected:
  ~Policy();

 private:
  const char* name_;
  const char* description_;
};

}  // namespace dcc
