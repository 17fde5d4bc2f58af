#include "measure/collector.h"

#include <fmt/format.h>

#include "build/ecn_reach.h"
#include "build/platform.h"
#include "measure/differentiation_warnings.h"
#include "parallel/gather.h"
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
  // Made, and not sent yet; or arrived, and kept.
  std::uint64_t at_rest = 0;
  for (const auto& host : p.hosts) {
    NicDevice& nic = host->nic().device();
    at_rest += nic.transmitter().staged() + nic.receiver().buffered();
    if (host->transport() != nullptr) at_rest += host->transport()->buffered();
  }
  Gather gather(p.partitions.group());
  for (std::uint64_t* const sum :
       {&b.packets_sent, &b.packets_delivered, &b.packets_dropped, &b.events_started,
        &b.events_expired, &b.events_cancelled, &b.events_pending, &results.link_traversals}) {
    gather.add(*sum);
  }
  gather.add(at_rest);
  gather.finish();
  b.packets_in_flight = static_cast<std::uint64_t>(p.partitions.packets_in_use()) - at_rest;
}

void collect_hosts(const Platform& p, RunResults& results) {
  for (const auto& host : p.hosts) {
    HostResult out;
    out.id = host->id();
    out.cnps_received = p.measurement->cnps_received(host->id());
    const Host::SoftwareReport software = host->software_report();
    out.instructions = software.instructions;
    out.messages_verified = software.messages_verified;
    out.payload_errors = software.payload_errors;
    out.completions_lost = software.completions_lost;
    if (!software.failure.empty()) results.failures.push_back(software.failure);
    if (host->dcc() != nullptr) {
      ControllerDevice& device = host->dcc()->device();
      out.slots_in_use_max = device.statistics().slots_in_use_max;
      out.timer_events = device.timer_counters().expired;
      out.timer_lateness_max_ticks = device.timer_lateness_max();
      out.missed_latency = device.missed_latency();
      out.cnps_lost = device.statistics().cnps_lost;
      out.inputs_dropped = device.statistics().inputs_dropped;
      if (device.parameters().enable && !device.tables().can_decrease()) {
        results.warnings.push_back(fmt::format(
            "host {}: the controller is enabled and its decrease table holds 1.0 only, as after "
            "reset: no CNP cuts a rate (write the tables before CTRL.ENABLE; the driver's "
            "dcc_configure() does)",
            host->id()));
      }
    }
    results.hosts.push_back(out);
  }
  Gather gather(p.partitions.group());  // of hosts without software
  for (HostResult& host : results.hosts) {
    gather.add(host.slots_in_use_max);
    gather.add(host.timer_events);
    gather.add(host.timer_lateness_max_ticks);
    gather.add(host.missed_latency);
    gather.add(host.cnps_lost);
    gather.add(host.inputs_dropped);
  }
}

void collect_qos(const Platform& p, RunResults& results) {
  if (p.plan.links().empty()) return;
  results.qos = p.hosts[*p.config.qos.manager]->qos_result();
  for (const PlannedFlow& link : p.plan.links()) {
    const FlowRecord& record = p.ledger[link.spec.id];
    results.qos->messages += record.packets;  // one packet each
    results.qos->bytes += record.received_bytes;
  }
}

void collect_wasted(const Platform& p, RunResults& results) {
  if (p.config.nic.transport.chosen() == nullptr) return;
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
  Gather gather(p.partitions.group());
  WastedResult::describe(
      [&](auto member, const char*, const MetricAbout&) { gather.add(wasted.*member); });
}

void collect_deadlock(const Platform& p, RunResults& results) {
  std::vector<const SwitchDevice*> devices;
  for (const auto& module : p.network.switches()) {
    devices.push_back(module != nullptr ? &module->device() : nullptr);
  }
  Waits waits = waits_of(devices);
  if (p.partitions.group() != nullptr) waits = p.partitions.group()->together(waits);
  for (const PausedWire& stuck : find_deadlock(p.topology, waits)) {
    results.deadlock.push_back(
        {p.topology.wire_name(stuck.node, stuck.port), static_cast<unsigned>(stuck.priority)});
  }
  const std::string warning = deadlock_warning(results.deadlock);
  if (!warning.empty()) results.warnings.push_back(warning);
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

std::string deadlock_warning(const std::vector<DeadlockedWire>& deadlock) {
  if (deadlock.empty()) return "";
  return fmt::format(
      "PFC deadlock: {} wires have paused each other in a circle and can never send again, {} "
      "(priority {}) among them",
      deadlock.size(), deadlock.front().link, deadlock.front().priority);
}

void collect(const Platform& p, RunResults& results) {
  p.measurement->collect(results);
  balance(p, results);
  collect_hosts(p, results);
  collect_qos(p, results);
  collect_wasted(p, results);
  for (std::string& warning : differentiation_warnings(p.config, results)) {
    results.warnings.push_back(std::move(warning));
  }
  for (std::string& warning : ecn_notes(p.config)) {
    results.warnings.push_back(std::move(warning));
  }
  collect_deadlock(p, results);
  results.dcbx = p.dcbx->result();
  const std::string disagreed = dcbx_warning(results.dcbx);
  if (!disagreed.empty()) results.warnings.push_back(disagreed);
  const std::string parted = p.link_faults->parting();
  if (!parted.empty()) results.warnings.push_back(parted);
}

}  // namespace dcc::vp
