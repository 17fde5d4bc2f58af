// From traffic patterns to single flows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traffic/traffic_entry.h"
#include "traffic/traffic_spec.h"

namespace dcc {

/// All flows of a run, by start, then in the order in which they were written, numbered from 0 in
/// that order; none is there before it is asked for, but for patterns that list their pairs and
/// traces out of order. Random patterns draw from streams of their own entry and host, so one entry
/// does not change another's flows.
class FlowStream {
 public:
  /// Both must outlive it. Throws TrafficError, as next() does for what only the data shows.
  FlowStream(const std::vector<TrafficSpec>& specs, const TrafficContext& context);
  ~FlowStream();

  /// False: there are no more.
  bool next(FlowSpec& flow);

 private:
  /// A source and its next flow.
  struct Line {
    std::unique_ptr<FlowSource> source;
    FlowSpec flow;
    std::size_t entry = 0;  // of wheres_
  };
  struct Turn {
    PicoSeconds start;
    std::size_t line;
    /// For a heap whose first comes first.
    static bool later(const Turn& a, const Turn& b) {
      return b.start < a.start || (a.start == b.start && b.line < a.line);
    }
  };
  void add(std::unique_ptr<FlowSource> source, const std::string& where);

  std::vector<Line> lines_;  // in the order in which they were written
  std::vector<Turn> order_;  // a heap
  std::vector<std::string> wheres_;
  std::uint32_t next_id_ = 0;
};

/// All of a stream at once.
std::vector<FlowSpec> expand_traffic(const std::vector<TrafficSpec>& specs,
                                     const TrafficContext& context);

}  // namespace dcc
