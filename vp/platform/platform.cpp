// The whole platform: built from a configuration, run to its end, balanced.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <systemc>

#include "net/deadlock.h"
#include "net/wire_size.h"
#include "observe/remarks.h"
#include "platform/console.h"
#include "platform/direct_traffic.h"
#include "platform/ecn_reach.h"
#include "platform/fault_plan.h"
#include "platform/flow_plan.h"
#include "platform/host.h"
#include "platform/measurement.h"
#include "platform/network.h"
#include "platform/packet_capture.h"
#include "platform/partitions.h"
#include "platform/qos_links.h"
#include "platform/run.h"
#include "platform/translate.h"
#include "simulation_kernel.h"
#include "traffic/traffic_expander.h"

namespace dcc::vp {

namespace {

// Ranks at equal times: links by cable, then NICs by host, then controllers (after everything that
// notifies them), then traffic, then whoever looks on.
constexpr std::uint32_t kNicRank = 0x400000;
constexpr std::uint32_t kControllerRank = 0x800000;
constexpr std::uint32_t kTrafficRank = 0xC00000;
constexpr std::uint32_t kWatchRank = 0xE00000;
constexpr std::uint32_t kMeasurementRank = 0xF00000;
constexpr std::uint32_t kTraceRank = 0xF40000;
constexpr std::uint32_t kConsoleRank = 0xF80000;

class Platform final : public sc_core::sc_module {
 public:
  Platform(const sc_core::sc_module_name& name, const PlatformConfig& config, RunObserver& observer,
           const RunSetup& setup)
      : sc_module(name),
        config_(config),
        observer_(observer),
        topology_(make_topology(config.topology)),
        routing_(topology_),
        plan_(make_plan()),
        partition_plan_(plan_partitions(config, topology_, routing_, plan_.flows(), setup.threads,
                                        config.output.trace.any() || setup.interactive)),
        partitions_(scheduler_, partition_plan_.network),
        kernel_("kernel", scheduler_, config.duration, partitions_.parallel()),
        network_("network", config, topology_, routing_, partitions_),
        ledger_(plan_.flows().size() + plan_.links().size()),
        finish_check_(Event::calling<&Platform::check_finished>(*this, kWatchRank)) {
    for (const PlannedFlow& flow : plan_.flows()) {
      ledger_[flow.spec.id].target_bytes = flow.spec.bytes;
    }
    build_hosts();
    network_.bind_switches();
    check_faults(config_, network_.topology(), plan_.flows().size());
    install_faults(config_, scheduler_, network_);
    capture_ = std::make_unique<PacketCapture>(config_, network_, plan_.flows().size(),
                                               setup.traces.folder);
    plan_.on_connected(
        [this](HostId host, Qpn qpn) { hosts_[host]->nic().device().connect_queue_pair(qpn); });
    traffic_ = std::make_unique<DirectTraffic>(
        scheduler_, plan_,
        [this](HostId host) -> NicDevice& { return hosts_[host]->nic().device(); },
        [this](HostId host) { return hosts_[host]->is_direct(); }, kTrafficRank);
    measurement_ = std::make_unique<Measurement>(config_, scheduler_, network_, hosts_, plan_,
                                                 ledger_, kMeasurementRank);
    tracing_ = std::make_unique<Tracing>(
        Tracing::Context{config_, scheduler_, network_, hosts_, plan_, kTraceRank}, setup.traces);
    if (setup.interactive) {
      console_ = std::make_unique<Console>(
          Console::Context{kernel_, hosts_, network_, plan_, kConsoleRank}, std::cin, std::cout,
          setup.prompt);
    }
    kernel_.set_heartbeat([this] { heartbeat(); });
  }
  ~Platform() override { partitions_.drop_events(); }

  RunResults run() {
    const auto begin = std::chrono::steady_clock::now();
    sc_core::sc_start(model::to_sc_time(config_.duration));
    RunResults results;
    try {
      if (kernel_.failure() != nullptr) std::rethrow_exception(kernel_.failure());
      if (!stopped_early_ && !kernel_.stopped()) scheduler_.run_until(config_.duration);
      for (auto& host : hosts_) host->finish();
    } catch (const std::exception& failure) {
      aborted_ = true;
      results.failures.push_back(failure.what());
    }
    close_traces(results);
    results.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    results.sim_time = scheduler_.now();
    if (console_ != nullptr && console_->quit()) aborted_ = true;
    results.completed = !aborted_ && (stopped_early_ || !kernel_.stopped());
    results.events = partitions_.events_run();
    results.threads = partitions_.threads();
    results.undivided = partition_plan_.undivided;
    measurement_->collect(results);
    for (const Wire& wire : network_.wires()) {
      results.link_traversals += wire.module->link().counters().packets;
    }
    balance(results);
    report_hosts(results);
    report_qos(results);
    for (std::string& remark : remarks_on_differentiation(config_, results)) {
      results.warnings.push_back(std::move(remark));
    }
    for (std::string& remark : remarks_on_ecn(config_)) {
      results.warnings.push_back(std::move(remark));
    }
    report_deadlock(results);
    return results;
  }

