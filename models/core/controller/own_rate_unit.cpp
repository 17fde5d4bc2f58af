#include "controller/own_rate_unit.h"

#include <utility>

namespace dcc {
namespace {
std::vector<OwnRateUnit>& brought_units() {
  static std::vector<OwnRateUnit> units;
  return units;
}
}  // namespace

const std::vector<OwnRateUnit>& own_rate_units() { return brought_units(); }

void register_rate_unit(OwnRateUnit unit) { brought_units().push_back(std::move(unit)); }

}  // namespace dcc
