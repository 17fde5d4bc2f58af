// Random load profiles of the controller's test bench, each for both laws.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "page_bench.h"

namespace dcc::page {

struct Case {
  std::string name;
  bool dcqcn;
  Profile profile;
};

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

inline Profile crowd() { return {256, 200, 500}; }

/// All profiles, each under both laws.
inline std::vector<Case> all_cases() {
  const std::pair<const char*, Profile> profiles[] = {
      // columns: flows, cnp, bytes, command, burst, access, soft reset, change registers, aim,
      // status, states
      {"FewFlows", {}},
      {"Crowd", crowd()},
      // more than one event per cycle, which causes lost CNPs and stalls
      {"Flood", {256, 900, 1024, 100, 1500}},
      {"OneFlow", {2, 60, 300, 20}},
      {"Accesses", {100, 30, 200, 4, 0, 100}},
      {"Resets", {200, 150, 200, 4, 0, 20, 40}},
      {"Quiet", {40, 1, 20}},  // a light load, under which slots become free
      {"Aimed", {12, 40, 60, 1, 0, 60, 0, true, 900}},
      {"AimedFew", {5, 10, 4, 2, 0, 40, 0, true, 1000}},
      {"Starved", {3, 300, 20, 2, 2500}},  // expiries that lie far apart and are late together
      {"Set", {14, 60, 60, 1, 0, 10, 0, true, 300, 0, 30}},
  };
  std::vector<Case> cases;
  for (auto [name, profile] : profiles) {
    profile.status = 20;
    cases.push_back({std::string("Dcqcn") + name, true, profile});
    cases.push_back({std::string("Marks") + name, false, profile});
  }
  return cases;
}
inline const std::vector<Case> kCases = all_cases();

}  // namespace dcc::page
