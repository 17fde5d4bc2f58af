// A central agent of a transport: it reads finished messages of all hosts and sets how their NICs
// send.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

class StateDigest;
class Transmitter;

class TransportAgent {
 public:
  virtual ~TransportAgent() = default;
  TransportAgent(const TransportAgent&) = delete;
  TransportAgent& operator=(const TransportAgent&) = delete;

  /// Adds a sending host, which must outlive the agent. Every host must be added before begin(), in
  /// the same order in every run.
  virtual void add_host(Transmitter& host, BitRate line_rate) = 0;
  /// Starts the agent's first period.
  virtual void begin() = 0;
  /// Adds every value that the agent's future decisions depend on to a digest (sim/state_digest.h).
  virtual void add_state(StateDigest& d) const = 0;

 protected:
  TransportAgent() = default;
};

}  // namespace dcc
