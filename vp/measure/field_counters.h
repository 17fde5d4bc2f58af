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

/// One counter.
struct FieldCounter {
  std::string name;    // np_cnp_sent, SAI_QUEUE_STAT_DROPPED_PACKETS
  const char* source;  // tool or group of files that shows it: hw_counters, ethtool -S, …
  const char* unit;
  const char* meaning;       // how it is counted here
  std::uint64_t divide = 1;  // counted units in one unit of the value
  bool peak = false;         // true: greatest value within `measure`; else the count within it
};

/// A counter of the same tools that is not modelled.
struct MissingCounter {
  const char* name;
  const char* source;
  const char* reason;
};

/// What belongs to one host, one port of a switch, and one priority of such a port.
const std::vector<FieldCounter>& host_counters();
const std::vector<FieldCounter>& port_counters();
const std::vector<FieldCounter>& queue_counters();
const std::vector<MissingCounter>& missing_counters();

/// A host's NIC with the link that begins at the NIC and the one that ends there.
struct HostPort {
  const NicDevice& nic;
  const LinkCounters& out;
  const LinkCounters& in;
};
/// A port of a switch, likewise.
struct SwitchPort {
  const SwitchDevice& device;
  int number;
  const LinkCounters& out;
  const LinkCounters& in;
};

/// Append the present value of each counter of the table, before division, in the table's order.
void read_counters(const HostPort& port, std::vector<std::uint64_t>& to);
void read_counters(const SwitchPort& port, std::vector<std::uint64_t>& to);
void read_counters(const SwitchPort& port, int priority, std::vector<std::uint64_t>& to);

/// The counters of a run within `measure`, in the units of the tables.
struct FieldCounts {
  struct Port {
    std::string device;  // name of the switch
    std::string port;    // wire that begins at the port
    std::vector<std::uint64_t> values;
    std::vector<std::vector<std::uint64_t>> queues;  // by priority
  };
  std::vector<std::vector<std::uint64_t>> hosts;  // by host
  std::vector<Port> ports;
};

}  // namespace dcc::vp
