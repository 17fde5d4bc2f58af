// What a NIC whose congestion control is a program reports of it (nic/algorithm/algorithm.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "stats/log_histogram.h"
#include "units.h"

namespace dcc {

/// Kinds of events that a program handles, each by a handler of its own.
constexpr std::size_t kProgramEvents = 6;
constexpr std::array<const char*, kProgramEvents> kProgramEventNames{"start", "cnp",  "ack",
                                                                     "nack",  "sent", "timer"};

/// Counts of one handler over the whole run. Times in picoseconds.
struct HandlerCounts {
  std::uint64_t events = 0;   // events that happened, for flows that the program governs
  std::uint64_t merged = 0;   // events that were merged with a waiting one
  std::uint64_t lost = 0;     // events lost because the queue was full and nothing could be merged
  std::uint64_t handled = 0;  // calls of the handler
  std::uint64_t faults = 0;   // calls that ended in an exception
  std::uint64_t instructions = 0;
  LogHistogram wait;      // from the event (of merged ones, the first) to the begin of its handler
  LogHistogram service;   // time that a core spent on the handler
  LogHistogram reaction;  // from the event (of merged ones, the first) to the answer's effect
};

/// Sums over all handlers of a NIC.
struct ProgramCounters {
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
  static void describe(Visitor&& v) {  // stats/metric.h
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

/// A call of a handler that ended in an exception.
struct ProgramFault {
  PicoSeconds at{};
  FlowNumber flow = 0;
  std::size_t event = 0;  // index into kProgramEventNames
  std::string text;       // exception and address of the instruction
};

/// A line that a program wrote.
struct ProgramLine {
  PicoSeconds at{};
  std::string text;
};

/// Interface of an algorithm that runs a program, beside Algorithm.
class ProgramReport {
 public:
  virtual std::string program() const = 0;  // path of the program's file
  virtual unsigned cores() const = 0;
  virtual const std::array<HandlerCounts, kProgramEvents>& handlers() const = 0;
  /// Sum of the time that all cores worked.
  virtual PicoSeconds busy() const = 0;
  ProgramCounters program_counters() const {
    ProgramCounters sums;
    constexpr std::uint64_t kPerNs = 1000;
    std::uint64_t wait = 0;
    std::uint64_t reaction = 0;
    for (const HandlerCounts& one : handlers()) {
      sums.events += one.events;
      sums.merged += one.merged;
      sums.lost += one.lost;
      sums.handled += one.handled;
      sums.faults += one.faults;
      sums.instructions += one.instructions;
      wait += one.wait.sum();
      reaction += one.reaction.sum();
    }
    sums.wait_ns = wait / kPerNs;
    sums.reaction_ns = reaction / kPerNs;
    sums.busy_ns = static_cast<std::uint64_t>(busy().count) / kPerNs;
    return sums;
  }
  /// The first faults, in the order of time.
  virtual const std::vector<ProgramFault>& faults() const = 0;
  /// The first lines, in the order of time, and the number of lines beyond them.
  virtual const std::vector<ProgramLine>& lines() const = 0;
  virtual std::uint64_t lines_left_out() const = 0;

 protected:
  ~ProgramReport() = default;
};

/// Interface of an algorithm that is told of gaps at the receiver, beside Algorithm.
class NackListener {
 public:
  /// The receiver expects packet `psn` and got a later one. With selective repeat the call comes
  /// once for each recovery, however many later packets the receiver names.
  virtual void on_nack(FlowNumber flow, Psn psn) = 0;

 protected:
  ~NackListener() = default;
};

}  // namespace dcc
