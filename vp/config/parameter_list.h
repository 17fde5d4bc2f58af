// Every parameter as a row: what `dccvp params` prints and the reference page is made from.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_reader.h"

namespace dcc::vp {

struct ParameterRow {
  std::string path;  // dotted; list elements as numbers, `N` where there is none
  std::string type;
  std::string unit;  // those that a value may have, by blanks; empty: none
  std::string range;
  std::string fallback;  // the default, as YAML
  std::string value;     // effective; empty when only the schema is listed
  std::string origin;    // default | preset | file:line:column | -c …; empty likewise
  std::string meaning;
  std::string source;
  std::string condition;  // when the parameter means something; empty: always
  bool runtime = false;   // may change while a run goes on
};

/// The schema with its defaults; every condition's parameters are included.
const std::vector<ParameterRow>& list_parameters();

/// The parameters that apply to a configuration, with effective values and origins.
std::vector<ParameterRow> list_parameters(const LoadedConfig& loaded);

}  // namespace dcc::vp
