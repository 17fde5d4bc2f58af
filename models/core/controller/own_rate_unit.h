// A rate unit that somebody brings along, RTL of their own: where `rate_lut` asks for RTL it is
// taken in the place of the shipped one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/rate_engine.h"

namespace dcc {

struct OwnRateUnit {
  std::string name;  // in reports
  /// A new one, fresh from its reset, a host. It may throw std::runtime_error, here and when asked.
  std::function<std::unique_ptr<RateEngine>()> make;
};

/// All that were brought. There is one place: who loads a second one refuses it.
const std::vector<OwnRateUnit>& own_rate_units();
void register_rate_unit(OwnRateUnit unit);

/// A namespace-scope constant of a plug-in's source:
///   const RegisteredRateUnit kMine{"mine", [] { return std::make_unique<Mine>(); }};
struct RegisteredRateUnit {
  template <class Make>
  RegisteredRateUnit(const char* name, Make make) {
    register_rate_unit({name, make});
  }
};

}  // namespace dcc
