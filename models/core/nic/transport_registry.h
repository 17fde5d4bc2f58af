// Transports by name. Each registers itself in its own file; RoCE is the NIC's own and is not one.
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
  /// Names each parameter (describe/visitor.h).
  virtual void describe(ParameterVisitor& v) = 0;
  /// Throws ParameterError when values do not go together.
  virtual void check() const {}
  /// The discipline that its switches should have unless the user says otherwise.
  virtual const char* discipline() const { return "fifo"; }
  /// RoCE's own queue pairs carry the data, and congestion control governs them: there is nothing
  /// to make but what ask_nic() says.
  virtual bool on_roce() const { return false; }
  /// Means something only where ports serve the highest priority first.
  virtual bool strict_ports() const { return false; }
  /// Works where ports pause each other, too; with their own queues (discipline fifo), that is.
  virtual bool may_be_paused() const { return false; }
  /// Works with `ack: none` too: nobody tells a sender that its message has arrived.
  virtual bool may_omit_acks() const { return false; }
  /// Throws ParameterError when there is no way to work in this network, which has passed its own
  /// check(). After check().
  virtual void check_network(const TopologyParameters&) const {}
  /// Answers must pass the ports that what they answer passed: `routing: {kind: symmetric}`, or a
  /// network with one way only.
  virtual bool answers_come_back() const { return false; }
  /// Packets say which way they go: it wants `routing: {kind: source}`.
  virtual bool chooses_ways() const { return false; }
  /// True if one agent reads from all hosts and sets how their NICs send.
  virtual bool has_agent() const { return false; }
  /// The agent; `rank` of its events among the events of one instant. Null unless has_agent().
  virtual std::unique_ptr<TransportAgent> make_agent(Scheduler&, std::uint32_t /*rank*/) const {
    return nullptr;
  }
  /// Sets what it wants of RoCE's halves.
  virtual void ask_nic(NicParameters&) const {}

  Framing framing;

 protected:
  TransportParameters() = default;
  TransportParameters(const TransportParameters&) = default;
  TransportParameters& operator=(const TransportParameters&) = default;
  void describe_framing(ParameterVisitor& v);
};

/// The NIC that a transport is for.
struct TransportContext {
  Scheduler& scheduler;
  PacketPool& pool;
  FlowLedger& ledger;
  NicCounters& counters;
  const NicParameters& nic;
  Transmitter& port;
  std::uint32_t rank = 0;  // of its events
  PicoSeconds longest_base_rtt{};
  std::uint64_t seed = 1;            // of the run
  Reordering* reordering = nullptr;  // counts there what comes late; null: nobody asks
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
