#include "traffic/trace_file.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "traffic/text_fields.h"
#include "traffic/traffic_spec.h"

namespace dcc {

namespace {
// maximum length of a trace line in bytes; a line may wait for thousands of other lines
constexpr std::size_t kMaxLine = 1 << 16;
constexpr std::int64_t kLastHost = (1 << 20) - 1;
// latest time in a trace: 10^6 s, in picoseconds
constexpr std::int64_t kLatest = 1'000'000 * std::int64_t{1'000'000'000'000};
constexpr TextFields::Unit kTimes[] = {
    {"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1000}, {"ps", 1}};
constexpr TextFields::Unit kSizes[] = {
    {"B", 1},      {"KB", 1000},     {"MB", 1'000'000}, {"GB", 1'000'000'000},
    {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

/// Returns the part of a line before its comment.
std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

/// Quotes a value for a message, at most its first forty bytes.
std::string instead_of(std::string_view field) {
  if (field.empty()) return ", but the line ends";
  std::string shown;
  for (const char c : field.substr(0, 40)) {
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return ", not '" + shown + (field.size() > 40 ? "...'" : "'");
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}
}  // namespace

/// Reads the lines of a plain or compressed file; zlib reads both.
class TraceReader::Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw TrafficError(path + ": " + std::strerror(errno));
  }
  ~Lines() { gzclose(file_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// Reads the next line of the file; returns false at the end of the file.
  bool next(std::string_view& line) {
    ++number_;
    if (gzgets(file_, buffer_, sizeof buffer_) == nullptr) {
      check_archive();
      return false;
    }
    const std::size_t length = std::strlen(buffer_);
    if (length == 0 || (buffer_[length - 1] != '\n' && gzeof(file_) == 0)) {
      throw TrafficError(place() + ": not a line of text of at most " +
                         std::to_string(kMaxLine - 2) + " characters");
    }
    if (buffer_[length - 1] != '\n') check_archive();
    line = std::string_view(buffer_, length);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    return true;
  }
  int number() const { return number_; }
  std::string place() const { return path_ + ":" + std::to_string(number_); }

 private:
  /// Throws TrafficError if reading stopped before the end of the file.
  void check_archive() {
    int error = Z_OK;
    const char* const text = gzerror(file_, &error);
    if (error != Z_OK && error != Z_STREAM_END) {
      throw TrafficError(place() + ": the compressed file is damaged (" + text + ")");
    }
  }

  std::string path_;
  gzFile file_;
  int number_ = 0;
  char buffer_[kMaxLine];
};

TraceReader::TraceReader(const std::string& path) : lines_(std::make_unique<Lines>(path)) {
  std::string_view line;
  do {
    if (!lines_->next(line)) throw TrafficError(lines_->place() + ": the file is empty");
    line = without_comment(line);
  } while (TextFields(line).at_end());
  TextFields first(line);
  if (first.number(0, static_cast<std::int64_t>(kMaxFlows), count_) && first.at_end()) return;
  const std::string_view word = first.field();
  throw TrafficError(lines_->place() + ": expected the number of flows, 0 … " +
                     std::to_string(kMaxFlows) + ", alone on its line" +
                     (first.at_end() ? "" : instead_of(word)) +
                     (word == "Nodes" ? " (dccvp import htsim reads connection matrices)" : ""));
}

TraceReader::~TraceReader() = default;

bool TraceReader::next(TraceFlow& flow) {
  std::string_view line;
  while (lines_->next(line)) {
    TextFields fields(without_comment(line));
    if (fields.at_end()) continue;
    if (read_ == count_) {
      throw TrafficError(lines_->place() + ": more flows than the " + std::to_string(count_) +
                         " the first line announces (dccvp import hpcc ignores them)");
    }
    const auto expect = [&](bool ok, const char* what) {
      if (ok) return;
      throw TrafficError(lines_->place() + ": expected " + what + instead_of(fields.field()));
    };
    std::int64_t from = 0, to = 0, priority = 0, port = 0, bytes = 0, start = 0;
    if (fields.field() == "compute") {
      fields.word("compute");
      expect(fields.number(0, kLastHost, from), "a host number after compute");
      expect(fields.quantity(kTimes, true, kLatest, bytes), "the time, 0 … 10^6 s, after the host");
      flow = {};
      flow.computes = true;
      flow.from = flow.to = static_cast<HostId>(from);
      flow.bytes = bytes;
      flow.line = lines_->number();
      read_options(fields, flow);
      ++read_;
      return true;
    }
    expect(fields.number(0, kLastHost, from), "the source, a host number, as first field");
    expect(fields.number(0, kLastHost, to), "the destination, a host number, as second field");
    expect(fields.number(0, 255, priority), "the priority, 0 … 255, as third field");
    // The port number of a line is checked and ignored: no result depends on it.
    expect(fields.number(0, 4'294'967'295, port), "the port, 0 … 2^32 - 1, as fourth field");
    const TextFields at_bytes = fields;
    if (!fields.quantity(kSizes, false, kMaxFlow, bytes) || bytes == 0) {
      fields = at_bytes;
      expect(false, "the bytes, 1 … 2^40, as fifth field");
    }
    expect(fields.quantity(kTimes, true, kLatest, start), "the start, 0 … 10^6 s, as sixth field");
    flow.name = flow.wait = TraceFlow::kNone;
    flow.computes = false;
    flow.line = lines_->number();
    if (!fields.at_end()) read_options(fields, flow);
    flow.from = static_cast<HostId>(from);
    flow.to = static_cast<HostId>(to);
    flow.priority = static_cast<unsigned>(priority);
    flow.bytes = bytes;
    flow.start = PicoSeconds(start);
    ++read_;
    return true;
  }
  if (read_ < count_) {
    throw TrafficError(lines_->place() + ": the file ends after " + std::to_string(read_) + " of " +
                       std::to_string(count_) + " flows");
  }
  return false;
}

std::uint32_t TraceReader::number_of(std::string_view name) {
  const auto [found, added] =
      numbers_.emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (added) names_.emplace_back(name);
  return found->second;
}

/// Reads the options in a line, which follow its fixed fields.
void TraceReader::read_options(TextFields& fields, TraceFlow& flow) {
  const auto fail = [this](const std::string& sentence) {
    throw TrafficError(lines_->place() + ": " + sentence);
  };
  TraceWait wait;
  bool sent = false;
  std::string_view after, seen[6];
  std::size_t options = 0;
  while (!fields.at_end()) {
    const std::string_view field = fields.field();
    const std::size_t equals = field.find('=');
    const std::string_view key = field.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : field.substr(equals + 1);
    const bool known = key == "id" || key == "after" || key == "event" || key == "need" ||
                       key == "delay" || (flow.computes && key == "processor");
    if (equals == std::string_view::npos && !flow.computes) {
      fail("expected nothing after the sixth field" + instead_of(field));
    }
    if (!known) {
      fail(std::string("expected id=, after=, event=, need= or delay=") +
           (flow.computes ? ", or processor= of compute" : " behind the sixth field") +
           instead_of(field));
    }
    for (std::size_t i = 0; i < options; ++i) {
      if (seen[i] == key) fail(std::string(key) + " is there twice");
    }
    seen[options++] = key;
    const auto one_of = [&](std::string_view first, std::string_view second) {
      if (value != first && value != second) {
        fail("expected " + std::string(key) + "=" + std::string(first) + " or " +
             std::string(second) + instead_of(value));
      }
      return value == second;
    };
    if (key == "id") {
      if (!is_name(value)) fail("a name has 1 to 64 letters, digits, _ and -" + instead_of(value));
      flow.name = number_of(value);
    } else if (key == "after") {
      after = value;
    } else if (key == "event") {
      sent = one_of("received", "sent");
    } else if (key == "need") {
      wait.any = one_of("all", "any");
    } else {
      TextFields number(value);
      std::int64_t read = 0;
      if (key == "delay") {
        if (!number.quantity(kTimes, true, kLatest, read)) {
          fail("expected delay=TIME, 0 … 10^6 s" + instead_of(value));
        }
        wait.delay = PicoSeconds(read);
      } else {
        if (!number.number(0, 255, read)) fail("expected processor=0 … 255" + instead_of(value));
        flow.priority = static_cast<unsigned>(read);
      }
    }
    fields.word(field);
  }
  if (after.empty()) {
    for (const std::string_view key : {"after", "event", "need", "delay"}) {
      if (std::find(seen, seen + options, key) == seen + options) continue;
      fail(key == "after" ? "after= without a name" : std::string(key) + "= without after=");
    }
    return;
  }
  for (std::size_t at = 0; at <= after.size();) {
    const std::size_t comma = std::min(after.find(',', at), after.size());
    std::string_view name = after.substr(at, comma - at);
    const std::size_t colon = name.find(':');
    bool its = sent;
    if (colon != std::string_view::npos) {
      const std::string_view event = name.substr(colon + 1);
      if (event != "sent" && event != "received") {
        fail("expected NAME:sent or NAME:received" + instead_of(name));
      }
      its = event == "sent";
      name = name.substr(0, colon);
    }
    if (!is_name(name)) fail("a name has 1 to 64 letters, digits, _ and -" + instead_of(name));
    wait.on.push_back({number_of(name), its});
    at = comma + 1;
  }
  flow.wait = static_cast<std::uint32_t>(waits_.size());
  waits_.push_back(std::move(wait));
}

std::vector<TraceFlow> read_trace(const std::string& path) {
  std::vector<TraceFlow> flows;
  TraceReader reader(path);
  for (TraceFlow flow; reader.next(flow);) flows.push_back(flow);
  return flows;
}

const Trace& TraceStore::at(const std::string& path) {
  const auto known = traces_.find(path);
  if (known != traces_.end()) return known->second;
  Trace trace;
  TraceReader reader(path);
  PicoSeconds last{};
  for (TraceFlow flow; reader.next(flow);) {
    trace.waits = trace.waits || flow.computes || flow.name != TraceFlow::kNone ||
                  flow.wait != TraceFlow::kNone;
    if (!flow.computes) {
      if (flow.start < last) trace.in_order = false;
      last = flow.start;
    }
    if (trace.waits && (!trace.kept || trace.flows.size() == kMaxHeldFlows)) {
      throw TrafficError(path + ":" + std::to_string(flow.line) +
                         ": in a file in which lines have names or wait, the first such line is " +
                         (trace.kept ? "followed by more than " + std::to_string(kMaxHeldFlows)
                                     : "one of the first " + std::to_string(kMaxKept)) +
                         " lines");
    }
    if (trace.kept && !trace.waits && trace.flows.size() == kMaxKept) {
      std::error_code error;
      if (!std::filesystem::is_regular_file(path, error)) {
        throw TrafficError(path + ": more than " + std::to_string(kMaxKept) +
                           " flows need a plain file, which is read several times");
      }
      trace.kept = false;
      trace.flows = {};
    }
    if (trace.kept) trace.flows.push_back(flow);
  }
  trace.names = reader.names();
  trace.wait_list = reader.waits();
  return traces_.emplace(path, std::move(trace)).first->second;
}

}  // namespace dcc
