// Flow traces: a list of flows in a file, plain or compressed with gzip.
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
  unsigned priority = 0;  // the file's own notion, 0 … 255
  Bytes bytes = 0;
  PicoSeconds start{};
  int line = 0;
};

/// The HPCC authors' format: first line the number of flows, then one flow a line: source,
/// destination, priority, port, bytes, start in seconds (up to twelve decimals). Blank lines may
/// follow. Throws TrafficError with file:line for anything else.
class TraceReader {
 public:
  explicit TraceReader(const std::string& path);
  ~TraceReader();

  /// The next line's; false at the end.
  bool next(TraceFlow& flow);

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
  std::int64_t count_ = 0;  // as announced
  std::int64_t read_ = 0;
};

/// All of them.
std::vector<TraceFlow> read_trace(const std::string& path);

/// What was found when a trace was first read.
struct Trace {
  bool in_order = true;          // of starts
  bool kept = true;              // in `flows`; else there are too many to hold
  std::vector<TraceFlow> flows;  // as they stand in the file
};

/// Traces by their path. The flows of a run are gone through more than once: a short file is read
/// once for all of them. Not for more than one thread.
class TraceStore {
 public:
  static constexpr std::size_t kMaxKept = 1 << 18;  // 10 MB

  /// Throws as TraceReader does, for whatever is wrong with any line.
  const Trace& at(const std::string& path);

 private:
  std::map<std::string, Trace> traces_;
};

}  // namespace dcc
