// Latencies between an interrupt request of a host's device and the hart that takes the interrupt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stats/log_histogram.h"
#include "stats/metric.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// A histogram bin: number of interrupts whose latency lies between half of the bound and the
/// bound.
struct InterruptBin {
  PicoSeconds below{};
  std::uint64_t count = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&InterruptBin::below, "below_us",
      {"us", "interrupts with a latency below this bound and not below the bound's half"});
    v(&InterruptBin::count, "count",
      {"", "number of these interrupts", Statistic::kSum, Span::kRun});
  }
};

/// Latencies of one interrupt source of a host (models/tlm/machine/interrupt_latency.h).
struct InterruptResult {
  HostId host = 0;
  std::string source;
  std::uint64_t taken = 0;
  std::uint64_t withdrawn = 0;
  std::uint64_t waiting = 0;
  // latencies of the taken interrupts; empty if no interrupt was taken
  std::optional<PicoSeconds> mean, p50, p99, most;
  // bins of the latency histogram that are not empty, in ascending order
  std::vector<InterruptBin> histogram;

  /// Sets the members that describe latencies from the histogram `ns`.
  void set_times(const LogHistogram& ns);

  template <class Visitor>
  static void describe(Visitor&& v) {  // describes all members except the histogram
    constexpr Statistic kSum = Statistic::kSum;
    constexpr Statistic kQuantile = Statistic::kQuantile;
    using Self = InterruptResult;
    v(&Self::host, "host", {"", "number of the host, one that runs firmware"});
    v(&Self::source, "source",
      {"", "source of interrupts: timer, software, or a device at the interrupt controller"});
    v(&Self::taken, "taken", {"", "interrupts that a hart took", kSum, Span::kRun});
    v(&Self::withdrawn, "withdrawn",
      {"", "requests whose line fell before a hart took them", kSum, Span::kRun});
    v(&Self::waiting, "waiting", {"", "requests that still wait at the end", kSum, Span::kEnd});
    v(&Self::mean, "us_mean",
      {"us",
       "mean time from the source's request to the hart's entry into the handler that serves the "
       "source, masked time included, up to one host.quantum too long; null: none was taken",
       Statistic::kMean, Span::kRun});
    v(&Self::p50, "us_p50", {"us", "median of this time", kQuantile, Span::kRun});
    v(&Self::p99, "us_p99", {"us", "99th percentile of this time", kQuantile, Span::kRun});
    v(&Self::most, "us_max", {"us", "greatest of these times", Statistic::kMaximum, Span::kRun});
  }
};

}  // namespace dcc::vp
