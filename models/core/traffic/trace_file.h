// Flow traces: lists of flows in files, plain or compressed with gzip.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// One line of a trace.
struct TraceFlow {
  HostId from = 0;
  HostId to = 0;
  unsigned priority = 0;  // as in the file, 0 … 255
  Bytes bytes = 0;
  PicoSeconds start{};
  int line = 0;
};

/// Reads the format of the HPCC authors: the first line is the number of flows; every further line
/// is one flow: source, destination, priority, port, bytes, start. Bytes and start may have an
/// exponent (1e6) and a unit (64KiB, 1.5us); without a unit they are bytes and seconds. The start
/// is rounded to picoseconds. Blank lines, and what follows a '#', count for nothing. Throws
/// TrafficError with file:line for any other content.
class TraceReader {
 public:
  explicit TraceReader(const std::string& path);
  ~TraceReader();

  /// Reads the next flow; false at the end.
  bool next(TraceFlow& flow);

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
  std::int64_t count_ = 0;  // from the first line
  std::int64_t read_ = 0;
};

/// All flows of a trace. Throws TrafficError.
std::vector<TraceFlow> read_trace(const std::string& path);

/// A trace that was read once.
struct Trace {
  bool in_order = true;          // start times ascend
  bool kept = true;              // `flows` holds all flows; false: too many
  std::vector<TraceFlow> flows;  // in the order of the file
};

/// Traces by path, so that a short file is read once although a run iterates over its flows several
/// times. For one thread only.
class TraceStore {
 public:
  static constexpr std::size_t kMaxKept = 1 << 18;  // 10 MB

  /// Reads the trace at the first call. Throws TrafficError for an error in any line.
  const Trace& at(const std::string& path);

 private:
  std::map<std::string, Trace> traces_;
};

}  // namespace dcc
