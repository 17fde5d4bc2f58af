// A whole platform as plain structs: what the YAML says, with units, validated. Names are the
// YAML's; members hold the defaults. schema.h reads, checks and documents them.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/controller_engine.h"
#include "describe/quantities.h"
#include "fabric/faults.h"
#include "fabric/topology_parameters.h"
#include "nic/algorithm/registry.h"
#include "nic/nic_parameters.h"
#include "nic/transport_registry.h"
#include "switch/dcbx.h"
#include "switch/switch_device.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// Statistics are taken from `from` (included) to `to`.
struct MeasureConfig {
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // empty: the end of the run
  std::optional<PicoSeconds>
      window;  // tenants' shares over any so long a time; empty: not looked at
  PicoSeconds settle = kMilliSecond * 20;  // no such window begins so soon after a join or leave
};

enum class TelemetryKind { kAuto, kOn, kOff };

enum class Implementation { kModel, kRtl, kLockstep };

/// The hardware block, and what computes it here.
struct ControllerConfig : dcc::ControllerConfig {
  Implementation engine = Implementation::kModel;  // of the whole block …
  Implementation timer = Implementation::kModel;   // … or of a part of it
  Implementation rate_lut = Implementation::kModel;
};

/// Something runs in lock-step.
inline bool compares_rtl(const ControllerConfig& c) {
  return c.engine == Implementation::kLockstep || c.timer == Implementation::kLockstep ||
         c.rate_lut == Implementation::kLockstep;
}

struct NicConfig : NicParameters {
  TelemetryKind telemetry = TelemetryKind::kAuto;  // INT; kAuto: if the algorithm asks for it
  TransportChoice transport;
  AlgorithmChoice congestion_control;
  ControllerConfig controller;
};

/// Hosts whose NICs run another algorithm than `nic.congestion_control`.
struct OtherNics {
  HostList hosts;
  AlgorithmChoice congestion_control;
  CnpParameters cnp;  // what receivers make of their packets' marks, agreed with the connection
};

enum class DriverKind { kNative, kFirmware, kNone };

struct HostConfig {
  DriverKind driver = DriverKind::kNative;
  std::string elf;  // kFirmware: path (resolved)
  Bytes ram = 4_MiB;
  Frequency clock{200'000'000};        // CPU
  Ratio cpi{1};                        // cycles per instruction
  PicoSeconds quantum = kMicroSecond;  // temporal decoupling
  bool keeps_accounts = true;          // firmware fills the boot block's results
  bool misaligned_done = false;        // loads and stores in RAM at any address, instead of traps
  std::optional<unsigned> gdb;         // loopback port of the debugger; empty: none
};

struct DscpConfig {
  Ratio weight{1};
  unsigned priority = 0;
  std::string tenant;               // empty: none
  std::optional<BitRate> min_rate;  // per flow: the rate is never cut below it
  std::optional<BitRate> max_rate;  // per flow
};

struct TenantConfig {
  std::string name;
  Ratio weight{1};
};

/// The closed loop that keeps tenants at their weights however many flows they open
/// (docs/qos-manager.md). A tenant is the one DSCP that names it.
struct QosConfig {
  std::optional<HostId> manager;  // host that runs the manager; empty: no closed loop
  PicoSeconds report_interval = kMilliSecond;
  PicoSeconds update_interval = kMilliSecond * 2;
  unsigned dscp = 48;  // of the loop's own messages
  unsigned priority = 6;
};

enum class FlowSeries { kAll, kNone };
enum class QueueSeries { kBusiest, kAll, kNone };

struct SeriesConfig {
  PicoSeconds interval = kMicroSecond * 10;
  FlowSeries flows = FlowSeries::kAll;
  QueueSeries queues = QueueSeries::kBusiest;
  bool classes = true;
};

