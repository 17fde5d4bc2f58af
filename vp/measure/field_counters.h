// Counters under the names that tools for adapters and switches use. One table says which counters
// exist, how the platform counts them, and which counters are not modelled. metrics.json,
// counters.csv, counters.prom and `dccvp metrics` follow from the table.
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
  // true: the value is the greatest within `measure`; false: the value is the count within
  // `measure`
  bool peak = false;
};

/// A counter of the adapter and switch tools that is not modelled.
struct MissingCounter {
  const char* name;
  const char* source;
  const char* reason;
};

/// The counters of one host, of one port of a switch, and of one priority of a switch port.
const std::vector<FieldCounter>& host_counters();
const std::vector<FieldCounter>& port_counters();
const std::vector<FieldCounter>& queue_counters();
const std::vector<MissingCounter>& missing_counters();

/// A host's NIC with the link from the NIC and the link to the NIC.
struct HostPort {
  const NicDevice& nic;
  const LinkCounters& out;
  const LinkCounters& in;
};
/// A port of a switch with the link from the port and the link to the port.
struct SwitchPort {
  const SwitchDevice& device;
  int number;
  const LinkCounters& out;
  const LinkCounters& in;
};

/// Appends the present value of each counter of the table, in the table's order and not yet
/// divided.
void read_counters(const HostPort& port, std::vector<std::uint64_t>& to);
void read_counters(const SwitchPort& port, std::vector<std::uint64_t>& to);
void read_counters(const SwitchPort& port, int priority, std::vector<std::uint64_t>& to);

/// The counters of a run within `measure`, in the units of the tables.
struct FieldCounts {
  struct Port {
    std::string device;  // name of the port's switch
    std::string port;    // name of the wire that begins at the port
    std::vector<std::uint64_t> values;
    std::vector<std::vector<std::uint64_t>> queues;  // counter values of each priority of the port
  };
  std::vector<std::vector<std::uint64_t>> hosts;  // counter values of each host
  std::vector<Port> ports;
};

}  // namespace dcc::vp
