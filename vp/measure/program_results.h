// Figures of congestion-control programs, summed over all NICs that run the same program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nic/algorithm/handler_report.h"
#include "stats/metric.h"
#include "units.h"

namespace dcc::vp {

/// Sums of the counters of all handlers of a NIC's program.
struct ProgramCounters {
  explicit ProgramCounters(const HandlerReport& report);

  std::uint64_t events = 0;
  std::uint64_t merged = 0;
  std::uint64_t lost = 0;
  std::uint64_t handled = 0;
  std::uint64_t faults = 0;
  std::uint64_t instructions = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t reaction_ns = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {  // Describes the counters (stats/metric.h).
    using Self = ProgramCounters;
    v(&Self::events, "program_events",
      {"program events", "", "events for the programs of NICs (algorithm: program)"});
    v(&Self::merged, "program_events_merged",
      {"program events merged", "", "of these, events that joined one that waited for a core"});
    v(&Self::lost, "program_events_lost",
      {"program events lost", "", "of these, events that found the queue full"});
    v(&Self::handled, "program_calls",
      {"program calls", "", "events, or several in one, that a handler took"});
    v(&Self::faults, "program_faults",
      {"program faults", "", "handlers' calls that ended in an exception"});
    v(&Self::instructions, "program_instructions",
      {"program instructions", "", "instructions of all handlers"});
    v(&Self::wait_ns, "program_wait_ns",
      {"program wait", "ns", "time from events to the begin of their handlers, summed over calls"});
    v(&Self::busy_ns, "program_busy_ns",
      {"program cores busy", "ns", "time that cores worked, summed over cores"});
    v(&Self::reaction_ns, "program_reaction_ns",
      {"program reaction", "ns", "time from events to the effect of answers, summed over calls"});
  }
};

/// Figures of one handler of a congestion-control program.
struct HandlerResult {
  std::string event;
  std::uint64_t events = 0;
  std::uint64_t merged = 0;
  std::uint64_t lost = 0;
  std::uint64_t handled = 0;
  std::uint64_t faults = 0;
  std::uint64_t instructions = 0;
  // Waiting times of the handler's events; empty if the handler never ran.
  std::optional<PicoSeconds> wait_mean, wait_p50, wait_p99, wait_max;
  std::optional<PicoSeconds> service_mean, service_p50, service_p99;
  std::optional<PicoSeconds> reaction_p50, reaction_p99, reaction_max;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    constexpr Statistic kQuantile = Statistic::kQuantile;
    using Self = HandlerResult;
    v(&Self::event, "event", {"", "kind of events that the handler takes"});
    v(&Self::events, "events",
      {"", "events that happened: handled, merged, lost or still waiting", kSum, Span::kRun});
    v(&Self::merged, "merged", {"", "events that joined one that waited", kSum, Span::kRun});
    v(&Self::lost, "lost",
      {"", "events that found the queue full and no other to join", kSum, Span::kRun});
    v(&Self::handled, "handled", {"", "calls of the handler", kSum, Span::kRun});
    v(&Self::faults, "faults", {"", "calls that ended in an exception", kSum, Span::kRun});
    v(&Self::instructions, "instructions",
      {"", "instructions of all calls together", kSum, Span::kRun});
    v(&Self::wait_mean, "wait_us_mean",
      {"us", "mean time from an event to the begin of its handler; null: it never ran",
       Statistic::kMean, Span::kRun});
    v(&Self::wait_p50, "wait_us_p50", {"us", "median of this time", kQuantile, Span::kRun});
    v(&Self::wait_p99, "wait_us_p99",
      {"us", "99th percentile of this time", kQuantile, Span::kRun});
    v(&Self::wait_max, "wait_us_max",
      {"us", "greatest of these times", Statistic::kMaximum, Span::kRun});
    v(&Self::service_mean, "service_us_mean",
      {"us", "mean time that a core spends on an event", Statistic::kMean, Span::kRun});
    v(&Self::service_p50, "service_us_p50", {"us", "median of this time", kQuantile, Span::kRun});
    v(&Self::service_p99, "service_us_p99",
      {"us", "99th percentile of this time", kQuantile, Span::kRun});
    v(&Self::reaction_p50, "reaction_us_p50",
      {"us", "median time from an event to the effect of its answer", kQuantile, Span::kRun});
    v(&Self::reaction_p99, "reaction_us_p99",
      {"us", "99th percentile of this time", kQuantile, Span::kRun});
    v(&Self::reaction_max, "reaction_us_max",
      {"us", "greatest of these times", Statistic::kMaximum, Span::kRun});
  }
};

/// Reaction times: how fast NICs answer notifications of congestion, if their algorithm measures
/// it.
struct ReactionResult {
  std::uint64_t answers = 0;
  std::optional<PicoSeconds> mean, p50, p99, most;

  template <class Visitor>
  static void describe(Visitor&& v) {
    using Self = ReactionResult;
    v(&Self::answers, "answers",
      {"", "notifications of marks that lowered a rate", Statistic::kSum, Span::kRun});
    v(&Self::mean, "us_mean",
      {"us",
       "mean time from the arrival of a notification of marks to the flow's lower rate; null: no "
       "rate was lowered",
       Statistic::kMean, Span::kRun});
    v(&Self::p50, "us_p50", {"us", "median of this time", Statistic::kQuantile, Span::kRun});
    v(&Self::p99, "us_p99",
      {"us", "99th percentile of this time", Statistic::kQuantile, Span::kRun});
    v(&Self::most, "us_max", {"us", "greatest of these times", Statistic::kMaximum, Span::kRun});
  }
};

/// Figures of a congestion-control program, summed over all NICs that run the program.
struct ProgramResult {
  std::string file;
  std::uint64_t nics = 0;
  std::uint64_t cores = 0;
  double busy = 0;
  std::vector<HandlerResult> handlers;

  template <class Visitor>
  static void describe(Visitor&& v) {  // describes all members except the handlers
    v(&ProgramResult::file, "file", {"", "name of the program's file"});
    v(&ProgramResult::nics, "nics", {"", "NICs that run the program"});
    v(&ProgramResult::cores, "cores", {"", "program cores of these NICs together"});
    v(&ProgramResult::busy, "busy",
      {"", "share of the run's time that these cores worked", Statistic::kRatio, Span::kRun});
  }
};

}  // namespace dcc::vp
