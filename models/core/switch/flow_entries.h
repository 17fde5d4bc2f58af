// The counters and entries of flows in a switch that a central scheduler reads and sets, as in
// OpenFlow.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/packet.h"

namespace dcc {

/// Identifies the data of one flow in one direction.
struct FlowName {
  HostId source = 0;
  HostId destination = 0;
  std::uint32_t flow = 0;
};

/// The interface of one switch.
class FlowEntries {
 public:
  struct Count {
    FlowName name;
    Bytes bytes = 0;
    template <class Digest>
    void add_state(Digest& d) const {
      d(name.source, name.destination, name.flow, bytes);
    }
  };

  /// Bytes of each flow that hosts at this switch sent since the previous call, in any order.
  virtual std::vector<Count> take_counts() = 0;
  /// Pins a flow to the port of this index among its equal-cost ports.
  virtual void place(const FlowName& name, std::uint32_t index) = 0;
  /// Unpins all flows.
  virtual void forget_places() = 0;
  /// Seed of the hash by which the switch itself chooses.
  virtual std::uint64_t hash_seed() const { return 0; }

 protected:
  ~FlowEntries() = default;
};

}  // namespace dcc
