#include "measure/program_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "build/platform.h"
#include "nic/algorithm/handler_report.h"
#include "nic/algorithm/listeners.h"
#include "parallel/all_reduce.h"

namespace dcc::vp {
namespace {

PicoSeconds time_of(std::uint64_t ps) { return PicoSeconds(static_cast<std::int64_t>(ps)); }

/// Counts of all NICs that run the same program.
struct Sums {
  std::uint64_t nics = 0;
  std::uint64_t cores = 0;
  PicoSeconds busy{};
  std::vector<HandlerCounts> handlers;  // counts of handler calls, by kind of event

  void add(const HandlerReport& report) {
    ++nics;
    cores += report.cores();
    busy = busy + report.busy();
    handlers.resize(report.handlers().size());
    for (std::size_t kind = 0; kind < handlers.size(); ++kind) {
      HandlerCounts& sum = handlers[kind];
      const HandlerCounts& one = report.handlers()[kind];
      sum.event = one.event;
      sum.events += one.events;
      sum.merged += one.merged;
      sum.lost += one.lost;
      sum.handled += one.handled;
      sum.faults += one.faults;
      sum.instructions += one.instructions;
      sum.wait.merge(one.wait);
      sum.service.merge(one.service);
      sum.reaction.merge(one.reaction);
    }
  }
  /// Adds the counts of other processes; every process knows all NICs, and counts for its own NICs.
  void gather(ProcessGroup& group) {
    AllReduce reduce(&group);
    reduce.add(busy);
    for (HandlerCounts& counts : handlers) {
      for (std::uint64_t* const one : {&counts.events, &counts.merged, &counts.lost,
                                       &counts.handled, &counts.faults, &counts.instructions}) {
        reduce.add(*one);
      }
      for (LogHistogram* const times : {&counts.wait, &counts.service, &counts.reaction}) {
        *times = LogHistogram::of(group.all_gather(times->counts()));
      }
    }
  }
};

HandlerResult result_of(const HandlerCounts& counts) {
  HandlerResult result;
  result.event = counts.event;
  result.events = counts.events;
  result.merged = counts.merged;
  result.lost = counts.lost;
  result.handled = counts.handled;
  result.faults = counts.faults;
  result.instructions = counts.instructions;
  const auto mean = [](const LogHistogram& times) { return time_of(times.sum() / times.count()); };
  if (counts.wait.count() != 0) {
    result.wait_mean = mean(counts.wait);
    result.wait_p50 = time_of(counts.wait.quantile(500));
    result.wait_p99 = time_of(counts.wait.quantile(990));
    result.wait_max = time_of(counts.wait.max());
  }
  if (counts.service.count() != 0) {
    result.service_mean = mean(counts.service);
    result.service_p50 = time_of(counts.service.quantile(500));
    result.service_p99 = time_of(counts.service.quantile(990));
  }
  if (counts.reaction.count() != 0) {
    result.reaction_p50 = time_of(counts.reaction.quantile(500));
    result.reaction_p99 = time_of(counts.reaction.quantile(990));
    result.reaction_max = time_of(counts.reaction.max());
  }
  return result;
}

std::string file_name(const HandlerReport& report) {
  return std::filesystem::path(report.source()).filename().string();
}

class Programs final : public PlatformPart {
 public:
  explicit Programs(const Platform& platform) : p_(platform) {}

