#include "report/run_files.h"

#include <fstream>

#include "config/effective_yaml.h"
#include "report/metrics_json.h"
#include "report/numbers.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

/// A file that complains when it could not be written to its end.
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

std::string seconds_or_empty(const std::optional<PicoSeconds>& time) {
  return time ? seconds_text(*time) : "";
}

void write_flows(const fs::path& path, const RunResults& r, const Metrics& m) {
  OutputFile file(path);
  file.text() << "id,from,to,dscp,weight,bytes,start_s,end_s,fct_s,fct_rx_s,ideal_s,slowdown,"
                 "goodput_gbps,retransmits,completed\n";
  for (std::size_t i = 0; i < r.flows.size(); ++i) {
    const FlowResult& f = r.flows[i];
    const FlowMetrics& d = m.flows[i];
    file.text() << f.id << ',' << f.from << ',' << f.to << ',' << f.dscp << ','
                << number_text(d.weight.value()) << ',' << (f.bytes ? std::to_string(*f.bytes) : "")
                << ',' << seconds_text(f.start) << ','
                << (f.completed ? seconds_or_empty(f.end) : "") << ',' << seconds_or_empty(d.fct)
                << ',' << seconds_or_empty(d.fct_rx) << ',' << seconds_or_empty(f.ideal) << ','
                << (d.slowdown ? number_text(*d.slowdown) : "") << ','
                << number_text(d.goodput_gbps) << ',' << f.retransmits << ','
                << (f.completed ? "true" : "false") << '\n';
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

}  // namespace

void write_run_files(const fs::path& folder, const PlatformConfig& config,
                     const RunResults& results, const Metrics& metrics,
                     const nlohmann::ordered_json& json) {
  std::error_code error;
  fs::create_directories(folder / "series", error);
  if (error) throw OutputError("'" + (folder / "series").string() + "': " + error.message());
  OutputFile yaml(folder / "config.effective.yaml");
  yaml.text() << effective_yaml(config);
  yaml.close();
  OutputFile document(folder / "metrics.json");
  document.text() << json.dump(1) << '\n';
  document.close();
  write_flows(folder / "flows.csv", results, metrics);
  write_flow_rates(folder / "series/flow_rates.csv", results.flow_rates);
  write_queue(folder / "series/queue.csv", results);
  write_classes(folder / "series/class.csv", results.class_series);
}

}  // namespace dcc::vp
