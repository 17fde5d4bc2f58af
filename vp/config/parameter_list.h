// Lists every parameter as a row, for `dccvp params` and the reference page.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_reader.h"

namespace dcc::vp {

struct ParameterRow {
  std::string path;  // dotted path; list elements as numbers, or `N` for any
  std::string type;
  std::string unit;  // units that a value may have, separated by blanks; empty: none
  std::string range;
  std::string fallback;  // default value as YAML
  std::string value;     // effective value; empty if only the schema is listed
  // origin: default | preset | rule | file:line:column | -c …; empty if only the schema is listed
  std::string origin;
  // The rule by which the value follows the network: of a schema, the one that applies if nobody
  // sets the parameter; of a configuration, only if the rule gave the value. Empty: no rule.
  std::string follows;
  std::string meaning;
  std::string source;
  std::string condition;  // the condition under which the parameter applies; empty: always
  bool runtime = false;   // true if the parameter may change during a run
};

/// Lists the schema with its defaults, including parameters of every condition.
const std::vector<ParameterRow>& list_parameters();

/// Lists the parameters that apply to a configuration, with effective values and origins.
std::vector<ParameterRow> list_parameters(const LoadedConfig& loaded);

}  // namespace dcc::vp
