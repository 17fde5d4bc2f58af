// Results of hosts: software, NIC and congestion controller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stats/metric.h"
#include "wire/packet.h"

namespace dcc::vp {

/// Result of one hart of a host with several harts.
struct HartResult {
  HostId host = 0;
  std::uint64_t hart = 0;
  std::uint64_t instructions = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&HartResult::host, "host", {"", "number of the host, one with several harts (host.harts)"});
    v(&HartResult::hart, "hart", {"", "number of the hart in its host"});
    v(&HartResult::instructions, "instructions",
      {"", "instructions executed by the hart", Statistic::kSum, Span::kRun});
  }
};

/// Results of the controller and the CPU of a host, or of one of the host's ports, over the run.
struct HostResult {
  HostId id = 0;
  std::string name;                 // name of the host's node or of the port's node
  std::uint64_t cnps_received = 0;  // number of CNPs received within `measure`
  std::uint64_t slots_in_use_max = 0;
  std::uint64_t timer_events = 0;  // number of expired timer events
  std::uint64_t timer_lateness_max_ticks = 0;
  std::uint64_t missed_latency = 0;
  std::uint64_t cnps_lost = 0;
  std::uint64_t inputs_dropped = 0;
  // number of instructions that the CPU executed; 0 if the host has no CPU
  std::uint64_t instructions = 0;
  // number of received messages in which every byte was correct
  std::uint64_t messages_verified = 0;
  // number of received messages that differ from the sent messages
  std::uint64_t payload_errors = 0;
  std::uint64_t completions_lost = 0;  // number of acknowledged requests that never completed
  std::uint64_t receive_backlog_max_bytes = 0;
  // simulated time in which the CPU did next to nothing but handle traps
  std::uint64_t busy_ns = 0;
  // 1 if the host's enabled controller cannot cut a rate; else 0
  std::uint64_t tables_unwritten = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kSum = Statistic::kSum;
    constexpr Statistic kMaximum = Statistic::kMaximum;
    v(&HostResult::id, "id", {"", "number of the host"});
    v(&HostResult::name, "name",
      {"",
       "name of the host; of one with several ports, which has an entry for each: of the port"});
    v(&HostResult::cnps_received, "cnps_received",
      {"packets", "CNPs received in the window", kSum, Span::kWindow});
    v(&HostResult::slots_in_use_max, "slots_in_use_max",
      {"", "greatest number of slots of its controller in use at once", kMaximum, Span::kRun});
    v(&HostResult::timer_events, "timer_events",
      {"", "timer events of its controller that expired", kSum, Span::kRun});
    v(&HostResult::timer_lateness_max_ticks, "timer_lateness_max_ticks",
      {"ticks", "greatest lag of an expiry behind its tick", kMaximum, Span::kRun});
    v(&HostResult::missed_latency, "missed_latency",
      {"", "timer events of its controller issued too late for their tick", kSum, Span::kRun});
    v(&HostResult::cnps_lost, "cnps_lost",
      {"", "CNPs that found the input queue of its controller full", kSum, Span::kRun});
    v(&HostResult::inputs_dropped, "inputs_dropped",
      {"",
       "CNPs and sent packets that its controller dropped during a reset, and sent packets beyond "
       "1024 that wait for its byte port",
       kSum, Span::kRun});
    v(&HostResult::instructions, "instructions",
      {"", "instructions executed by its CPU; 0 without a CPU", kSum, Span::kRun});
    v(&HostResult::payload_errors, "payload_errors",
      {"messages", "received messages that differ from what was sent", kSum, Span::kRun});
    v(&HostResult::messages_verified, "messages_verified",
      {"", "received messages in which every byte was as sent", kSum, Span::kRun});
    v(&HostResult::completions_lost, "completions_lost",
      {"", "acknowledged requests that never completed", kSum, Span::kRun});
    v(&HostResult::receive_backlog_max_bytes, "receive_backlog_max_bytes",
      {"bytes",
       "greatest amount of payload in the receive buffer of its NIC; 0 where DMA is as fast as the "
       "port",
       kMaximum, Span::kRun});
    v(&HostResult::busy_ns, "busy_ns",
      {"ns", "time up to the end in which its CPU did next to nothing but handle traps", kMaximum,
       Span::kEnd});
    v(&HostResult::tables_unwritten, "tables_unwritten",
      {"", "1 if its controller is enabled and its decrease table is as after reset", kSum,
       Span::kEnd});
  }
};

/// Combines the figures of all hosts: the statistic of each figure defines how. `id` of the
/// combined result has no meaning.
HostResult sum_over_hosts(const std::vector<HostResult>& hosts);

}  // namespace dcc::vp
