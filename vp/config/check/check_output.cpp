#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/check/check_context.h"
#include "describe/quantity_text.h"
#include "report/metrics_reference.h"

namespace dcc::vp {
namespace {

constexpr std::int64_t kMaxSamples = 10'000'000;

class OutputCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check_time() const {
    require(c_.measure_end() <= c_.duration, "measure.to",
            "ends after the run (duration " + text_of(c_.duration) + ")");
    require(c_.measure.from < c_.measure_end(), "measure.from",
            "the window begins at " + text_of(c_.measure.from) + ", not before its end " +
                text_of(c_.measure_end()));
    require(c_.duration / c_.output.series.interval <= kMaxSamples, "output.series.interval",
            "more than 10000000 samples in " + text_of(c_.duration));
    const DigestConfig& digest = c_.output.digest;
    if (!digest.every) return;
    const PicoSeconds end = digest.to ? std::min(*digest.to, c_.duration) : c_.duration;
    require(digest.from <= end, "output.digest.from",
            "begins at " + text_of(digest.from) + ", after its end " + text_of(end));
    require((end - digest.from) / *digest.every <= kMaxSamples, "output.digest.every",
            "more than 10000000 rows in " + text_of(end - digest.from));
  }

  void check_captures() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < c_.output.trace.packets.size(); ++i) {
      const PacketTraceConfig& p = c_.output.trace.packets[i];
      const std::string path = "output.trace.packets." + std::to_string(i);
      const bool plain = !p.name.empty() && p.name[0] != '.' &&
                         p.name.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                             "WXYZ0123456789_-.") == std::string::npos;
      require(plain, path + ".name",
              in_quotes(p.name) + " is no plain file name (letters, digits, '_', '-', '.')");
      require(names.insert(p.name).second, path + ".name",
              "a second capture named " + in_quotes(p.name));
      require(p.from < p.to.value_or(c_.duration), path + ".from",
              "the capture begins at " + text_of(p.from) + ", not before its end " +
                  text_of(p.to.value_or(c_.duration)));
    }
  }

  void check_trace() const {
    const TraceConfig& t = c_.output.trace;
    for (const HostId id : t.hosts) require_host(id, "output.trace.hosts");
    require(t.from < c_.duration, "output.trace.from",
            "begins at the end of the run (duration " + text_of(c_.duration) + ") or after it");
    require(!t.to || t.from < *t.to, "output.trace.to", "the window ends before it begins");
    const PicoSeconds window = t.to.value_or(c_.duration) - t.from;
    require(!(t.perfetto || t.signals) || window / t.interval <= kMaxSamples,
            "output.trace.interval", "more than 10000000 samples in " + text_of(window));
    bool firmware = false, program = false;
    for (HostId id = 0; id < c_.topology.host_count() && !firmware; ++id) {
      if (!t.has_host(id)) continue;
      firmware = c_.host_of(id).driver == DriverKind::kFirmware;
      program = program || c_.congestion_control_of(id).name() == "program";
    }
    require(!t.cpu || firmware, "output.trace.cpu", "none of the traced hosts runs firmware");
    for (const auto& [wanted, key] :
         {std::pair{t.coverage, "coverage"}, std::pair{t.profile, "profile"}}) {
      require(!wanted || firmware || program, std::string("output.trace.") + key,
              "none of the traced hosts runs firmware, or a program on its NIC");
    }
  }

  void check_expectation(std::size_t i) const {
    const ExpectConfig& e = c_.expect[i];
    const std::string path = "expect." + std::to_string(i);
    require(!e.metric.empty(), path, "an expectation without a metric");
    check_figure(e.metric, path + ".metric");
    require(e.min || e.max, path, "an expectation without min and max");
    require(!e.min || !e.max || *e.min <= *e.max, path + ".min", "min is above max");
  }

 private:
  /// Checks that a path into metrics.json leads to a number; list elements are addressed by index.
  void check_figure(const std::string& figure, const std::string& path) const {
    std::string general;  // path of the figure in the form of metrics_reference()
    for (std::size_t at = 0; at <= figure.size();) {
      const std::size_t dot = std::min(figure.find('.', at), figure.size());
      const std::string step = figure.substr(at, dot - at);
      const bool index = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
      general += (at == 0 ? "" : ".") + (index ? "N" : step);
      at = dot + 1;
    }
    std::vector<std::string> known;
    for (const MetricInfo& metric : metrics_reference()) {
      if (metric.path == general) {
        require_kept(general, figure, path);
        const bool text = metric.type == MetricType::kText || metric.type == MetricType::kTexts ||
                          metric.type == MetricType::kFigures;
        require(!text, path, in_quotes(figure) + " is text, not a number");
        return;
      }
      known.push_back(metric.path);
    }
    fail(path, "metrics.json has no " + in_quotes(figure) + hint(general, known));
  }

  /// Refuses a figure that output.flows leaves out of metrics.json.
  void require_kept(const std::string& general, const std::string& figure,
                    const std::string& path) const {
    const auto begins = [&general](const char* with) { return general.rfind(with, 0) == 0; };
    const bool of_one = begins("flows.");
    const bool of_times = begins("slowdown") || begins("reference_slowdown") ||
                          (begins("fct.") && (general.find(".us_") != std::string::npos ||
                                              general.find(".slowdown_") != std::string::npos));
    require(!of_one || c_.output.flows == FlowOutput::kAll, path,
            in_quotes(figure) + " is a figure of one flow, and output.flows keeps none: write all");
    require(!of_times || c_.output.flows != FlowOutput::kNone, path,
            in_quotes(figure) + " needs completion times, and output.flows is none: write sketch");
  }
};

}  // namespace

void check_time(const LoadedConfig& loaded) { OutputCheck(loaded).check_time(); }
void check_captures(const LoadedConfig& loaded) { OutputCheck(loaded).check_captures(); }
void check_trace(const LoadedConfig& loaded) { OutputCheck(loaded).check_trace(); }
void check_expectations(const LoadedConfig& loaded) {
  for (std::size_t i = 0; i < loaded.config.expect.size(); ++i) {
    OutputCheck(loaded).check_expectation(i);
  }
}

}  // namespace dcc::vp
