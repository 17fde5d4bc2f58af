// Counters by the names that tools for adapters and switches give them: one table says what exists,
// how it is counted here, and what is not modelled. metrics.json, counters.csv, counters.prom and
// `dccvp metrics` follow from the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dcc {
class NicDevice;
class SwitchDevice;
struct LinkCounters;
}  // namespace dcc

namespace dcc::vp {

/// A counter by its name in the tools for adapters and switches.
struct FieldCounter {
  std::string name;    // name, such as np_cnp_sent or SAI_QUEUE_STAT_DROPPED_PACKETS
  const char* source;  // tool or group of files that shows the counter: hw_counters, ethtool -S, …
  const char* unit;
  const char* meaning;       // what the platform counts under this name
  std::uint64_t divide = 1;  // number of counted units in one unit of the value
  // true: the figure is the greatest value within `measure`; false: the count within `measure`
  bool peak = false;
};

/// A counter of the adapter and switch tools that is not modelled.
struct MissingCounter {
  const char* name;
  const char* source;
  const char* reason;
};

/// The counters of one host, of one port of a switch, and of one priority of such a port.
const std::vector<FieldCounter>& host_counters();
const std::vector<FieldCounter>& port_counters();
const std::vector<FieldCounter>& queue_counters();
const std::vector<MissingCounter>& missing_counters();

/// A host's NIC with the link that begins at the NIC and the link that ends there.
struct HostPort {
  const NicDevice& nic;
  const LinkCounters& out;
  const LinkCounters& in;
};
/// A port of a switch with the link that begins at the port and the link that ends there.
struct SwitchPort {
  const SwitchDevice& device;
  int number;
  const LinkCounters& out;
  const LinkCounters& in;
};

/// Appends the present value of each counter of the table, before division, in the table's order.
void read_counters(const HostPort& port, std::vector<std::uint64_t>& to);
void read_counters(const SwitchPort& port, std::vector<std::uint64_t>& to);
void read_counters(const SwitchPort& port, int priority, std::vector<std::uint64_t>& to);

/// The counters of a run within `measure`, in the units of the tables.
struct FieldCounts {
  struct Port {
    std::string device;  // name of the switch
    std::string port;    // name of the wire that begins at the port
    std::vector<std::uint64_t> values;
    std::vector<std::vector<std::uint64_t>> queues;  // counter values of each priority of the port
  };
  std::vector<std::vector<std::uint64_t>> hosts;  // counter values of each host
  std::vector<Port> ports;
};

}  // namespace dcc::vp
