#include "measure/collector.h"

#include <algorithm>
#include <type_traits>

#include "build/platform.h"
#include "measure/measurement.h"
#include "parallel/all_reduce.h"
#include "switch/deadlock.h"

namespace dcc::vp {
namespace {

void balance(const Platform& p, RunResults& results) {
  Balance& b = results.balance;
  for (const auto& host : p.hosts) {
    add_to(b, host->nic().device().counters());
    if (host->dcc() != nullptr) add_to(b, host->dcc()->device().timer_counters());
  }
  for (const auto& module : p.network.switches()) {
    if (module != nullptr) add_to(b, module->device().totals(), module->device().pfc_totals());
  }
  for (const Wire& wire : p.network.wires()) {
    const LinkCounters link = wire.link().counters();
    add_to(b, link);
    results.link_traversals += link.packets;
  }
  // Number of packets that were made and not sent, or that arrived and are still stored.
  std::uint64_t at_rest = 0;
  for (const auto& host : p.hosts) {
    NicDevice& nic = host->nic().device();
    at_rest += nic.transmitter().staged() + nic.receiver().buffered();
    if (host->transport() != nullptr) at_rest += host->transport()->buffered();
  }
  AllReduce reduce(p.partitions.group());
  Balance::describe([&](auto sum, const char*, const MetricAbout&) { reduce.add(b.*sum); });
  reduce.add(results.link_traversals);
  reduce.add(at_rest);
  reduce.finish();
  b.packets_in_flight = static_cast<std::uint64_t>(p.partitions.packets_in_use()) - at_rest;
}

void collect_hosts(const Platform& p, RunResults& results) {
  const Measurement& measurement = *p.part<Measurement>();
  for (const auto& host : p.hosts) {
    HostResult out;
    out.id = p.topology.host_ports().host_of(host->id());
    out.name = p.topology.node(p.topology.node_of(host->id())).name;
    out.cnps_received = measurement.cnps_received(host->id());
    const Host::SoftwareReport software = host->software_report();
    out.instructions = software.instructions;
    for (const std::uint64_t instructions : software.instructions_of_harts) {
      const bool same = !results.harts.empty() && results.harts.back().host == out.id;
      results.harts.push_back({out.id, same ? results.harts.back().hart + 1 : 0, instructions});
    }
    out.messages_verified = software.messages_verified;
    out.payload_errors = software.payload_errors;
    out.completions_lost = software.completions_lost;
    NicHostInterface* const rings = host->nic().host();
    if (rings != nullptr && rings->receive_buffer() != nullptr) {
      out.receive_backlog_max_bytes = static_cast<std::uint64_t>(rings->receive_buffer()->most());
    }
    out.busy_ns = software.busy_ns;
    if (!software.failure.empty()) results.failures.push_back(software.failure);
    if (host->dcc() != nullptr) {
      ControllerEngine& device = host->dcc()->device();
      out.slots_in_use_max = device.statistics().slots_in_use_max;
      out.timer_events = device.timer_counters().expired;
      out.timer_lateness_max_ticks = device.timer_lateness_max();
      out.missed_latency = device.missed_latency();
      out.cnps_lost = device.statistics().cnps_lost;
      out.inputs_dropped = device.statistics().inputs_dropped + device.bytes_dropped_at_port();
      out.tables_unwritten = device.parameters().enable && !device.tables().can_decrease() ? 1 : 0;
    }
    results.hosts.push_back(out);
  }
  // Each host works in one process and counts nothing in other processes, so a sum over processes
  // is right for maxima, too.
  AllReduce reduce(p.partitions.group());
  for (HartResult& hart : results.harts) reduce.add(hart.instructions);
  for (HostResult& host : results.hosts) {
    HostResult::describe([&](auto figure, const char*, const MetricAbout& about) {
      if constexpr (std::is_same_v<decltype(figure), std::uint64_t HostResult::*>) {
        if (about.statistic != Statistic::kValue) reduce.add(host.*figure);
      }
    });
  }
}

void collect_qos(const Platform& p, RunResults& results) {
  if (p.plan.links().empty()) return;
  results.qos = p.hosts[*p.config.qos.manager]->qos_result();
  for (const PlannedFlow& link : p.plan.links()) {
    const FlowRecord& record = p.ledger[link.spec.id];
    results.qos->messages += record.packets;  // each message of the closed loop is one packet
    results.qos->bytes += record.received_bytes;
  }
}

void collect_wasted(const Platform& p, RunResults& results) {
  const auto transports = p.config.transports();
  if (std::none_of(transports.begin(), transports.end(),
                   [](const TransportChoice* one) { return one->chosen() != nullptr; })) {
    return;
  }
  WastedResult& wasted = results.wasted.emplace();
  for (const auto& module : p.network.switches()) {
    if (module == nullptr) continue;
    const SwitchCounters totals = module->device().totals();
    wasted.trimmed += totals.trimmed;
    wasted.returned += totals.returned;
    wasted.dropped += totals.dropped + totals.unroutable;
    wasted.credits_dropped += totals.credits_dropped;
  }
  for (const auto& host : p.hosts) {
    wasted.retransmitted += host->nic().device().counters().retransmits;
    if (host->transport() == nullptr) continue;
    const TransportCounters counters = host->transport()->counters();
    wasted.credits_sent += counters.credits_sent;
    wasted.credits_unused += counters.credits_unused;
    wasted.credits_dropped += counters.credits_dropped;
  }
  AllReduce reduce(p.partitions.group());
  WastedResult::describe(
      [&](auto member, const char*, const MetricAbout&) { reduce.add(wasted.*member); });
}

void collect_deadlock(const Platform& p, RunResults& results) {
  std::vector<const SwitchDevice*> devices;
  for (const auto& module : p.network.switches()) {
    devices.push_back(module != nullptr ? &module->device() : nullptr);
  }
  Waits waits = waits_of(devices);
  if (p.partitions.group() != nullptr) waits = p.partitions.group()->all_gather(waits);
  for (const PausedWire& stuck : find_deadlock(p.topology, waits)) {
    results.deadlock.push_back(
        {p.topology.wire_name(stuck.node, stuck.port), static_cast<unsigned>(stuck.priority)});
  }
}

}  // namespace

void add_to(Balance& balance, const NicCounters& nic) {
  balance.packets_sent += nic.packets_sent;
  balance.packets_delivered += nic.packets_received;
}

void add_to(Balance& balance, const SwitchCounters& totals, const PfcCounters& pfc) {
  balance.packets_sent += pfc.frames_sent + totals.cnms_sent + totals.path_news_sent;
  balance.packets_delivered += pfc.frames_received + totals.path_news_taken;
  balance.packets_dropped += totals.dropped + totals.credits_dropped + totals.unroutable;
}

void add_to(Balance& balance, const LinkCounters& link) { balance.packets_dropped += link.lost; }

void add_to(Balance& balance, const TimerCounters& timers) {
  balance.events_started += timers.started;
  balance.events_expired += timers.expired;
  balance.events_cancelled += timers.cancelled;
  balance.events_pending += timers.pending();
}

namespace {

/// Adds the counts of all devices over the whole run to the results.
class Collector final : public PlatformPart {
 public:
  explicit Collector(const Platform& platform) : p_(platform) {}
  void finish(RunResults& results) override {
    balance(p_, results);
    collect_hosts(p_, results);
    collect_qos(p_, results);
    collect_wasted(p_, results);
    collect_deadlock(p_, results);
  }

 private:
  const Platform& p_;
};

const PartKind kCollectorKind(PartKind::kCollector,
                              [](Platform& p) { return std::make_unique<Collector>(p); });

}  // namespace

}  // namespace dcc::vp
