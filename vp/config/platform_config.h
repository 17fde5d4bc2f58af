// The configuration of a whole platform as plain structs: the validated content of the YAML, with
// units. Members have the names of YAML keys and hold the defaults. schema.h reads, checks and
// documents the members.
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
#include "nic/peer_nics.h"
#include "nic/transport_registry.h"
#include "registers/machine_map.h"
#include "switch/dcbx/dcbx.h"
#include "switch/switch_device.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// The measured window: statistics are taken from `from` (included) to `to` (excluded).
struct MeasureConfig {
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // end of the measured window; empty: end of the run
  std::optional<PicoSeconds>
      // length of the windows in which tenants' shares are watched; empty: shares are not watched
      window;
  // time after a flow's start or end within which no window of shares begins
  PicoSeconds settle = kMilliSecond * 20;
};

enum class TelemetryKind { kAuto, kOn, kOff };

enum class Implementation { kModel, kRtl, kLockstep };
enum class BlockImplementation { kNone, kModel, kRtl, kLockstep };

/// Selects model or RTL for the hardware controller block and for its parts.
struct ControllerConfig : dcc::ControllerConfig {
  Implementation engine = Implementation::kModel;  // implementation of the whole controller block
  // implementation of the timer, which is a part of the controller block
  Implementation timer = Implementation::kModel;
  Implementation rate_lut = Implementation::kModel;
};

/// True if any part of the controller runs in lock-step with RTL.
inline bool compares_rtl(const ControllerConfig& c) {
  return c.engine == Implementation::kLockstep || c.timer == Implementation::kLockstep ||
         c.rate_lut == Implementation::kLockstep;
}

/// Selects the implementation of the notification point in every host's receiver.
struct NotificationConfig {
  Implementation engine = Implementation::kModel;
};

/// Selects the implementation (model, RTL, or both in lock-step) of every NIC's parser, which reads
/// received frames before the congestion-control algorithm does.
struct ParserConfig {
  Implementation engine = Implementation::kModel;
};

/// Selects the implementation of the pacer block that schedules packets of every NIC. kNone: the
/// transmitter paces packets without a pacer block.
struct PacerConfig {
  BlockImplementation engine = BlockImplementation::kNone;
};

/// Parameters of failover, which moves flows to another port of their host when a port fails; see
/// disturb/port_failover.h.
struct PortFailoverParameters {
  // time from the failure of a port to the move of its flows; empty: flows wait
  std::optional<PicoSeconds> detection;
  // true: flows return to the failed port when the port works again
  bool comes_back = false;
};

struct NicConfig : NicParameters {
  // default implementation of all hardware blocks of the NIC
  BlockImplementation engine = BlockImplementation::kNone;
  // use of in-band telemetry; kAuto: on if the algorithm reads telemetry
  TelemetryKind telemetry = TelemetryKind::kAuto;
  TransportChoice transport;
  AlgorithmChoice congestion_control;
  ControllerConfig controller;
  NotificationConfig np;
  ParserConfig parser;
  PacerConfig pacer;
  PortFailoverParameters port_failover;
};

/// An entry of `nics`: parameters of hosts whose NICs differ from `nic`.
struct OtherNics {
  HostList hosts;
  TransportChoice transport;
  AlgorithmChoice congestion_control;
  // Settings of CNPs. Receivers use interval, marks and header of this entry for CNPs to the
  // entry's hosts, as agreed at connection setup. The entry's hosts use scope, notify, react,
  // with_nak, delay and accept as receivers.
  CnpParameters cnp;
  // The following members have the values of `nic` unless the user writes them.
  DmaParameters dma;
  ReceiveBufferParameters receive_buffer;
  WindowParameters window;
  MessageRateParameters message_rate;
  RecoveryParameters recovery;
  unsigned ack_every = 1;
  std::uint32_t mtu = 1000;
  bool is_new = true;  // true until the values of `nic` are copied into this entry

  void begin_like(const NicParameters& nic) {
    if (!std::exchange(is_new, false)) return;
    dma = nic.dma;
    receive_buffer = nic.receive_buffer;
    window = nic.window;
    message_rate = nic.message_rate;
    recovery = nic.recovery;
    ack_every = nic.ack_every;
    mtu = nic.mtu;
  }
};

enum class DriverKind { kNative, kFirmware, kNone };

/// Memory for the firmware's code and constants, in addition to RAM.
struct RomConfig {
  Bytes size = 0;  // bytes of the memory for code and constants; 0: the host has no such memory
  unsigned base = 0x20000000;
};

