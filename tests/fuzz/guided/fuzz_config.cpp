// Fuzzes the configuration reader: it accepts a text and reads its own output back equal, or
// refuses the text with one line.
#include <cstdint>
#include <string>
#include <string_view>

#include "config/effective_yaml.h"
#include "config/yaml_reader.h"
#include "guided.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcc::vp;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = effective_yaml(load_config_text(text, "fuzz", "/nonexistent").config);
  } catch (const dcc::ConfigError& error) {
    const std::string what = error.what();
    DCC_REQUIRE(what.rfind("fuzz", 0) == 0);  // the message begins with the file name
    DCC_REQUIRE(what.find('\n') == std::string::npos);
    return 0;
  }
  DCC_REQUIRE(effective_yaml(load_config_text(written, "again", "/nonexistent").config) == written);
  return 0;
}
