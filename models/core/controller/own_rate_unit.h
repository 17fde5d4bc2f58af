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
  /// Makes a unit in its reset state; called once for each host. The function may throw
  /// std::runtime_error, and so may the unit.
  std::function<std::unique_ptr<RateEngine>()> make;
};

/// All registered rate units. Only one can be used: the loader of plug-ins refuses a second one.
const std::vector<OwnRateUnit>& own_rate_units();
void register_rate_unit(OwnRateUnit unit);

/// Registers a rate unit. Write a namespace-scope constant in a plug-in's source:
///   const RegisteredRateUnit kMine{"mine", [] { return std::make_unique<Mine>(); }};
struct RegisteredRateUnit {
  template <class Make>
  RegisteredRateUnit(const char* name, Make make) {
    register_rate_unit({name, make});
  }
};

}  // namespace dcc
