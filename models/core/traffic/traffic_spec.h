// What is to be sent, as a user writes it (TrafficSpec) and as the NICs need it (FlowSpec).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "net/packet.h"
#include "units.h"

namespace dcc {

constexpr Bytes kGreatestFlow = Bytes{1} << 40;  // in a file of flows or of sizes

/// One flow: work for one queue pair.
struct FlowSpec {
  std::uint32_t id = 0;
  HostId from = 0;
  HostId to = 0;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
  bool background = false;  // not ECT, no congestion control, at `rate`
  Bytes bytes = 0;          // 0: unlimited
  Bytes message = 65'536;   // of one RDMA WRITE
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();  // posts nothing from then on
  BitRate rate{};                         // the application's own limit; 0: none
  BitRate initial_rate{};                 // 0: the algorithm's
};

enum class TrafficPattern : std::uint8_t {
  kFlow,                // from[0] -> to[0]
  kIncast,              // every one of `from` -> to[0]
  kOneToMany,           // from[0] -> every one of `to`
  kPermutation,         // every one of `from` to another of them, each receiving once; by the seed
  kAllToAll,            // every ordered pair of `from`
  kPartitionAggregate,  // `rounds` times, every `period`: every one of `from` answers to[0]
  kPoisson,             // `from` among themselves: sizes from a distribution, random gaps
  kTrace,               // flows of a file
  kBackground,          // from[0] -> to[0] at `rate`
};

/// One entry of the traffic list. Which members mean something depends on the pattern.
struct TrafficSpec {
  std::string where = "traffic";  // how messages name the entry: "traffic.2", "demo.yaml:31"
  TrafficPattern pattern = TrafficPattern::kFlow;
  std::vector<HostId> from;
  std::vector<HostId> to;
  std::uint8_t dscp = 0;
  Bytes bytes = 0;  // 0: unlimited
  Bytes message = 65'536;
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();
  PicoSeconds stagger{};       // every further flow starts this much later
  PicoSeconds stop_stagger{};  // … and stops this much later
  unsigned flows = 1;          // queue pairs for each pair of hosts
  BitRate rate{};
  BitRate initial_rate{};

  PicoSeconds period = kMilliSecond;  // kPartitionAggregate
  unsigned rounds = 1;

  std::uint32_t load_ppm = 700'000;  // kPoisson: payload bits / the sender's link rate
  std::string sizes = "websearch";   // websearch | fbhadoop | a file (traffic/flow_sizes.h)
  unsigned flows_per_host = 1000;

  std::string file;                           // kTrace (traffic/trace_file.h)
  PicoSeconds time_offset{};                  // subtracted from the file's times
  std::map<unsigned, std::uint8_t> dscp_map;  // the file's priority -> DSCP; unlisted: `dscp`
};

/// What the expansion has to know of the platform.
struct TrafficContext {
  HostId hosts = 0;
  std::uint64_t seed = 1;
  std::function<BitRate(HostId)> link_rate;  // of a host's own link
  std::array<std::uint8_t, 64> priority_of_dscp{};
};

/// Something that cannot be expanded; what() names the entry or file:line and says why.
class TrafficError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Most flows of a run: they take a kilobyte or two each in NICs and results.
constexpr std::size_t kMostFlows = 4'000'000;

}  // namespace dcc
