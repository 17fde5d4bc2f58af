#include "report/run_files.h"

#include <cstring>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <utility>

#include "config/effective_yaml.h"
#include "measure/describe_metrics.h"
#include "report/counter_files.h"
#include "report/metrics_json.h"
#include "report/numbers.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

/// An output file that reports failed writes.
class OutputFile {
 public:
  explicit OutputFile(const fs::path& path) : path_(path), out_(path, std::ios::binary) {}
  std::ofstream& text() { return out_; }
  void close() {
    out_.close();
    if (!out_) throw OutputError("'" + path_.string() + "' could not be written");
  }

 private:
  fs::path path_;
  std::ofstream out_;
};

/// Converts a figure to a CSV cell: numbers with nine digits, times exactly, empty if there is no
/// value. Times are in seconds, or in microseconds if the figure says so.
struct ToCell {
  /// Cache of the texts of numbers that rows repeat.
  struct Known {
    double value = 0;
    std::string text = "0";
  };
  std::vector<Known>& known;
  std::string_view unit;
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return known_text(value); }
  std::string operator()(PicoSeconds time) const {
    return unit == "us" ? number_text(static_cast<double>(time.count) / 1e6) : seconds_text(time);
  }
  std::string operator()(const Ratio& ratio) const { return known_text(ratio.value()); }
  std::string operator()(std::string_view value) const { return std::string(value); }

 private:
  const std::string& known_text(double value) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    // Index of the cache by Fibonacci hashing: the high bits of the product depend on all bits.
    Known& one = known[(bits * 0x9E3779B97F4A7C15u) >> 32 & (known.size() - 1)];
    if (one.value != value) one = {value, number_text(value)};
    return one.text;
  }
};

/// Writes the names or the values of a flat element as one CSV line.
class CsvRow final : public MetricVisitor {
 public:
  explicit CsvRow(bool names) : names_(names) {}
  std::string take() { return std::exchange(line_, {}) + '\n'; }
  void null_group(std::string_view) override { refuse(); }
  void texts(std::string_view, const std::vector<std::string>&, const MetricAbout&) override {
    refuse();
  }

 private:
  void visit(const VisitedMetric& figure) override {
    if (!line_.empty()) line_ += ',';
    line_ += names_ ? std::string(figure.name)
                    : std::visit(ToCell{known_, figure.about.unit}, figure.value);
  }
  void begin_group(std::string_view) override { refuse(); }
  void begin_element() override { refuse(); }
  void end_group() override { refuse(); }
  void begin_list(std::string_view, std::size_t) override { refuse(); }
  void end_list() override { refuse(); }
  [[noreturn]] static void refuse() { throw std::logic_error("a row of CSV is flat"); }

  bool names_;
  std::string line_;
  std::vector<ToCell::Known> known_{1024};  // cache entries for texts of numbers; a power of two
};

/// Returns the name of each host. A port of a host with several ports has the host's name, a dot
/// and the port's number.
std::vector<std::string> names_of_hosts(const RunResults& r) {
  std::vector<std::string> names;
  for (const HostResult& host : r.hosts) {
    if (host.id == names.size()) names.push_back(host.name.substr(0, host.name.find('.')));
  }
  return names;
}

/// True if a host's name is other than h and its number, as in imported networks.
bool are_own_names(const std::vector<std::string>& names) {
  for (std::size_t host = 0; host < names.size(); ++host) {
    if (names[host] != "h" + std::to_string(host)) return true;
  }
  return false;
}