struct HostConfig {
  DriverKind driver = DriverKind::kNative;
  MachineKind machine = MachineKind::kDcc;  // devices and addresses that firmware sees
  bool race_check = false;                  // true: the platform looks for races of harts and DMA
  unsigned harts = 1;                       // harts of the CPU that runs firmware
  std::string elf;                          // resolved path of the firmware's ELF file
  Bytes ram = 4_MiB;
  RomConfig rom;
  Frequency clock{200'000'000};        // Parameters of the CPU
  Ratio cpi{1};                        // mean number of processor cycles per instruction
  PicoSeconds quantum = kMicroSecond;  // greatest lead of the processor over simulated time
  bool keeps_accounts = true;  // true if the firmware writes the results into the boot block
  // true if misaligned loads and stores in RAM work instead of trapping
  bool misaligned_done = false;
  std::optional<unsigned> gdb;  // loopback port of the debugger's server; empty: no debugger
};

struct DscpConfig {
  Ratio weight{1};
  unsigned priority = 0;
  std::string tenant;               // name of the tenant that owns the class; empty: none
  std::optional<BitRate> min_rate;  // lower limit of a flow's rate
  std::optional<BitRate> max_rate;  // upper limit of a flow's rate
};

struct TenantConfig {
  std::string name;
  Ratio weight{1};
};

/// The closed loop that gives tenants shares by weight, independent of the number of their flows
/// (docs/qos-manager.md). Exactly one DSCP names a tenant.
struct QosConfig {
  std::optional<HostId> manager;  // host that runs the manager; empty: no closed loop
  PicoSeconds report_interval = kMilliSecond;
  PicoSeconds update_interval = kMilliSecond * 2;
  unsigned dscp = 48;  // DSCP of the closed loop's messages
  unsigned priority = 6;
};

/// InfiniBand's management plane: the host of the subnet manager, which discovers the fabric by
/// management datagrams and admits flows that ask for a rate (disturb/subnet_service.h).
struct SubnetConfig {
  std::optional<HostId> manager;  // host that runs the subnet manager; empty: no management plane
  PicoSeconds response = kMicroSecond * 5;  // time that an agent takes to answer a datagram
};

enum class FlowSeries { kAll, kNone };
enum class QueueSeries { kBusiest, kAll, kNone };

struct SeriesConfig {
  PicoSeconds interval = kMicroSecond * 10;
  FlowSeries flows = FlowSeries::kAll;
  QueueSeries queues = QueueSeries::kBusiest;
  bool classes = true;
};

/// One capture file for packets, trace/<name>.pcapng.
struct PacketTraceConfig {
  std::string name = "packets";
  // names of wires, cables or nodes whose packets are captured; empty: all wires
  std::vector<std::string> ports;
  std::vector<unsigned> flows;  // ids of flows whose packets are captured; empty: all packets
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // end of the capture; empty: end of the run
  Bytes snap = 128;               // number of bytes stored of each captured packet
};

/// Choice of the reported counters of measure/field_counters.h. kAuto: all counters, unless there
/// are very many.
enum class CounterReport { kAuto, kAll, kNone };

enum class TransactionTrace { kNone, kText, kJson };

/// Traces written during the run into <out>/trace/. All are off by default.
struct TraceConfig {
  std::vector<PacketTraceConfig> packets;
  // The settings below apply to all traces except packet captures.
  HostList hosts;               // hosts to be traced; empty: all hosts
  std::vector<unsigned> flows;  // ids of the flows to be traced; empty: all flows
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // end of the trace; empty: end of the run
  bool cpu = false;               // true: record every instruction of firmware
  // true: record which lines and branches of firmware ran, over the whole run
  bool coverage = false;
  bool profile = false;  // true: record the cost of the firmware's functions, over the whole run
  TransactionTrace transactions = TransactionTrace::kNone;
  std::string sockets;  // transactions trace: text that a socket path must contain to be traced
  bool perfetto = false;
  bool signals = false;
  PicoSeconds interval = kMicroSecond;  // time between samples of signals and counters

  /// True if any trace is enabled; the run then writes a folder trace/.
  bool any() const {
    return !packets.empty() || cpu || coverage || profile ||
           transactions != TransactionTrace::kNone || perfetto || signals;
  }
  bool has_host(HostId id) const;
  bool has_flow(std::uint32_t id) const;
};

/// Settings of digest.csv, which holds digests of every device's state.
struct DigestConfig {
  std::optional<PicoSeconds> every;  // simulated time between digests; empty: no digests
  PicoSeconds from{0};
  std::optional<PicoSeconds> to;  // end of the time range of digests; empty: end of the run
};

/// Selects how flows are reported. kAll: a result for each flow. kSketch: counts and quantiles with
/// a stated error (measure/flow_digest.h). kNone: counts.
enum class FlowOutput { kAll, kSketch, kNone };

struct OutputConfig {
  FlowOutput flows = FlowOutput::kAll;
  SeriesConfig series;
  bool delays = false;  // true if delays of packets are recorded by class
  CounterReport counters = CounterReport::kAuto;
  TraceConfig trace;
  DigestConfig digest;
  bool plots = true;

  /// True if the counters of each port are reported. `ports`: number of ports of hosts and
  /// switches.
  bool counts_by_port(std::size_t ports) const {
    // greatest number of ports whose counters are reported with CounterReport::kAuto
    constexpr std::size_t kMost = 256;
    return counters == CounterReport::kAll || (counters == CounterReport::kAuto && ports <= kMost);
  }
};