  void finish(RunResults& results) override {
    std::map<std::string, Sums> sums;
    std::vector<Line> lines;
    for (const auto& host : p_.hosts) {
      const auto* const report = dynamic_cast<const HandlerReport*>(host->algorithm());
      if (report == nullptr) continue;
      sums[report->source()].add(*report);
      note_faults(host->id(), *report, results);
      for (const HandlerLine& line : report->lines()) lines.push_back({host->id(), &line});
      if (report->lines_left_out() != 0) {
        fmt::print(stderr, "host {}: {}: {} more lines (nic.congestion_control.trace)\n",
                   host->id(), file_name(*report), report->lines_left_out());
      }
    }
    write_lines(lines);
    for (auto& [path, sum] : sums) {
      if (p_.partitions.group() != nullptr) sum.gather(*p_.partitions.group());
      ProgramResult& program = results.programs.emplace_back();
      program.file = std::filesystem::path(path).filename().string();
      program.nics = sum.nics;
      program.cores = sum.cores;
      const double span = static_cast<double>(results.sim_time.count);
      if (span > 0) {
        program.busy = static_cast<double>(sum.busy.count) / span / static_cast<double>(sum.cores);
      }
      for (const HandlerCounts& counts : sum.handlers) {
        if (counts.events == 0) continue;
        program.handlers.push_back(result_of(counts));
        note_losses(program.file, program.handlers.back(), results);
      }
    }
    collect_reactions(results);
  }

 private:
  struct Line {
    HostId host;
    const HandlerLine* line;
  };
  static void note_faults(HostId id, const HandlerReport& report, RunResults& results) {
    std::uint64_t count = 0;
    for (const HandlerCounts& counts : report.handlers()) count += counts.faults;
    if (count == 0) return;
    const HandlerFault& first = report.faults().front();
    results.notes.push_back(
        {"program_faults",
         fmt::format("host {}: {}: flow {}, handler of {}, at {:.6g} us: {}{}; the flow keeps its "
                     "last rate, and the program gets no more of its events",
                     id, file_name(report), first.flow, first.event,
                     static_cast<double>(first.at.count) / 1e6, first.text,
                     count == 1 ? "" : fmt::format(" (and {} more flows)", count - 1)),
         {}});
  }
  static void note_losses(const std::string& file, const HandlerResult& handler,
                          RunResults& results) {
    if (handler.lost == 0) return;
    results.notes.push_back(
        {"program_events_lost",
         fmt::format("{}: {} of {} events for its handler of {} were lost, because the cores did "
                     "not keep up and nic.congestion_control.queue was full",
                     file, handler.lost, handler.events, handler.event),
         {}});
  }
  /// Lines of all hosts go to standard error, in the order of time and hosts.
  static void write_lines(std::vector<Line>& lines) {
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
      return a.line->at.count < b.line->at.count;
    });
    for (const Line& one : lines) {
      fmt::print(stderr, "{:.6f} us host {} {}\n", static_cast<double>(one.line->at.count) / 1e6,
                 one.host, one.line->text);
    }
  }
  void collect_reactions(RunResults& results) const {
    LogHistogram times;
    bool measured = false;
    for (const auto& host : p_.hosts) {
      const auto* const meter = dynamic_cast<const ReactionMeter*>(host->algorithm());
      if (meter == nullptr) continue;
      measured = true;
      times.merge(meter->reactions());
    }
    if (!measured) return;
    if (p_.partitions.group() != nullptr) {
      times = LogHistogram::of(p_.partitions.group()->all_gather(times.counts()));
    }
    ReactionResult& reaction = results.reaction.emplace();
    reaction.answers = times.count();
    if (times.count() == 0) return;
    reaction.mean = time_of(times.sum() / times.count());
    reaction.p50 = time_of(times.quantile(500));
    reaction.p99 = time_of(times.quantile(990));
    reaction.most = time_of(times.max());
  }

  const Platform& p_;
};

const PartKind kProgramsKind(PartKind::kPrograms,
                             [](Platform& p) { return std::make_unique<Programs>(p); });

}  // namespace

ProgramCounters::ProgramCounters(const HandlerReport& report) {
  constexpr std::uint64_t kPerNs = 1000;
  std::uint64_t wait = 0;
  std::uint64_t reaction = 0;
  for (const HandlerCounts& one : report.handlers()) {
    events += one.events;
    merged += one.merged;
    lost += one.lost;
    handled += one.handled;
    faults += one.faults;
    instructions += one.instructions;
    wait += one.wait.sum();
    reaction += one.reaction.sum();
  }
  wait_ns = wait / kPerNs;
  reaction_ns = reaction / kPerNs;
  busy_ns = static_cast<std::uint64_t>(report.busy().count) / kPerNs;
}

}  // namespace dcc::vp
