// Interface through which a central flow scheduler reads counters of a switch and writes flow
// entries into it, as with OpenFlow.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// Key that identifies the data packets of a flow in one direction.
struct FlowName {
  HostId source = 0;
  HostId destination = 0;
  std::uint32_t flow = 0;
};

/// The flow table of one switch, which a central scheduler reads and writes.
class FlowEntries {
 public:
  struct Count {
    FlowName name;
    Bytes bytes = 0;
    void add_state(StateDigest& d) const { d(name.source, name.destination, name.flow, bytes); }
  };

  /// Returns the bytes that the hosts attached to this switch sent since the previous call, for
  /// each flow, in unspecified order. The call resets the counters.
  virtual std::vector<Count> take_counts() = 0;
  /// From now on, sends the flow through the port with this index among the equally good ports.
  virtual void place(const FlowName& name, std::uint32_t index) = 0;
  /// Removes the entries of all flows from the switch's flow table.
  virtual void clear_places() = 0;
  /// Seed of the hash by which the switch chooses for flows without an entry.
  virtual std::uint64_t hash_seed() const { return 0; }

 protected:
  ~FlowEntries() = default;
};

}  // namespace dcc
