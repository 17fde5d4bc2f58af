// The configuration's form as JSON Schema, for editors that complete and check YAML by it.
#pragma once

#include <string>

namespace dcc::vp {

/// JSON Schema, draft 7. Accepts every configuration that the reader accepts; what only values
/// together make wrong, the reader alone knows.
std::string json_schema();

}  // namespace dcc::vp
