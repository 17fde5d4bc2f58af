// Base of the parameters of every algorithm. The platform calls these functions before an instance
// of the algorithm exists.
#pragma once

#include <cstdint>
#include <optional>

#include "describe/parameter_error.h"
#include "describe/quantities.h"

namespace dcc {

class ParameterVisitor;
struct CnpParameters;
struct EcnParameters;
struct SwitchParameters;

struct AlgorithmParameters {
  virtual ~AlgorithmParameters() = default;
  /// Describes each parameter of the algorithm (describe/visitor.h).
  virtual void describe(ParameterVisitor& v) = 0;
  /// Throws ParameterError if values of the parameters contradict each other. `largest_packet` is
  /// in wire bytes.
  virtual void check(Bytes /*largest_packet*/) const {}
  /// Sets defaults of the receivers' notification point; values that the user wrote override these.
  virtual void preset(CnpParameters&) const {}
  /// Sets the rule of the marking thresholds (EcnParameters::rule) if the algorithm has one. Called
  /// if the user wrote neither a rule nor a threshold.
  virtual void ask_marking(EcnParameters&) const {}
  /// Sets the switch parameters that the algorithm requires; these override values that the user
  /// wrote.
  virtual void ask_switch(SwitchParameters&) const {}
  /// True if only lost packets slow flows down. Then the network must drop packets, and a sender
  /// must retransmit only the lost ones.
  virtual bool needs_losses() const { return false; }
  /// The host whose NIC's processors wait for a debugger (the parameter gdb_host); empty: none.
  virtual std::optional<std::uint32_t> debugged_host() const { return std::nullopt; }

 protected:
  AlgorithmParameters() = default;
  AlgorithmParameters(const AlgorithmParameters&) = default;
  AlgorithmParameters& operator=(const AlgorithmParameters&) = default;
};

}  // namespace dcc
