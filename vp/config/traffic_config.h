// What is sent: one entry of `traffic:`, and what goes wrong: one entry of `faults:`.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "describe/quantities.h"

namespace dcc::vp {

enum class TrafficKind {
  kFlow,                // from -> to
  kIncast,              // every sender -> receiver
  kOneToMany,           // sender -> every receiver
  kPermutation,         // every host of `hosts` to another one, drawn by the seed
  kAllToAll,            // every pair of `hosts`
  kPartitionAggregate,  // every `period`: every sender answers receiver with `bytes`
  kPoisson,             // `hosts` among themselves, sizes from a distribution
  kTrace,               // flows of a file
  kBackground,          // from -> to at a constant rate, not ECT, no congestion control
};

/// Which members mean something depends on `kind`; the schema refuses the others' keys.
struct TrafficConfig {
  TrafficKind kind = TrafficKind::kFlow;
  unsigned dscp = 0;
  PicoSeconds start{0};
  std::optional<PicoSeconds> stop;      // empty: with the run
  std::optional<Bytes> bytes;           // empty: unlimited
  Bytes message = 64_KiB;               // RDMA message
  unsigned flows = 1;                   // queue pairs for each pair of hosts
  PicoSeconds stagger{0};               // every further flow starts this much later
  PicoSeconds stop_stagger{0};          // … and stops this much later
  std::optional<BitRate> initial_rate;  // empty: the algorithm's
  std::optional<BitRate> rate;          // the application's own limit; kBackground: its rate

  HostId from = 0;  // kFlow, kBackground
  HostId to = 0;
  HostList senders;  // kIncast, kPartitionAggregate
  HostId receiver = 0;
  HostId sender = 0;  // kOneToMany
  HostList receivers;
  HostList hosts;  // kPermutation, kAllToAll, kPoisson

  PicoSeconds period = kMilliSecond;  // kPartitionAggregate
  unsigned rounds = 10;

  Ratio load{7, 10};                // kPoisson: of each host's link
  std::string sizes = "websearch";  // websearch | fbhadoop | path of a file (resolved)
  unsigned flows_per_host = 1000;

  std::string file;                       // kTrace: path (resolved); .gz is unpacked
  PicoSeconds time_offset{0};             // subtracted from the file's times
  std::map<unsigned, unsigned> dscp_map;  // file's priority -> DSCP; unlisted: 0
};

enum class FaultKind {
  kLoss,      // packets vanish from links
  kCnpLoss,   // CNPs of one flow vanish
  kLinkDown,  // a link carries nothing for a while
};

struct FaultConfig {
  FaultKind kind = FaultKind::kLoss;
  std::string link = "all";  // as metrics.json names it, or all
  Ratio probability{0};
  std::uint32_t flow = 0;  // kCnpLoss
  PicoSeconds start{0};
  std::optional<PicoSeconds> stop;  // empty: with the run
};

}  // namespace dcc::vp
