// Report of an algorithm whose handlers run on processors and take time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "stats/log_histogram.h"
#include "units.h"

namespace dcc {

/// Counts of the handler for one kind of events, over the whole run. Times in picoseconds.
struct HandlerCounts {
  const char* event = "";     // name of the kind of events
  std::uint64_t events = 0;   // events of this kind that happened
  std::uint64_t merged = 0;   // events merged into a waiting event
  std::uint64_t lost = 0;     // events lost because the queue was full
  std::uint64_t handled = 0;  // calls of the handler
  std::uint64_t faults = 0;   // calls that ended in an exception
  std::uint64_t instructions = 0;
  // time from an event, or the first of merged events, to the start of its handler
  LogHistogram wait;
  LogHistogram service;  // time that a processor spent on a call
  // time from an event, or the first of merged events, to the effect of the handler's answer
  LogHistogram reaction;
};

/// A call of a handler that ended in an exception.
struct HandlerFault {
  PicoSeconds at{};
  FlowNumber flow = 0;
  const char* event = "";
  std::string text;  // the exception and the address of its instruction
};

/// A line of text that a handler wrote.
struct HandlerLine {
  PicoSeconds at{};
  std::string text;
};

/// Interface of algorithms whose handlers run on processors.
class HandlerReport {
 public:
  virtual std::string source() const = 0;  // path of the handlers' file
  virtual unsigned cores() const = 0;
  /// Counts of the handlers, one entry for each kind of events.
  virtual const std::vector<HandlerCounts>& handlers() const = 0;
  /// Working time summed over all cores.
  virtual PicoSeconds busy() const = 0;
  /// The first faults of handlers, in the order of time.
  virtual const std::vector<HandlerFault>& faults() const = 0;
  /// The first lines of text that handlers wrote, in the order of time, and the number of further
  /// lines.
  virtual const std::vector<HandlerLine>& lines() const = 0;
  virtual std::uint64_t lines_left_out() const = 0;

 protected:
  ~HandlerReport() = default;
};

}  // namespace dcc
