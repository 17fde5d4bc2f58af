#include "controller/policy.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "nic/algorithm/algorithm.h"

namespace dcc {

namespace {
std::vector<const Policy*>& registered_policies() {
  static std::vector<const Policy*> policies;
  return policies;
}
}  // namespace

Policy::Policy(const char* name, const char* description) : name_(name), description_(description) {
  std::vector<const Policy*>& policies = registered_policies();
  const auto place =
      std::lower_bound(policies.begin(), policies.end(), name,
                       [](const Policy* p, const char* n) { return std::strcmp(p->name_, n) < 0; });
  if (place != policies.end() && std::strcmp((*place)->name_, name) == 0) {
    throw std::logic_error(std::string("two policies have the name ") + name);
  }
  policies.insert(place, this);
}

Policy::~Policy() {
  std::vector<const Policy*>& policies = registered_policies();
  policies.erase(std::remove(policies.begin(), policies.end(), this), policies.end());
}

std::unique_ptr<Algorithm> Policy::make(const DccParameters&, const AlgorithmContext&) const {
  return nullptr;
}

const std::vector<const Policy*>& Policy::all() { return registered_policies(); }

const Policy& Policy::of(const std::string& name) {
  for (const Policy* policy : all()) {
    if (name == policy->name_) return *policy;
  }
  throw std::logic_error("no policy has the name " + name);
}

}  // namespace dcc