void write_flows(const fs::path& path, const RunResults& r, const Metrics& m) {
  OutputFile file(path);
  const std::vector<std::string> names = names_of_hosts(r);
  const bool named = are_own_names(names);
  const bool several_ports = names.size() != r.hosts.size();
  CsvRow head(true);
  describe_flow(head, {}, {});
  if (named) {
    head.figure("from_name", "", {"", "name of the sending host"});
    head.figure("to_name", "", {"", "name of the receiving host"});
  }
  if (several_ports) {
    head.figure("from_port", 0u, {"", "number of the sending host's port"});
    head.figure("to_port", 0u, {"", "number of the receiving host's port"});
  }
  file.text() << head.take();
  CsvRow row(false);
  for (const FlowResult& flow : r.flows) {
    describe_flow(row, flow, m.of_flow(flow));
    if (named) {
      row.figure("from_name", names[flow.from], {"", ""});
      row.figure("to_name", names[flow.to], {"", ""});
    }
    if (several_ports) {
      row.figure("from_port", unsigned{flow.from_port}, {"", ""});
      row.figure("to_port", unsigned{flow.to_port}, {"", ""});
    }
    file.text() << row.take();
  }
  file.close();
}

/// Writes fct.csv: a row for each group of `fct` in metrics.json. `of`: all, class, or the kind of
/// a traffic entry; `which`: DSCP or index.
void write_completion_times(const fs::path& path, const FlowGroups& groups) {
  OutputFile file(path);
  CsvRow head(true);
  head.members(FlowGroup());
  file.text() << "of,which,above_bytes,up_to_bytes," << head.take();
  CsvRow row(false);
  const auto write = [&](const std::string& name, const FlowGroupWithSizes& group) {
    row.members(group.flows);
    file.text() << name << ",0,," << row.take();
    for (const SizedFlowGroup& one : group.by_size) {
      row.members(one.flows);
      file.text() << name << ',' << one.above << ','
                  << (one.up_to ? std::to_string(*one.up_to) : "") << ',' << row.take();
    }
  };
  write("all,", groups.all);
  for (const ClassFlowGroup& one : groups.classes) {
    write("class," + std::to_string(one.dscp), one.of);
  }
  for (const EntryFlowGroup& one : groups.entries) {
    write(one.kind + "," + std::to_string(one.entry), one.of);
  }
  file.close();
}

/// Writes timeline.csv: a row for each flow and computation that waits by name, or that others wait
/// for. An empty time means that it did not begin or end.
void write_timeline(const fs::path& path, const RunResults& r) {
  OutputFile file(path);
  file.text() << "kind,id,entry,from,to,start_s,end_s,critical\n";
  std::set<std::pair<std::string, std::uint32_t>> critical;
  for (const PathStep& step : r.dependencies->path) critical.emplace(step.kind, step.id);
  const auto write = [&](const char* kind, std::uint32_t id, unsigned entry, HostId from, HostId to,
                         const std::optional<PicoSeconds>& start,
                         const std::optional<PicoSeconds>& end) {
    file.text() << kind << ',' << id << ',' << entry << ',' << from << ',' << to << ','
                << (start ? seconds_text(*start) : "") << ',' << (end ? seconds_text(*end) : "")
                << ',' << critical.count({kind, id}) << '\n';
  };
  for (const FlowResult& flow : r.flows) {
    if (!r.dependencies->takes_part[flow.entry]) continue;
    write("flow", flow.id, flow.entry, flow.from, flow.to,
          flow.begun ? std::optional<PicoSeconds>(flow.start) : std::nullopt, flow.end_rx);
  }
  for (const ComputationResult& one : r.computations) {
    write("compute", one.id, one.entry, one.host, one.host, one.start, one.end);
  }
  file.close();
}

void write_flow_rates(const fs::path& path, const FlowRateColumns& s) {
  OutputFile file(path);
  file.text() << "t_s,flow,rate_gbps,target_gbps,alpha,goodput_gbps\n";
  for (std::size_t i = 0; i < s.t.size(); ++i) {
    file.text() << seconds_text(s.t[i]) << ',' << s.flow[i] << ',' << number_text(s.rate_gbps[i])
                << ',' << number_text(s.target_gbps[i]) << ',' << number_text(s.alpha[i]) << ','
                << number_text(s.goodput_gbps[i]) << '\n';
  }
  file.close();
}

