// What every algorithm's parameters have in common: the platform asks them before there is an
// instance of the algorithm.
#pragma once

#include "describe/parameter_error.h"
#include "describe/quantities.h"

namespace dcc {

class ParameterVisitor;
struct CnpParameters;
struct SwitchParameters;

struct AlgorithmParameters {
  virtual ~AlgorithmParameters() = default;
  /// Names each parameter (describe/visitor.h).
  virtual void describe(ParameterVisitor& v) = 0;
  /// Throws ParameterError when values do not go together. `largest_packet` in wire bytes.
  virtual void check(Bytes /*largest_packet*/) const {}
  /// Sets what the receivers' notification point should do unless the user says otherwise.
  virtual void preset(CnpParameters&) const {}
  /// Sets what the algorithm wants of every switch, whatever the user said.
  virtual void ask_switch(SwitchParameters&) const {}

 protected:
  AlgorithmParameters() = default;
  AlgorithmParameters(const AlgorithmParameters&) = default;
  AlgorithmParameters& operator=(const AlgorithmParameters&) = default;
};

}  // namespace dcc
