// Writes signals over time as a value change dump (IEEE Std 1364-2005, clause 18) for GTKWave and
// other viewers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "measure/trace/trace_event_file.h"
#include "units.h"

namespace dcc::vp {

/// Four-state signals of 1 to 64 bits; the file holds only changes. Signals may be added at any
/// time, because changes go to a temporary file, and the declarations are written before the
/// changes at the end. A change with an earlier time than the last is written at the last time.
class VcdFile {
 public:
  using Signal = std::size_t;

  /// Creates the files. Throws std::runtime_error if that fails.
  explicit VcdFile(const std::filesystem::path& file);
  /// Completes the file. Throws std::runtime_error if any part of it could not be written.
  void close();

  /// Adds a signal. `path`: scopes and name separated by dots, e.g. "host1.controller.slot3.rate".
  /// The value is unknown (x) until its first change.
  Signal add(const std::string& path, unsigned bits);
  void change(Signal signal, PicoSeconds t, std::uint64_t value);
  /// Sets a signal to high impedance (z), such as the signals of a slot without a flow.
  void release(Signal signal, PicoSeconds t);

 private:
  struct Variable {
    std::string path;
    unsigned bits = 1;
    std::string code;
    std::optional<std::uint64_t> value;
    bool driven = false;
  };
  void time(PicoSeconds t);
  void write_declarations(std::ofstream& out) const;

  TraceFile file_;
  std::filesystem::path body_path_;
  TraceFile body_file_;
  std::ofstream& body_;
  std::vector<Variable> variables_;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace dcc::vp
