// Lists every parameter as a row, for `dccvp params` and the reference page.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_reader.h"

namespace dcc::vp {

struct ParameterRow {
  // dotted path of the parameter; list elements have their number, or `N` for any element
  std::string path;
  std::string type;
  // units that a value may have, separated by blanks; empty: the value has no unit
  std::string unit;
  std::string range;
  std::string fallback;  // default value of the parameter as YAML
  // effective value of the parameter; empty if the row describes only the schema
  std::string value;
  // origin of the effective value: default | preset | rule | file:line:column | -c …; empty if the
  // row describes only the schema
  std::string origin;
  // The rule by which the value follows the network. In a schema it is the rule that applies if the
  // user does not set the parameter; in a configuration it is present only if the rule set the
  // value. Empty: no rule.
  std::string follows;
  std::string meaning;
  std::string source;
  // the condition under which the parameter applies; empty: it always applies
  std::string condition;
  bool runtime = false;  // true if the parameter may change during a run
};

/// Lists the schema with its defaults, including parameters of every condition.
const std::vector<ParameterRow>& list_parameters();

/// Lists the parameters that apply to a configuration, with effective values and origins.
std::vector<ParameterRow> list_parameters(const LoadedConfig& loaded);

}  // namespace dcc::vp
