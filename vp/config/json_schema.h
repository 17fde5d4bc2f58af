// Describes configurations as a JSON Schema, for editors that complete and check YAML.
#pragma once

#include <string>

namespace dcc::vp {

/// Returns a JSON Schema, draft 7. The schema accepts every configuration that the reader accepts;
/// only the reader finds wrong combinations of values.
std::string json_schema();

}  // namespace dcc::vp