 private:
  void close_traces(RunResults& results) {
    try {
      tracing_->close();
    } catch (const std::runtime_error& error) {
      results.lost_traces.emplace_back(error.what());
    }
    try {
      capture_->close();
      results.traces = capture_->described();
    } catch (const std::runtime_error& error) {
      results.lost_traces.emplace_back(error.what());
    }
  }

  unsigned host_count() const { return static_cast<unsigned>(topology_.hosts()); }

  FlowPlan make_plan() const {
    const std::vector<FlowSpec> flows = expand_traffic(traffic_specs(config_), traffic_context());
    return FlowPlan(flows, qos_links(config_, flows), routing_, host_count(),
                    static_cast<std::uint32_t>(config_.nic.mtu));
  }

  TrafficContext traffic_context() const {
    TrafficContext context;
    context.hosts = host_count();
    context.seed = config_.seed;
    context.link_rate = [this](HostId host) {
      return topology_.link(topology_.node_of(host), 0).rate;
    };
    for (unsigned dscp = 0; dscp < 64; ++dscp) {
      context.priority_of_dscp[dscp] = static_cast<std::uint8_t>(config_.dscp_of(dscp).priority);
    }
    return context;
  }

  void build_hosts() {
    const std::uint32_t full =
        roce::data_wire_bytes(static_cast<std::uint32_t>(config_.nic.mtu), false, false);
    const PicoSeconds longest = routing_.longest_base_rtt(full, roce::ack_wire_bytes());
    for (HostId id = 0; id < host_count(); ++id) {
      const NodeId node = topology_.node_of(id);
      const HostContext context{config_,
                                kernel_,
                                partitions_.scheduler_of(node),
                                partitions_.pool_of(node),
                                ledger_,
                                plan_,
                                network_.host_link(id),
                                id,
                                kNicRank + id,
                                kControllerRank + id,
                                longest};
      hosts_.push_back(std::make_unique<Host>(("host" + std::to_string(id)).c_str(), context));
      network_.connect_host(id, hosts_.back()->nic().out(), hosts_.back()->nic().in());
    }
  }

  void start_of_simulation() override {
    bool all_direct = true;
    bool endless = plan_.flows().empty();
    for (auto& host : hosts_) {
      host->bring_up();
      all_direct = all_direct && host->is_direct();
    }
    for (const PlannedFlow& flow : plan_.flows()) {
      endless = endless || flow.spec.bytes == 0;
      bytes_to_send_ += flow.spec.bytes;
    }
    traffic_->begin();
    measurement_->begin();
    tracing_->begin();
    // A run of finite flows ends with the last of them; software is left to run its time, and so is
    // what is never acknowledged: that the last byte left does not say that it arrived.
    ends_with_traffic_ = all_direct && !endless && config_.nic.ack != AckKind::kNone;
    if (ends_with_traffic_) scheduler_.schedule_in(finish_check_, kFinishInterval);
    if (console_ != nullptr) console_->begin();
  }

  void check_finished() {
    if (tally().finished_flows == ledger_.size()) {
      stopped_early_ = true;
      kernel_.stop();
      return;
    }
    scheduler_.schedule_in(finish_check_, kFinishInterval);
  }

  FlowTally tally() const {
    FlowTally sum;
    for (const auto& host : hosts_) {
      const FlowTally& one = host->nic().device().transmitter().tally();
      sum.acknowledged_bytes += one.acknowledged_bytes;
      sum.finished_flows += one.finished_flows;
    }
    return sum;
  }

  double share_done() const {
    double done = static_cast<double>(scheduler_.now().count) /
                  static_cast<double>(std::max<std::int64_t>(config_.duration.count, 1));
    if (ends_with_traffic_) {
      done = std::max(done, static_cast<double>(tally().acknowledged_bytes) /
                                static_cast<double>(bytes_to_send_));
    }
    return std::min(done, 1.0);
  }

  void heartbeat() {
    partitions_.balance_pools();
    if (observer_.wants_progress()) report_progress();
    if (observer_.stop_requested()) {
      aborted_ = stopped_early_ = true;
      kernel_.stop();
    }
  }

  void report_progress() {
    Progress progress;
    progress.now = scheduler_.now();
    progress.duration = config_.duration;
    progress.done = share_done();
    for (const Wire& wire : network_.wires()) {
      progress.link_traversals += wire.module->link().counters().packets;
    }
    for (const auto& module : network_.switches()) {
      if (module != nullptr) progress.drops += module->device().totals().dropped;
    }
    for (const auto& host : hosts_) progress.cnps += host->nic().device().counters().cnps_sent;
    observer_.on_progress(progress);
  }

