#include "observe/trace_file.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dcc::vp {

std::ofstream open_trace(const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
  return out;
}

std::string json_string(std::string_view text) { return nlohmann::json(text).dump(); }

}  // namespace dcc::vp
