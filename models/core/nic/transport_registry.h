// Registry of transports by name. Each transport registers itself in its own file. RoCE is part of
// the NIC and is not registered.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "describe/named_choice.h"
#include "nic/nic_parameters.h"
#include "nic/transmitter.h"
#include "nic/transport.h"
#include "nic/transport_agent.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "stats/reordering.h"

namespace dcc {

struct TopologyParameters;

struct TransportParameters {
  virtual ~TransportParameters() = default;
  /// Describes each parameter of the transport (describe/visitor.h).
  virtual void describe(ParameterVisitor& v) = 0;
  /// Throws ParameterError if values of the transport's parameters contradict each other.
  virtual void check() const {}
  /// Name of the queueing discipline that switch ports have by default with this transport.
  virtual const char* discipline() const { return "fifo"; }
  /// True if RoCE queue pairs carry the data under congestion control, and the transport only sets
  /// NIC parameters through ask_nic().
  virtual bool on_roce() const { return false; }
  /// True if the transport requires ports with strict priority.
  virtual bool strict_ports() const { return false; }
  /// True if the transport works with PFC (discipline fifo only).
  virtual bool may_be_paused() const { return false; }
  /// True if the transport works with `ack: none`.
  virtual bool may_omit_acks() const { return false; }
  /// Why hosts with this transport need one MTU; null: a message has packets of the smaller MTU of
  /// its two hosts.
  virtual const char* needs_one_mtu() const { return nullptr; }
  /// Throws ParameterError if the transport cannot work in this network. Precondition: check() and
  /// the network's own check have passed.
  virtual void check_network(const TopologyParameters&) const {}
  /// True if replies must take the path of their data in reverse: requires
  /// `routing: {kind: symmetric}` or a network with single paths.
  virtual bool needs_symmetric_paths() const { return false; }
  /// True if packets carry their path: requires `routing: {kind: source}`.
  virtual bool needs_source_routing() const { return false; }
  /// True if hosts with another transport may share the network: the transport needs neither ports
  /// nor peers of its own.
  virtual bool may_share_network() const { return on_roce() && !has_agent(); }
  /// True if one central agent reads from all hosts and sets how their NICs send.
  virtual bool has_agent() const { return false; }
  /// Makes the central agent, whose events have `rank` among those of one instant. Null unless
  /// has_agent().
  virtual std::unique_ptr<TransportAgent> make_agent(Scheduler&, std::uint32_t /*rank*/) const {
    return nullptr;
  }
  /// Sets the NIC parameters that the transport requires.
  virtual void ask_nic(NicParameters&) const {}

  Framing framing;

 protected:
  TransportParameters() = default;
  TransportParameters(const TransportParameters&) = default;
  TransportParameters& operator=(const TransportParameters&) = default;
  void describe_framing(ParameterVisitor& v);
};

/// Context that a transport is made in: its NIC and its network.
struct TransportContext {
  Scheduler& scheduler;
  PacketPool& pool;
  FlowLedger& ledger;
  NicCounters& counters;
  const NicParameters& nic;
  Transmitter& port;
  std::uint32_t rank = 0;  // rank of the transport's events at one instant
  PicoSeconds longest_base_rtt{};
  HostId hosts = 0;                  // number of hosts in the network
  std::uint64_t seed = 1;            // random seed of the run
  Reordering* reordering = nullptr;  // records data that arrives out of order; null: not recorded
};

struct TransportSeam {
  using Parameters = TransportParameters;
  using Product = Transport;
  using Context = TransportContext;
  static constexpr const char* kSection = "nic.transport";
  static constexpr const char* kKey = "kind";
  static constexpr const char* kDefault = "roce";
  static std::vector<std::pair<std::string, std::string>> built_in() {
    return {{"roce", "reliable connections with go-back-N, governed by nic.congestion_control"}};
  }
};
using Transports = Named<TransportSeam>;
using TransportChoice = Transports::Choice;

}  // namespace dcc
