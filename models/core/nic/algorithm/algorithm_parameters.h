// What the parameters of every algorithm have in common. The platform calls these functions before
// an instance of the algorithm exists.
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
  /// Sets defaults of the receivers' notification point; what the user wrote overrides them.
  virtual void preset(CnpParameters&) const {}
  /// Sets what the algorithm requires of every switch; overrides what the user wrote.
  virtual void ask_switch(SwitchParameters&) const {}

 protected:
  AlgorithmParameters() = default;
  AlgorithmParameters(const AlgorithmParameters&) = default;
  AlgorithmParameters& operator=(const AlgorithmParameters&) = default;
};

}  // namespace dcc
