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
    std::uint32_t name = 0;  // Trace::names
    bool sent = false;       // true: the awaited flow was sent; false: it was received
  };
  std::vector<Awaited> on;
  bool any = false;
  PicoSeconds delay{};
};

/// One line of a trace.
struct TraceFlow {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  bool computes = false;  // host `from` computes for `bytes` ps on processor `priority`
  HostId from = 0;
  HostId to = 0;
  unsigned priority = 0;  // priority as in the file, 0 … 255
  Bytes bytes = 0;
  PicoSeconds start{};
  int line = 0;
  std::uint32_t name = kNone;  // index into TraceReader::names()
  std::uint32_t wait = kNone;  // index into TraceReader::waits()
};

/// Reads the format of the HPCC authors: the first line is the number of flows; every further line
/// is one flow: source, destination, priority, port, bytes, start. Bytes and start may have an
/// exponent (1e6) and a unit (64KiB, 1.5us); without a unit they are bytes and seconds. The start
/// is rounded to picoseconds. Blank lines, and what follows a '#', count for nothing. Throws
/// TrafficError with file:line for any other content.
///
/// Beyond that format, a line may go on with `id=NAME`, by which other lines wait for it, and with
/// `after=NAME,…`, `event=received|sent`, `need=all|any` and `delay=TIME`, which mean what they
/// mean in the list of traffic. A line `compute HOST TIME [processor=N] …` is a computation.
class TraceReader {
 public:
  explicit TraceReader(const std::string& path);
  ~TraceReader();

  /// Reads the next line; false at the end.
  bool next(TraceFlow& flow);

  /// Names in the order of their first occurrence, and waits, of the lines read so far.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<TraceWait>& waits() const { return waits_; }

 private:
  class Lines;
  std::uint32_t number_of(std::string_view name);
  void read_options(TextFields& fields, TraceFlow& flow);

  std::unique_ptr<Lines> lines_;
  std::int64_t count_ = 0;  // number of flows from the first line
  std::int64_t read_ = 0;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // index of each name in names_
  std::vector<std::string> names_;
  std::vector<TraceWait> waits_;
};

/// All lines of a trace. Throws TrafficError.
std::vector<TraceFlow> read_trace(const std::string& path);

/// A trace that was read once.
struct Trace {
  bool in_order = true;          // start times ascend
  bool kept = true;              // `flows` holds all lines; false: too many
  bool waits = false;            // true if lines wait for lines, have names or compute; then `kept`
  std::vector<TraceFlow> flows;  // flows in the order of the file
  std::vector<std::string> names;
  std::vector<TraceWait> wait_list;
};

/// Traces by path, so that a short file is read once although a run iterates over its flows several
/// times. For one thread only.
class TraceStore {
 public:
  static constexpr std::size_t kMaxKept = 1 << 18;  // greatest number of lines kept, about 10 MB

  /// Reads the trace at the first call. Throws TrafficError for an error in any line.
  const Trace& at(const std::string& path);

 private:
  std::map<std::string, Trace> traces_;
};

}  // namespace dcc
