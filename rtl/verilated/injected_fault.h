// Faults that environment variables inject into a platform's verilated units, to show that
// lock-step detects such faults.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace dcc {

/// Value of the environment variable as one digit, 0 … `most`; 0 if the variable is not set. Throws
/// std::runtime_error for other contents.
inline unsigned injected_number(const char* variable, unsigned most) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return 0;
  const std::string number = text;
  if (number.size() != 1 || number[0] < '0' || number[0] > static_cast<char>('0' + most)) {
    throw std::runtime_error(std::string(variable) + " is '" + number + "', not 0 to " +
                             std::to_string(most));
  }
  return static_cast<unsigned>(number[0] - '0');
}

/// Converts a number 0 … 3 to the unit's fault.
template <class Fault>
Fault injected_fault(const char* variable) {
  return static_cast<Fault>(injected_number(variable, 3));
}

}  // namespace dcc
