#include "report/metrics_reference.h"

#include <stdexcept>

#include "describe/enum_names.h"
#include "measure/describe_metrics.h"
#include "measure/flow_digest.h"

namespace dcc {
DCC_ENUM_NAMES(vp::MetricType, {vp::MetricType::kNumber, "number"},
               {vp::MetricType::kInteger, "integer"}, {vp::MetricType::kTruth, "truth"},
               {vp::MetricType::kText, "text"}, {vp::MetricType::kTexts, "texts"},
               {vp::MetricType::kFigures, "figures"});
DCC_ENUM_NAMES(Statistic, {Statistic::kValue, "value"}, {Statistic::kSum, "sum"},
               {Statistic::kMaximum, "maximum"}, {Statistic::kMean, "mean"},
               {Statistic::kQuantile, "quantile"}, {Statistic::kRatio, "ratio"});
DCC_ENUM_NAMES(Span, {Span::kNone, ""}, {Span::kWindow, "measure"}, {Span::kRun, "run"},
               {Span::kEnd, "end"});
}  // namespace dcc

namespace dcc::vp {
namespace {

class MetricLister final : public MetricVisitor {
 public:
  std::vector<MetricInfo> take() { return std::move(list_); }
  void null_group(std::string_view name) override { must_show(name); }
  void texts(std::string_view name, const std::vector<std::string>&,
             const MetricAbout& about) override {
    list_.push_back({path_ + std::string(name), MetricType::kTexts, false, about, {}});
  }

 private:
  void visit(const VisitedMetric& figure) override {
    list_.push_back({path_ + std::string(figure.name), figure.type, figure.nullable, figure.about,
                     figure.over});
  }
  void begin_group(std::string_view name) override { enter(name); }
  bool begin_open_group(std::string_view name, const MetricAbout& about) override {
    list_.push_back({path_ + std::string(name), MetricType::kFigures, false, about, {}});
    return false;
  }
  void begin_element() override { enter("N"); }
  void end_group() override { leave(); }
  void begin_list(std::string_view name, std::size_t count) override {
    if (count != 1) must_show(name);
    enter(name);
  }
  void end_list() override { leave(); }

  [[noreturn]] void must_show(std::string_view name) const {
    throw std::logic_error("the example run has not one element of " + path_ + std::string(name));
  }
  void enter(std::string_view name) {
    ends_.push_back(path_.size());
    path_ += std::string(name) + '.';
  }
  void leave() {
    path_.resize(ends_.back());
    ends_.pop_back();
  }

  std::vector<MetricInfo> list_;
  std::string path_;  // path of the open groups, with a trailing dot
  std::vector<std::size_t> ends_;
};

/// Visits an example run that has one element of every list, so that every figure is met.
std::vector<MetricInfo> list_all_metrics() {
  RunResults results;
  results.flows.resize(1);
  results.links.resize(1);
  results.queues.resize(1);
  results.buffers.resize(1);
  results.hosts.resize(1);
  results.harts.resize(1);
  results.races.resize(1);
  results.interrupts.resize(1);
  results.interrupts[0].histogram.resize(1);
  results.deadlock.resize(1);
  FieldCounts& counts = results.field_counters.emplace();
  counts.hosts.emplace_back(host_counters().size(), 1);
  counts.ports.push_back({"",
                          "",
                          std::vector<std::uint64_t>(port_counters().size(), 1),
                          {std::vector<std::uint64_t>(queue_counters().size(), 1)}});
  results.delays.resize(1);
  results.delays[0].of.messages[0].add(0);
  results.diagnoses.resize(1);
  results.qos.emplace().tenants.resize(1);
  results.subnet.emplace().requests.resize(1);
  results.programs.resize(1);
  results.programs[0].handlers.resize(1);
  results.reaction.emplace();
  results.dcbx.emplace().differences.resize(1);
  results.wasted.emplace();
  results.dependencies.emplace().ranks.resize(1);
  results.dependencies->path.resize(1);
  results.fast_forwarded.emplace();
  results.threads = 2;
  results.memo.emplace();
  static const PlatformConfig config;
  results.digest = std::make_shared<FlowDigest>(config);
  Metrics metrics;
  metrics.classes.resize(1);
  metrics.tenants.resize(1);
  metrics.slowdown.emplace();
  metrics.slowdown_bins.resize(1);
  metrics.slowdown_received.emplace();
  metrics.slowdown_received_bins.resize(1);
  metrics.reference_slowdown.emplace();
  metrics.reference_slowdown_bins.resize(1);
  metrics.completion_times.all.by_size.resize(1);
  metrics.completion_times.classes.resize(1);
  metrics.completion_times.classes[0].of.by_size.resize(1);
  metrics.completion_times.entries.resize(1);
  metrics.completion_times.entries[0].of.by_size.resize(1);
  metrics.deadlines.emplace();
  metrics.queries.emplace();
  MetricLister lister;
  describe_metrics(lister, results, metrics);
  return lister.take();
}

}  // namespace

const std::vector<MetricInfo>& metrics_reference() {
  static const std::vector<MetricInfo> list = list_all_metrics();
  return list;
}

const char* type_name(MetricType type) { return name_of(type); }
const char* statistic_name(Statistic statistic) { return name_of(statistic); }
const char* span_name(Span span) { return name_of(span); }
}  // namespace dcc::vp
