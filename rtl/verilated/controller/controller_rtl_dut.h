// Inputs of the verilated controller in a cycle, and internal signals that are observed.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "controller/controller_engine.h"

namespace dcc {

/// Inputs of the controller in one cycle.
struct ControllerPins {
  bool cnp = false;
  std::uint32_t cnp_flow = 0;
  std::uint8_t cnp_dscp = 0, cnp_marks = 0, cnp_packets = 0;
  bool bytes = false;
  std::uint32_t bytes_flow = 0, bytes_length = 0;
  std::uint8_t bytes_dscp = 0;
  bool command = false, command_query = false;
  std::uint32_t command_flow = 0;
  bool psel = false, penable = false, pwrite = false;
  std::uint32_t paddr = 0, pwdata = 0;
  std::uint8_t pstrb = 0;
};

/// An answer of the controller at its rate port.
struct ControllerRate {
  std::uint32_t flow = 0;
  std::uint32_t value = 0;
  bool query = false;
  bool bound = false;
};

/// The counters after all issued events have been counted.
struct ControllerFigures {
  ControllerStatistics statistics;
  TimerCounters timers;
  std::uint64_t missed_latency = 0;
  Tick lateness_max = 0;
  Tick lag = 0;
  std::uint32_t free_slots = 0;
  bool overrun = false;
};

/// Thrown when an assertion of the RTL fails, or when the RTL does not behave as its adapter
/// assumes.
class RtlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Constants with which the controller's RTL was verilated.
constexpr std::uint32_t kRtlFlowBits = 14;
constexpr std::uint32_t kRtlLatency = 64;

/// Number of faults that can be injected into the RTL (controller_faults.cmake); fault 0: none.
constexpr unsigned kControllerFaults = 5;

}  // namespace dcc