/// Fast-forward: skipping simulated time while the network is in a steady state, and reusing
/// remembered bursts of traffic where they repeat.
struct FastForwardConfig {
  bool enabled = false;
  PicoSeconds window = kMicroSecond * 100;
  Ratio tolerance{1, 100};
  bool memo = false;
  Ratio memo_error{1, 100};
  Ratio memo_check{1, 1000};
};

/// A figure of metrics.json that must lie within bounds, else the run fails.
struct ExpectConfig {
  std::string metric;  // dotted path of the figure, e.g. aggregate.goodput_gbps or classes.0.share
  std::optional<double> min;
  std::optional<double> max;
};

struct PlatformConfig;

/// A change of parameters during the run.
struct ChangeConfig {
  PicoSeconds at{};
  ValueNode set;  // paths and values of the change, as the user wrote them
  /// The whole configuration after the change; only parameters that may change during a run differ.
  std::shared_ptr<const PlatformConfig> config;
};

struct PlatformConfig {
  std::uint64_t seed = 1;
  PicoSeconds duration = kMilliSecond * 10;
  MeasureConfig measure;
  TopologyParameters topology;
  SwitchParameters switch_;             // parameters of switches, YAML keys `switch` and `routing`
  std::vector<PortException> switches;  // entries for ports whose parameters differ from `switch`
  NicConfig nic;
  // entries for hosts whose NICs differ from `nic`; a host is in at most one entry
  std::vector<OtherNics> nics;
  HostConfig host;
  std::map<HostId, HostConfig> hosts;  // hosts whose parameters differ from `host`
  std::map<unsigned, DscpConfig> dscp;
  std::vector<TenantConfig> tenants;
  QosConfig qos;
  SubnetConfig subnet;
  std::vector<TrafficSpec> traffic;
  DcbxParameters dcbx;
  std::vector<FaultParameters> faults;
  std::vector<ChangeConfig> changes;  // all changes of parameters, in the order of time
  FastForwardConfig fast_forward;
  OutputConfig output;
  std::vector<ExpectConfig> expect;
  /// Paths of the parameters whose values follow the network, with the rule of each parameter.
  std::map<std::string, std::string> followed;
  /// With `switch.ecn.draw: packet` and flows that share by weight: the greatest sum of weights at
  /// a port (greatest_weight_of_a_port); otherwise 0.
  std::uint64_t port_weight = 0;

  PicoSeconds measure_end() const { return measure.to ? *measure.to : duration; }
  /// Returns the entry of `nics` for a host; null if the host's NIC has the parameters of `nic`.
  const OtherNics* other_nic(HostId id) const;
  /// Returns the section that describes a host's NIC: "nic", or "nics." and the number of the
  /// entry.
  std::string nic_path(HostId id) const;
  /// Returns the congestion control of the flows that a host sends.
  const AlgorithmChoice& congestion_control_of(HostId id) const;
  /// Returns the congestion control of all groups of hosts, `nic.congestion_control` first.
  std::vector<const AlgorithmChoice*> congestion_controls() const;
  /// Returns the DMA parameters of a host's NIC.
  const DmaParameters& dma_of(HostId id) const;
  /// Returns the payload bytes of a full packet of a host's NIC.
  std::uint32_t mtu_of(HostId id) const;
  /// Returns the payload bytes of a full packet between two hosts.
  std::uint32_t path_mtu(HostId a, HostId b) const { return std::min(mtu_of(a), mtu_of(b)); }
  /// Returns the payload bytes of the largest packet in the network: the greatest path MTU of two
  /// hosts.
  std::uint32_t largest_mtu() const;
  std::uint32_t smallest_mtu() const;
  /// True if not all hosts have the same MTU.
  bool mixes_mtus() const;
  /// Number of hosts with each MTU.
  std::map<std::uint32_t, std::size_t> hosts_by_mtu() const;
  /// Returns the settings by which a host's NIC retransmits lost packets.
  const RecoveryParameters& recovery_of(HostId id) const;
  /// Returns the settings that the hosts' NICs exchange at connection setup.
  PeerNics peer_nics() const;
  /// True if the two ends of a flow may have incompatible settings: see check_ends().
  bool has_unlike_ends() const;
  /// Returns the transport of the flows that a host sends and receives.
  const TransportChoice& transport_of(HostId id) const;
  /// Returns the transports of all groups of hosts, `nic.transport` first.
  std::vector<const TransportChoice*> transports() const;
  /// True if not all hosts have the same transport.
  bool mixes_transports() const;
  /// Returns the parameters of a host: `host`, or the host's entry in `hosts`.
  const HostConfig& host_of(HostId id) const;
  /// Returns the class entry of a DSCP; weight 1 and priority 0 if the DSCP is not listed.
  const DscpConfig& dscp_of(unsigned dscp) const;
};

}  // namespace dcc::vp
