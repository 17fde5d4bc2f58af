// Registration of a user's own rate unit (RTL in a plug-in), which replaces the shipped RTL where
// nic.controller.rate_lut asks for RTL.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/rate_engine.h"

namespace dcc {

struct OwnRateUnit {
  std::string name;  // name of the rate unit, shown in reports
  /// Makes a rate unit in its reset state; called once for each host. The function and the rate
  /// unit may throw std::runtime_error.
  std::function<std::unique_ptr<RateEngine>()> make;
};

/// All registered rate units. The loader of plug-ins refuses a second rate unit.
const std::vector<OwnRateUnit>& own_rate_units();
void register_rate_unit(OwnRateUnit unit);

/// Registers a user's rate unit by a namespace-scope constant in a plug-in's source:
///     const RegisteredRateUnit kMine{"mine", [] { return std::make_unique<Mine>(); }};
struct RegisteredRateUnit {
  template <class Make>
  RegisteredRateUnit(const char* name, Make make) {
    register_rate_unit({name, make});
  }
};

}  // namespace dcc
