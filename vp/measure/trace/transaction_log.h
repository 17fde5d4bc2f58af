// Logs the bus transactions of a run, one on each line, as text or as JSON lines.
#pragma once

#include <filesystem>
#include <string>

#include "config/platform_config.h"
#include "measure/trace/trace_event_file.h"
#include "registers/access_record.h"

namespace dcc::vp {

/// Writes the transactions that are in the window and match the sockets of a TraceConfig, in the
/// order in which they end. A JSON line:
///   {"begin_ps": 1250000, "end_ps": 1280000, "path": "host1.cpu", "target": "controller",
///    "command": "WR", "address": "0x40000010", "name": "dcc.CTRL", "data": "0x00000001",
///    "bytes": 4, "response": "ok"}
/// At most the first 16 bytes of data are written.
class TransactionLog {
 public:
  /// Creates the file. Throws std::runtime_error if it cannot be written.
  TransactionLog(const std::filesystem::path& file, const TraceConfig& config);
  void write(const regs::AccessRecord& access);
  /// Completes the file. Throws std::runtime_error if any part of it could not be written.
  void close() { file_.close(); }
  /// True if the access begins in the window and its path or target is among the requested sockets.
  static bool selects(const TraceConfig& config, const regs::AccessRecord& access);

 private:
  const TraceConfig& config_;
  TraceFile file_;
};

}  // namespace dcc::vp
