#include "traffic/trace_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "traffic/text_fields.h"
#include "traffic/traffic_spec.h"

namespace dcc {

namespace {
constexpr std::size_t kMaxLine = 1024;
constexpr std::int64_t kLastHost = (1 << 20) - 1;
constexpr std::int64_t kLatest = 1'000'000 * std::int64_t{1'000'000'000'000};  // ps: 10^6 s
constexpr TextFields::Unit kTimes[] = {
    {"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1000}, {"ps", 1}};
constexpr TextFields::Unit kSizes[] = {
    {"B", 1},      {"KB", 1000},     {"MB", 1'000'000}, {"GB", 1'000'000'000},
    {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

/// A line up to its comment.
std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

/// Names the value that a message is about; at most forty bytes of it.
std::string instead_of(std::string_view field) {
  if (field.empty()) return ", but the line ends";
  std::string shown;
  for (const char c : field.substr(0, 40)) {
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return ", not '" + shown + (field.size() > 40 ? "...'" : "'");
}
}  // namespace

/// The lines of a plain or compressed file (zlib reads both).
class TraceReader::Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw TrafficError(path + ": " + std::strerror(errno));
  }
  ~Lines() { gzclose(file_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// Reads the next line; false at the end of the file.
  bool next(std::string_view& line) {
    ++number_;
    if (gzgets(file_, buffer_, sizeof buffer_) == nullptr) {
      check_archive();
      return false;
    }
    const std::size_t length = std::strlen(buffer_);
    if (length == 0 || (buffer_[length - 1] != '\n' && gzeof(file_) == 0)) {
      throw TrafficError(place() + ": not a line of text of at most 1022 characters");
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
    expect(fields.number(0, kLastHost, from), "the source, a host number, as first field");
    expect(fields.number(0, kLastHost, to), "the destination, a host number, as second field");
    expect(fields.number(0, 255, priority), "the priority, 0 … 255, as third field");
    // The port is a label of the file's; nothing here depends on it.
    expect(fields.number(0, 4'294'967'295, port), "the port, 0 … 2^32 - 1, as fourth field");
    const TextFields at_bytes = fields;
    if (!fields.quantity(kSizes, false, kMaxFlow, bytes) || bytes == 0) {
      fields = at_bytes;
      expect(false, "the bytes, 1 … 2^40, as fifth field");
    }
    expect(fields.quantity(kTimes, true, kLatest, start), "the start, 0 … 10^6 s, as sixth field");
    expect(fields.at_end(), "nothing after the sixth field");
    flow.from = static_cast<HostId>(from);
    flow.to = static_cast<HostId>(to);
    flow.priority = static_cast<unsigned>(priority);
    flow.bytes = bytes;
    flow.start = PicoSeconds(start);
    flow.line = lines_->number();
    ++read_;
    return true;
  }
  if (read_ < count_) {
    throw TrafficError(lines_->place() + ": the file ends after " + std::to_string(read_) + " of " +
                       std::to_string(count_) + " flows");
  }
  return false;
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
    if (flow.start < last) trace.in_order = false;
    last = flow.start;
    if (trace.kept && trace.flows.size() == kMaxKept) {
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
  return traces_.emplace(path, std::move(trace)).first->second;
}

}  // namespace dcc
