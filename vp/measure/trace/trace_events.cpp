#include "measure/trace/trace_events.h"

#include <cinttypes>
#include <cstdio>

namespace dcc::vp {
namespace {

std::string microseconds(PicoSeconds t) {
  char text[40];
  std::snprintf(text, sizeof text, "%" PRId64 ".%06d", t.count / 1'000'000,
                static_cast<int>(t.count % 1'000'000));
  return text;
}

std::string at(PicoSeconds t) { return ",\"ts\":" + microseconds(t); }
std::string with(const std::string& args) { return args.empty() ? "" : ",\"args\":" + args; }

}  // namespace

TraceEvents::TraceEvents(const std::filesystem::path& file) : file_(file), out_(file_.text()) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

void TraceEvents::close() {
  out_ << "\n]}\n";
  file_.close();
}

void TraceEvents::event(char phase, Track track, const std::string& name, const std::string& rest) {
  out_ << (first_ ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"pid\":" << track.process
       << ",\"tid\":" << track.thread;
  if (!name.empty()) out_ << ",\"name\":" << json_string(name);
  out_ << rest << '}';
  first_ = false;
}

void TraceEvents::name_process(int process, const std::string& name) {
  event('M', {process, 0}, "process_name", with("{\"name\":" + json_string(name) + "}"));
  event('M', {process, 0}, "process_sort_index",
        with("{\"sort_index\":" + std::to_string(process) + "}"));
}

void TraceEvents::name_thread(Track track, const std::string& name) {
  event('M', track, "thread_name", with("{\"name\":" + json_string(name) + "}"));
  event('M', track, "thread_sort_index",
        with("{\"sort_index\":" + std::to_string(track.thread) + "}"));
}

void TraceEvents::begin(Track track, PicoSeconds t, const std::string& name,
                        const std::string& args) {
  event('B', track, name, at(t) + with(args));
}

void TraceEvents::end(Track track, PicoSeconds t) { event('E', track, "", at(t)); }

void TraceEvents::complete(Track track, PicoSeconds from, PicoSeconds to, const std::string& name,
                           const std::string& args) {
  event('X', track, name, at(from) + ",\"dur\":" + microseconds(to - from) + with(args));
}

void TraceEvents::instant(Track track, PicoSeconds t, const std::string& name,
                          const std::string& args) {
  event('i', track, name, at(t) + ",\"s\":\"t\"" + with(args));
}

void TraceEvents::counter(int process, PicoSeconds t, const std::string& name, double value) {
  char number[40];
  std::snprintf(number, sizeof number, "{\"value\":%.9g}", value);
  event('C', {process, 0}, name, at(t) + with(number));
}

}  // namespace dcc::vp
