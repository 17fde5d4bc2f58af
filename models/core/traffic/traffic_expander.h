// Expands traffic patterns into single flows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traffic/traffic_entry.h"
#include "traffic/traffic_spec.h"

namespace dcc {

/// The stream of all flows of a run, ordered by start and then by the configuration, and numbered
/// from 0 in that order. Flows are generated on demand, except flows that wait for each other and
/// flows of unsorted traces. Random patterns use one random stream per entry and host, so the flows
/// of an entry do not depend on other entries.
class FlowStream {
 public:
  /// `specs` and `context` must outlive the stream. The constructor throws TrafficError; next()
  /// throws TrafficError for errors in the data of a file.
  FlowStream(const std::vector<TrafficSpec>& specs, const TrafficContext& context);
  ~FlowStream();

  /// Gives the next flow of the run; false after the last flow.
  bool next(FlowSpec& flow);
  /// True if flows or computations wait for entries or for lines of a trace by name.
  bool waits() const { return waits_; }

 private:
  /// A flow source and its next flow.
  struct Line {
    std::unique_ptr<FlowSource> source;
    FlowSpec flow;
    std::size_t entry = 0;  // index of the source's entry in wheres_
  };
  struct Turn {
    PicoSeconds start;
    std::size_t line;
    /// Compares two sources for a heap whose front has the earliest flow.
    static bool later(const Turn& a, const Turn& b) {
      return b.start < a.start || (a.start == b.start && b.line < a.line);
    }
  };
  void add(std::unique_ptr<FlowSource> source, const std::string& where);

  std::vector<Line> lines_;  // flow sources in the order of the configuration
  std::vector<Turn> order_;  // heap of flow sources, sorted by the start of their next flow
  std::vector<std::string> wheres_;
  std::uint32_t next_id_ = 0;
  bool waits_ = false;
};

/// Returns all flows of a stream as a list.
std::vector<FlowSpec> expand_traffic(const std::vector<TrafficSpec>& specs,
                                     const TrafficContext& context);

}  // namespace dcc
