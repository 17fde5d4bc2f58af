// A timeline for Perfetto and chrome://tracing: the JSON Array/Object form of the Trace Event
// Format ("Trace Event Format", the public document of the Chromium project).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "measure/trace/trace_event_file.h"
#include "units.h"

namespace dcc::vp {

/// Writes events in the order of calls; readers sort them. Times are exact to the picosecond
/// (decimal numbers of microseconds). `args` is a JSON object with its braces, or empty.
class TraceEvents {
 public:
  /// A row of the timeline: a process (a host or the network) and a thread of the process.
  struct Track {
    int process = 0;
    int thread = 0;
  };

  /// Creates the file. Throws std::runtime_error if it cannot be written.
  explicit TraceEvents(const std::filesystem::path& file);
  /// Completes the timeline file. Throws std::runtime_error if any part of it could not be written.
  void close();

  void name_process(int process, const std::string& name);
  void name_thread(Track track, const std::string& name);
  /// Begins a slice; end() closes the innermost open slice of the track.
  void begin(Track track, PicoSeconds t, const std::string& name, const std::string& args = "");
  void end(Track track, PicoSeconds t);
  /// Writes a slice with its begin and duration.
  void complete(Track track, PicoSeconds from, PicoSeconds to, const std::string& name,
                const std::string& args = "");
  void instant(Track track, PicoSeconds t, const std::string& name, const std::string& args = "");
  /// Writes one value of a counter, which viewers draw as a curve over time.
  void counter(int process, PicoSeconds t, const std::string& name, double value);

 private:
  void event(char phase, Track track, const std::string& name, const std::string& rest);

  TraceFile file_;
  std::ofstream& out_;
  bool first_ = true;
};

}  // namespace dcc::vp
