// The exception for parameter values that are in range but contradict each other.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dcc {

/// Parameter values that contradict each other. what() is one sentence without the place in the
/// input.
class ParameterError : public std::invalid_argument {
 public:
  /// Makes the error. `keys` names the parameters involved. The message points at the first of
  /// these parameters that the user wrote, or at the first one if the user wrote none.
  ParameterError(std::vector<std::string> keys, const std::string& message)
      : std::invalid_argument(message), keys_(std::move(keys)) {}
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::vector<std::string> keys_;
};

}  // namespace dcc