  /// Every packet made is somewhere, every timer event came to something.
  void balance(RunResults& results) const {
    Balance& b = results.balance;
    for (const auto& host : hosts_) {
      const NicCounters& nic = host->nic().device().counters();
      b.packets_sent += nic.packets_sent;
      b.packets_delivered += nic.packets_received;
    }
    for (const auto& module : network_.switches()) {
      if (module == nullptr) continue;
      const SwitchDevice& device = module->device();
      const SwitchCounters totals = device.totals();
      const PfcCounters pfc = device.pfc_totals();
      b.packets_sent += pfc.frames_sent + totals.cnms_sent;
      b.packets_delivered += pfc.frames_received;
      b.packets_dropped += totals.dropped + totals.unroutable;
    }
    for (const Wire& wire : network_.wires()) {
      b.packets_dropped += wire.module->link().counters().lost;
    }
    b.packets_in_flight = static_cast<std::uint64_t>(partitions_.packets_in_use());
    // Made, and not sent yet.
    for (const auto& host : hosts_)
      b.packets_in_flight -= host->nic().device().transmitter().staged();
  }

  /// Wires that flow control has stopped for ever: a fact about the network, not a failed run.
  void report_deadlock(RunResults& results) const {
    std::vector<const SwitchDevice*> devices;
    for (const auto& module : network_.switches()) {
      devices.push_back(module != nullptr ? &module->device() : nullptr);
    }
    for (const PausedWire& stuck : find_deadlock(network_.topology(), devices)) {
      results.deadlock.push_back({network_.topology().wire_name(stuck.node, stuck.port),
                                  static_cast<unsigned>(stuck.priority)});
    }
    if (results.deadlock.empty()) return;
    results.warnings.push_back(fmt::format(
        "PFC deadlock: {} wires have paused each other in a circle and can never send again, {} "
        "(priority {}) among them",
        results.deadlock.size(), results.deadlock.front().link, results.deadlock.front().priority));
  }

  void report_hosts(RunResults& results) const {
    for (const auto& host : hosts_) {
      HostResult out;
      out.id = host->id();
      out.cnps_received = measurement_->cnps_received(host->id());
      const Host::SoftwareReport software = host->software_report();
      out.instructions = software.instructions;
      out.messages_verified = software.messages_verified;
      out.payload_errors = software.payload_errors;
      out.completions_lost = software.completions_lost;
      if (!software.failure.empty()) results.failures.push_back(software.failure);
      if (host->dcc() != nullptr) {
        ControllerDevice& device = host->dcc()->device();
        const TimerCounters& timers = device.timer_counters();
        out.slots_in_use_max = device.statistics().slots_in_use_max;
        out.timer_events = timers.expired;
        out.timer_lateness_max_ticks = device.timer_lateness_max();
        out.missed_latency = device.missed_latency();
        results.balance.events_started += timers.started;
        results.balance.events_expired += timers.expired;
        results.balance.events_cancelled += timers.cancelled;
        results.balance.events_pending += timers.pending();
      }
      results.hosts.push_back(out);
    }
  }

  void report_qos(RunResults& results) const {
    if (plan_.links().empty()) return;
    results.qos = hosts_[*config_.qos.manager]->qos_result();
    for (const PlannedFlow& link : plan_.links()) {
      const FlowRecord& record = ledger_[link.spec.id];
      results.qos->messages += record.packets;  // one packet each
      results.qos->bytes += record.received_bytes;
    }
  }

  static constexpr PicoSeconds kFinishInterval = kMicroSecond * 10;

  const PlatformConfig& config_;
  RunObserver& observer_;
  Scheduler scheduler_;
  Topology topology_;
  Routing routing_;
  FlowPlan plan_;
  PartitionPlan partition_plan_;
  Partitions partitions_;
  model::SimulationKernel kernel_;
  Network network_;
  FlowLedger ledger_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::unique_ptr<DirectTraffic> traffic_;
  std::unique_ptr<Measurement> measurement_;
  std::unique_ptr<PacketCapture> capture_;
  std::unique_ptr<Tracing> tracing_;
  std::unique_ptr<Console> console_;
  Event finish_check_;
  bool ends_with_traffic_ = false;
  Bytes bytes_to_send_ = 0;  // by all flows
  bool stopped_early_ = false;
  bool aborted_ = false;
};

}  // namespace

RunResults run_platform(const PlatformConfig& config, RunObserver& observer,
                        const RunSetup& setup) {
  Platform platform("platform", config, observer, setup);
  return platform.run();
}

}  // namespace dcc::vp
