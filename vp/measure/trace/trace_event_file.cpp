#include "measure/trace/trace_event_file.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dcc::vp {

TraceFile::TraceFile(const std::filesystem::path& path)
    : path_(path), out_(path, std::ios::binary) {
  if (!out_) throw std::runtime_error("'" + path_.string() + "' cannot be written");
}

TraceFile::~TraceFile() {
  std::error_code error;
  if (!whole_ && std::filesystem::is_regular_file(path_, error)) {
    std::filesystem::remove(path_, error);
  }
}

void TraceFile::close() {
  out_.close();
  whole_ = !out_.fail();
  if (!whole_) throw std::runtime_error("'" + path_.string() + "' could not be written to its end");
}

std::filesystem::path with_number(const std::filesystem::path& file, const char* what,
                                  std::size_t number) {
  std::filesystem::path named = file;
  named.replace_extension(what + std::to_string(number) + file.extension().string());
  return named;
}

std::string json_string(std::string_view text) { return nlohmann::json(text).dump(); }

}  // namespace dcc::vp