void write_queue(const fs::path& path, const RunResults& r) {
  OutputFile file(path);
  file.text() << "t_s,port,bytes\n";
  const QueueColumns& s = r.queue_series;
  for (std::size_t i = 0; i < s.t.size(); ++i) {
    file.text() << seconds_text(s.t[i]) << ',' << r.queues[s.port[i]].port << ',' << s.bytes[i]
                << '\n';
  }
  file.close();
}

void write_classes(const fs::path& path, const ClassColumns& s) {
  OutputFile file(path);
  file.text() << "t_s,dscp,goodput_gbps\n";
  for (std::size_t i = 0; i < s.t.size(); ++i) {
    file.text() << seconds_text(s.t[i]) << ',' << s.dscp[i] << ',' << number_text(s.goodput_gbps[i])
                << '\n';
  }
  file.close();
}

void write_digests(const fs::path& path, const DigestColumns& digests) {
  OutputFile file(path);
  std::ofstream& text = file.text();
  text << "t_s";
  for (const std::string& device : digests.devices) text << ',' << device;
  text << '\n' << std::hex << std::setfill('0');
  for (std::size_t i = 0; i < digests.t.size(); ++i) {
    text << seconds_text(digests.t[i]);
    for (const std::uint64_t one : digests.rows[i]) text << ',' << std::setw(16) << one;
    text << '\n';
  }
  file.close();
}

/// Writes delays.csv: every histogram bucket that holds a packet, for each class and kind of delay.
/// `us` is the greatest value of the bucket, and `share` the part of all packets up to that value.
void write_delays(const fs::path& path, const std::vector<DelayResult>& delays) {
  OutputFile file(path);
  file.text() << "dscp,way,us,packets,marked,share\n";
  for (const DelayResult& one : delays) {
    const auto write = [&](const char* way, const MarkedDelays& of) {
      // Marked packets are also in `all`, but the last buckets of the two histograms may end at
      // different values.
      std::map<std::uint64_t, std::uint64_t> marked;
      of.marked.each([&](std::uint64_t ns, std::uint64_t count) { marked[ns] = count; });
      auto next = marked.begin();
      std::uint64_t seen = 0;
      of.all.each([&](std::uint64_t ns, std::uint64_t count) {
        seen += count;
        std::uint64_t with_mark = 0;
        for (; next != marked.end() && next->first <= ns; ++next) with_mark += next->second;
        file.text() << one.dscp << ',' << way << ',' << number_text(static_cast<double>(ns) / 1e3)
                    << ',' << count << ',' << with_mark << ','
                    << number_text(static_cast<double>(seen) / static_cast<double>(of.all.count()))
                    << '\n';
      });
    };
    write("round_trip", one.of.round_trip);
    write("one_way", one.of.one_way);
    write("as_read", one.of.as_read);
  }
  file.close();
}

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.text() << text;
  file.close();
}

void write_run_files(const fs::path& folder, const PlatformConfig& config,
                     const RunResults& results, const Metrics& metrics,
                     const nlohmann::ordered_json& json) {
  std::error_code error;
  fs::create_directories(folder / "series", error);
  if (error) throw OutputError("'" + (folder / "series").string() + "': " + error.message());
  write_file(folder / "config.effective.yaml", effective_yaml(config, RuleComments::kWritten));
  write_file(folder / "metrics.json", json.dump(1) + '\n');
  if (results.digest == nullptr) write_flows(folder / "flows.csv", results, metrics);
  write_completion_times(folder / "fct.csv", metrics.completion_times);
  write_flow_rates(folder / "series/flow_rates.csv", results.flow_rates);
  write_queue(folder / "series/queue.csv", results);
  write_classes(folder / "series/class.csv", results.class_series);
  if (results.dependencies && results.digest == nullptr)
    write_timeline(folder / "timeline.csv", results);
  if (results.field_counters) write_counter_files(folder, results);
  if (results.digests) write_digests(folder / "digest.csv", *results.digests);
  if (!results.delays.empty()) write_delays(folder / "series/delays.csv", results.delays);
}

}  // namespace dcc::vp
