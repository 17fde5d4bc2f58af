// What is thrown for values that are each in range but do not go together.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dcc {

/// A value that does not go with the others. what() is a sentence without the place.
class ParameterError : public std::invalid_argument {
 public:
  /// `keys`: whose value it may be; the one that the user wrote is to blame, else the first.
  ParameterError(std::vector<std::string> keys, const std::string& message)
      : std::invalid_argument(message), keys_(std::move(keys)) {}
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::vector<std::string> keys_;
};

}  // namespace dcc
