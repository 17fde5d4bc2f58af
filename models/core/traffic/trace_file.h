// Flow traces: lists of flows in files, plain or compressed with gzip.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

class TextFields;

/// The events that a line of a trace waits for (traffic/dependencies.h).
struct TraceWait {
  struct Awaited {
    std::uint32_t name = 0;  // index of the awaited line's name in Trace::names
    bool sent = false;       // awaited event: the flow was sent (true) or received (false)
  };
  std::vector<Awaited> on;
  bool any = false;
  PicoSeconds delay{};
};

/// One line of a trace: a flow or a computation.
struct TraceFlow {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // true for a computation: host `from` computes for `bytes` ps on processor `priority`
  bool computes = false;
  HostId from = 0;
  HostId to = 0;
  unsigned priority = 0;  // priority of the flow as in the file, 0 … 255
  Bytes bytes = 0;
  PicoSeconds start{};
  int line = 0;
  std::uint32_t name = kNone;  // index of the line's name in TraceReader::names()
  std::uint32_t wait = kNone;  // index of the line's wait in TraceReader::waits()
};

/// A reader of traces in the format of the HPCC authors: the first line is the number of flows;
/// every further line is one flow: source, destination, priority, port, bytes, start. Bytes and
/// start may have an exponent (1e6) and a unit (64KiB, 1.5us); numbers without a unit are bytes and
/// seconds. The start is rounded to picoseconds. Blank lines and text after a '#' are ignored.
/// Throws TrafficError with file:line for any other content.
///
/// Beyond that format, a line may continue with `id=NAME`, a name by which other lines wait for the
/// line, and with `after=NAME,…`, `event=received|sent`, `need=all|any` and `delay=TIME`, with the
/// same meaning as in the list of traffic. A line `compute HOST TIME [processor=N] …` is a
/// computation.
class TraceReader {
 public:
  explicit TraceReader(const std::string& path);
  ~TraceReader();

  /// Reads the next line of the trace; returns false at the end of the trace.
  bool next(TraceFlow& flow);

  /// Names and waits of the lines read so far, names in the order of their first occurrence.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<TraceWait>& waits() const { return waits_; }

 private:
  class Lines;
  std::uint32_t number_of(std::string_view name);
  void read_options(TextFields& fields, TraceFlow& flow);

  std::unique_ptr<Lines> lines_;
  std::int64_t count_ = 0;  // number of flows, as the first line of the file says
  std::int64_t read_ = 0;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // index of each name in names_
  std::vector<std::string> names_;
  std::vector<TraceWait> waits_;
};

/// Reads all lines of a trace. Throws TrafficError.
std::vector<TraceFlow> read_trace(const std::string& path);

/// A flow trace that was read completely.
struct Trace {
  bool in_order = true;  // true if start times of flows ascend in the file
  bool kept = true;      // true if `flows` holds all lines; false if there are too many to keep
  bool waits = false;    // true if lines wait for lines, have names or compute; `kept` is then true
  std::vector<TraceFlow> flows;  // flows in the order of the file
  std::vector<std::string> names;
  std::vector<TraceWait> wait_list;
};

/// A store of traces by path, so that a short file is read once although a run iterates over its
/// flows several times. Only one thread may use the store.
class TraceStore {
 public:
  // greatest number of lines that are kept in memory, about 10 MB
  static constexpr std::size_t kMaxKept = 1 << 18;

  /// The trace at a path. Reads the file at the first call. Throws TrafficError for an error in any
  /// line.
  const Trace& at(const std::string& path);

 private:
  std::map<std::string, Trace> traces_;
};

}  // namespace dcc
