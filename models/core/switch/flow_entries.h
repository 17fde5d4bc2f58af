// What a central scheduler of flows reads and sets in a switch, as OpenFlow's counters and entries.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/packet.h"

namespace dcc {

/// Of the data in one direction.
struct FlowName {
  HostId source = 0;
  HostId destination = 0;
  std::uint32_t flow = 0;
};

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

  /// What hosts at this switch have sent since the last time, by flow, in no particular order.
  virtual std::vector<Count> take_counts() = 0;
  /// From now on the flow goes through the port of this index among those that are equally good.
  virtual void place(const FlowName& name, std::uint32_t index) = 0;
  /// No flow has a port of its own any more.
  virtual void forget_places() = 0;
  /// What the switch's own choice begins with.
  virtual std::uint64_t hash_seed() const { return 0; }

 protected:
  ~FlowEntries() = default;
};

}  // namespace dcc