/// One file of captured packets, trace/<name>.pcapng.
struct PacketTraceConfig {
  std::string name = "packets";
  std::vector<std::string> ports;  // wires, cables, nodes; empty: all
  std::vector<unsigned> flows;     // empty: all, and what belongs to no flow
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // empty: the end of the run
  Bytes snap = 128;               // bytes kept of a packet
};

enum class TransactionTrace { kNone, kText, kJson };

/// What is written down while it happens, in <out>/trace/. All off by default.
struct TraceConfig {
  std::vector<PacketTraceConfig> packets;
  // All but packets:
  HostList hosts;               // empty: all
  std::vector<unsigned> flows;  // by id; empty: all
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // empty: the end of the run
  bool cpu = false;               // every instruction of firmware
  bool coverage = false;          // its lines and branches, …
  bool profile = false;           // … its functions' cost; both of the whole run
  TransactionTrace transactions = TransactionTrace::kNone;
  std::string sockets;  // transactions: only paths that contain this
  bool perfetto = false;
  bool signals = false;
  PicoSeconds interval = kMicroSecond;  // of sampled signals and counters

  /// Something is to be traced: a run leaves a folder trace/.
  bool any() const {
    return !packets.empty() || cpu || coverage || profile ||
           transactions != TransactionTrace::kNone || perfetto || signals;
  }
  bool has_host(HostId id) const;
  bool has_flow(std::uint32_t id) const;
};

/// Numbers that stand for the state of every device, digest.csv.
struct DigestConfig {
  std::optional<PicoSeconds> every;  // empty: none
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // empty: the end of the run
};

struct OutputConfig {
  SeriesConfig series;
  bool delays = false;  // of packets, by class
  TraceConfig trace;
  DigestConfig digest;
  bool plots = true;
};

/// Time in which nothing happens but more of the same is skipped.
struct FastForwardConfig {
  bool enabled = false;
  PicoSeconds window = kMicroSecond * 100;
  Ratio tolerance{1, 100};
};

/// A figure of metrics.json that must lie within bounds, else the run fails.
struct ExpectConfig {
  std::string metric;  // dotted path: aggregate.goodput_gbps, classes.0.share
  std::optional<double> min;
  std::optional<double> max;
};

struct PlatformConfig;

/// Parameters that become others while the run goes on.
struct ChangeConfig {
  PicoSeconds at{};
  ValueNode set;  // paths and values, as written
  /// The whole configuration from then on, in which nothing differs but what may.
  std::shared_ptr<const PlatformConfig> config;
};

struct PlatformConfig {
  std::uint64_t seed = 1;
  PicoSeconds duration = kMilliSecond * 10;
  MeasureConfig measure;
  TopologyParameters topology;
  SwitchParameters switch_;  // YAML: switch, routing
  NicConfig nic;
  std::vector<OtherNics> nics;  // what differs from `nic`; a host is in one at most
  HostConfig host;
  std::map<HostId, HostConfig> hosts;  // single hosts: `host` with what they override
  std::map<unsigned, DscpConfig> dscp;
  std::vector<TenantConfig> tenants;
  QosConfig qos;
  std::vector<TrafficSpec> traffic;
  DcbxParameters dcbx;
  std::vector<FaultParameters> faults;
  std::vector<ChangeConfig> changes;  // in order of time
  FastForwardConfig fast_forward;
  OutputConfig output;
  std::vector<ExpectConfig> expect;

  PicoSeconds measure_end() const { return measure.to ? *measure.to : duration; }
  /// Null: the host's NIC is as `nic` says.
  const OtherNics* other_nic(HostId id) const;
  /// What governs the flows that this host sends.
  const AlgorithmChoice& congestion_control_of(HostId id) const;
  /// Everybody's, `nic.congestion_control` first.
  std::vector<const AlgorithmChoice*> congestion_controls() const;
  /// `host`, or its override for this host.
  const HostConfig& host_of(HostId id) const;
  /// The listed one, or weight 1, priority 0.
  const DscpConfig& dscp_of(unsigned dscp) const;
};

}  // namespace dcc::vp
