// Faults put under a platform's verilated units from outside, to show that lock-step sees them.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace dcc {

/// What the environment variable names by its number, 0 … 3; kNone if it is not set.
/// std::runtime_error for anything else in it.
template <class Fault>
Fault injected_fault(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return Fault::kNone;
  const std::string number = text;
  if (number.size() != 1 || number[0] < '0' || number[0] > '3') {
    throw std::runtime_error(std::string(variable) + " is '" + number + "', not 0 to 3");
  }
  return static_cast<Fault>(number[0] - '0');
}

}  // namespace dcc
