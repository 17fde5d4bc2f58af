// Results of a run for links, queues and switch buffers, and the settings that ports negotiated by
// DCBX.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stats/metric.h"
#include "units.h"

namespace dcc::vp {

/// Result of one direction of a link. Counters cover the interval `measure`.
struct LinkResult {
  std::string name;  // name of the link, from->to, e.g. "h1->s0"
  BitRate rate;
  // wire bytes of packets that were not lost on the wire, without per-packet overhead
  std::uint64_t tx_bytes = 0;
  PicoSeconds busy{};   // time spent sending, including overhead and lost packets
  PicoSeconds pause{};  // time in which PFC paused at least one priority
};

/// Results of an egress queue over `measure`, summed over all priorities of a port.
struct QueueResult {
  std::string port;  // name of the link that the queue feeds
  double mean_bytes = 0;
  Bytes p50_bytes = 0;
  Bytes p99_bytes = 0;
  Bytes max_bytes = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&QueueResult::port, "port", {"", "link that the queue feeds; all priorities together"});
    v(&QueueResult::mean_bytes, "mean_bytes",
      {"B", "mean length over time", Statistic::kMean, Span::kWindow});
    v(&QueueResult::p50_bytes, "p50_bytes",
      {"B", "median length over time", Statistic::kQuantile, Span::kWindow});
    v(&QueueResult::p99_bytes, "p99_bytes",
      {"B", "99th percentile of the length over time", Statistic::kQuantile, Span::kWindow});
    v(&QueueResult::max_bytes, "max_bytes",
      {"B", "greatest length", Statistic::kMaximum, Span::kWindow});
  }
};

/// Results of a switch's buffer over `measure`: packets that wait for any egress of the switch.
struct BufferResult {
  std::string of;
  double mean_bytes = 0;
  Bytes max_bytes = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&BufferResult::of, "switch", {"", "name of the switch"});
    v(&BufferResult::mean_bytes, "mean_bytes",
      {"B", "mean number of bytes in its buffer, over time", Statistic::kMean, Span::kWindow});
    v(&BufferResult::max_bytes, "max_bytes",
      {"B", "greatest number of bytes at once", Statistic::kMaximum, Span::kWindow});
  }
};

/// An egress port of a switch in a deadlock at the end of the run (switch/deadlock.h).
struct DeadlockedWire {
  std::string link;
  unsigned priority = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&DeadlockedWire::link, "link",
      {"", "link that is paused for ever by a circle of switches that wait for each other",
       Statistic::kValue, Span::kEnd});
    v(&DeadlockedWire::priority, "priority",
      {"", "priority in which the link is paused", Statistic::kValue, Span::kEnd});
  }
};

struct QueueColumns {
  std::vector<PicoSeconds> t;
  std::vector<std::uint32_t> port;  // index of the port's queue in RunResults::queues
  std::vector<Bytes> bytes;
};

/// The two ends of a link whose DCBX settings differ at the end of the run. Neither end is willing
/// to adopt the settings of the other.
struct DcbxDifference {
  std::string link;
  std::string of;
  std::string here;
  std::string there;
  PicoSeconds since{};

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kValue = Statistic::kValue;
    v(&DcbxDifference::link, "link",
      {"", "link that begins at the end `here`", kValue, Span::kEnd});
    v(&DcbxDifference::of, "of",
      {"", "pfc, ets or applications; lldp: no frames come back", kValue, Span::kEnd});
    v(&DcbxDifference::here, "here", {"", "setting in force at this end", kValue, Span::kEnd});
    v(&DcbxDifference::there, "there",
      {"", "setting in force at the other end", kValue, Span::kEnd});
    v(&DcbxDifference::since, "since_s", {"s", "since when the ends differ", kValue, Span::kEnd});
  }
};

struct DcbxResult {
  std::uint64_t ends = 0;
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t unsound = 0;
  std::vector<DcbxDifference> differences;

  template <class Visitor>
  static void describe(Visitor&& v) {  // describes all members except the differences
    constexpr Statistic kSum = Statistic::kSum;
    v(&DcbxResult::ends, "ends",
      {"", "ends of links that send LLDP frames; the group exists only with dcbx"});
    v(&DcbxResult::frames_sent, "frames_sent", {"packets", "LLDP frames sent", kSum, Span::kRun});
    v(&DcbxResult::frames_received, "frames_received",
      {"packets", "LLDP frames received", kSum, Span::kRun});
    v(&DcbxResult::unsound, "unsound",
      {"packets", "received LLDP frames that could not be parsed", kSum, Span::kRun});
  }
};

}  // namespace dcc::vp
