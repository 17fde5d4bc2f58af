#include "config/checks.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "app/qos_manager.h"
#include "cc/dcc.h"
#include "config/enum_names.h"
#include "config/rtl_shape.h"
#include "describe/quantity_text.h"
#include "net/topology.h"
#include "net/wire_size.h"
#include "registers/generated/dcc_map.h"
#include "report/metrics_reference.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

constexpr Bytes kMostHeaders = roce::kFrame + roce::kReth;
constexpr std::int64_t kMostSamples = 10'000'000;
/// Sizes in which the whole block is verilated, from the build.
constexpr std::array kRtlBlockSlots{DCC_RTL_SLOTS};

std::string as_list(const std::array<unsigned, 3>& split) {
  return "[" + std::to_string(split[0]) + ", " + std::to_string(split[1]) + ", " +
         std::to_string(split[2]) + "]";
}

class Checker {
 public:
  explicit Checker(const LoadedConfig& loaded)
      : loaded_(loaded), c_(loaded.config), places_(loaded.places) {}

  void run() const {
    check_time();
    check_together("topology", [&] { c_.topology.check(); });
    check_switch();
    check_congestion_control();
    check_transport();
    check_controller();
    check_classes();
    check_qos();
    check_hosts();
    check_payload();
    check_captures();
    std::uint64_t flows = 0;
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      check_together("traffic." + std::to_string(i),
                     [&] { flows += c_.traffic[i].check(c_.topology.host_count()); });
      require(c_.traffic[i].service != Service::kUd ||
                  c_.traffic[i].message <= static_cast<Bytes>(c_.nic.mtu),
              "traffic." + std::to_string(i) + ".message",
              "a datagram is one packet: at most nic.mtu (" + std::to_string(c_.nic.mtu) + "B)");
    }
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      if (c_.traffic[i].fan_out.empty()) continue;
      require_platform_drives("traffic." + std::to_string(i) + ".fan_out",
                              "the platform asks and answers: driver: none");
    }
    require(flows <= kMostFlows, "traffic", "more than " + std::to_string(kMostFlows) + " flows");
    for (std::size_t i = 0; i < c_.faults.size(); ++i) {
      check_together("faults." + std::to_string(i), [&] { c_.faults[i].check(); });
    }
    check_dcbx();
    check_trace();
    check_times_of_changes();
    for (std::size_t i = 0; i < c_.expect.size(); ++i) check_expectation(i);
  }

 private:
  void check_time() const {
    require(c_.measure_end() <= c_.duration, "measure.to",
            "ends after the run (duration " + text_of(c_.duration) + ")");
    require(c_.measure.from < c_.measure_end(), "measure.from",
            "the window begins at " + text_of(c_.measure.from) + ", not before its end " +
                text_of(c_.measure_end()));
    require(c_.duration / c_.output.series.interval <= kMostSamples, "output.series.interval",
            "more than 10000000 samples in " + text_of(c_.duration));
    const DigestConfig& digest = c_.output.digest;
    if (!digest.every) return;
    const PicoSeconds end = digest.to ? std::min(*digest.to, c_.duration) : c_.duration;
    require(digest.from <= end, "output.digest.from",
            "begins at " + text_of(digest.from) + ", after its end " + text_of(end));
    require((end - digest.from) / *digest.every <= kMostSamples, "output.digest.every",
            "more than 10000000 rows in " + text_of(end - digest.from));
  }

  void check_switch() const {
    const SwitchParameters& s = c_.switch_;
    // Of a disabled section, too: it may be enabled from the command line.
    check_together("switch.ecn", [&] { s.ecn.check(c_.topology.fastest_link()); });
    check_together("switch.scheduler", [&] { s.scheduler.check(); });
    require(s.routing.kind != RoutingParameters::Kind::kDetail ||
                s.routing.detail.favoured_below <= s.routing.detail.avoided_from,
            given("routing.avoided_from", "routing.favoured_below"),
            "avoided_from is below favoured_below");
    require(s.buffer >= 4 * (c_.nic.mtu + kMostHeaders), given("switch.buffer", "nic.mtu"),
            "a buffer of " + text_of(s.buffer) + " does not hold four packets of mtu " +
                text_of(Bytes{c_.nic.mtu}));
    if (s.has_credits()) check_credits();
  }

  void check_dcbx() const {
    for (std::size_t i = 0; i < c_.dcbx.ends.size(); ++i) {
      const std::string path = "dcbx.ends." + std::to_string(i);
      check_together(path, [&] { c_.dcbx.ends[i].check(); });
      require(c_.nic.transport.chosen() == nullptr || c_.dcbx.ends[i].pfc.value_or(0) == 0,
              given(path + ".pfc", "nic.transport.kind"),
              "transport " + c_.nic.transport.name() +
                  " is made for networks without flow control: its switches pause nothing");
    }
    require(!c_.dcbx.enabled || !c_.switch_.has_credits(),
            given("dcbx.enabled", "switch.flow_control"),
            "InfiniBand has no DCBX: flow_control: pfc");
  }

  void check_credits() const {
    const SwitchParameters& s = c_.switch_;
    const Bytes largest = c_.nic.mtu + kMostHeaders + kCreditBlock;
    require(!s.credits.buffer || *s.credits.buffer >= 2 * largest,
            given("switch.credits.buffer", "nic.mtu"),
            "a buffer that does not hold two packets of mtu " + text_of(Bytes{c_.nic.mtu}) +
                " keeps a link from sending");
    require(s.discipline.name() == "auto" || s.discipline.name() == "fifo",
            given("switch.discipline.kind", "switch.flow_control"),
            "flow_control: credits goes with discipline: {kind: fifo} alone");
    for (std::size_t i = 0; i < c_.faults.size(); ++i) {
      require(
          c_.faults[i].kind != FaultKind::kLinkFailure && c_.faults[i].kind != FaultKind::kLinkFlap,
          "faults." + std::to_string(i) + ".kind",
          "flow_control: credits agrees on them when a link comes up, before the run: links "
          "may lose packets, or be slow, but not fail");
    }
  }

  void check_congestion_control() const {
    const NicConfig& nic = c_.nic;
    const AlgorithmChoice& choice = nic.congestion_control;
    const std::string& name = choice.name();
    if (choice.chosen() != nullptr) {
      check_together("nic.congestion_control",
                     [&] { choice.chosen()->check(nic.mtu + kMostHeaders); });
    }
    const AlgorithmNeeds needs = choice.needs(nic.mtu);
    const std::string ack = given("nic.ack", "nic.congestion_control.algorithm");
    require(!needs.ack_each || nic.ack == AckMode::kPerPacket, ack,
            name + " needs ack: per_packet, not " + name_of(nic.ack));
    require(!needs.acks || nic.ack != AckMode::kNone, ack, name + " needs ACKs");
    require(!needs.telemetry || nic.telemetry != TelemetryKind::kOff,
            given("nic.telemetry", "nic.congestion_control.algorithm"),
            name + " needs in-band telemetry");
    require(needs.telemetry || nic.telemetry != TelemetryKind::kOn, "nic.telemetry",
            name + " reads no in-band telemetry, so that `on` would change nothing; write auto");
    const auto* const dcc = choice.chosen<DccParameters>();
    require(dcc == nullptr || dcc->policy != DccParameters::Policy::kProportional ||
                nic.cnp.carry_marks,
            "nic.cnp.carry_marks", "policy: proportional needs CNPs that carry marks");
    if (dcc != nullptr && dcc->policy == DccParameters::Policy::kProportionalInt) {
      for (const auto& [id, entry] : c_.dscp) {
        require(!entry.min_rate && !entry.max_rate, "dscp." + std::to_string(id),
                "policy: proportional_int knows weights, but neither min_rate nor max_rate");
      }
    }
  }

  /// Other transports than RoCE are models of a NIC that the platform itself drives.
  void check_transport() const {
    const NicConfig& nic = c_.nic;
    const TransportParameters* const transport = nic.transport.chosen();
    const std::string kind = "nic.transport.kind";
    const std::string& name = nic.transport.name();
    const std::string& discipline = c_.switch_.discipline.name();
    require(discipline == "auto" || discipline == "fifo" ||
                (transport != nullptr && discipline == transport->discipline()),
            given("switch.discipline.kind", kind),
            "transport " + name + " is not made for ports of discipline " + discipline);
    const std::string kept_by =
        discipline == "auto" && transport != nullptr ? transport->discipline() : discipline;
    require(c_.switch_.routing.kind != RoutingParameters::Kind::kConweave || kept_by == "auto" ||
                kept_by == "fifo",
            given("routing.kind", kind),
            "conweave holds packets in the switch's buffer, which ports of discipline " + kept_by +
                " do not charge: discipline: {kind: fifo}, or another routing");
    const DisciplineParameters* const ports = c_.switch_.discipline.chosen();
    if (ports != nullptr) check_together("switch.discipline", [&] { ports->check(); });
    if (transport == nullptr) return;
    check_together("nic.transport", [&] { transport->check(); });
    require(
        !c_.switch_.pauses() || transport->may_be_paused(), given("switch.pfc.enabled", kind),
        "transport " + name + " is made for networks without flow control: pfc: {enabled: false}");
    require(!c_.switch_.pauses() || discipline == "fifo" ||
                (discipline == "auto" && std::string("fifo") == transport->discipline()),
            given("switch.pfc.enabled", kind),
            "ports of discipline " + (discipline == "auto" ? transport->discipline() : discipline) +
                " pause nobody: pfc: {enabled: false}, or discipline: {kind: fifo}");
    require(!transport->strict_ports() ||
                c_.switch_.scheduler.kind == EgressSchedulerParameters::Kind::kStrict,
            given("switch.scheduler.kind", kind),
            "transport " + name +
                " needs ports that serve the highest priority first: scheduler: "
                "{kind: strict}");
    require(
        !transport->chooses_ways() || c_.switch_.routing.kind == RoutingParameters::Kind::kSource,
        given("routing.kind", kind),
        "transport " + name +
            " chooses ways for racks of hosts, which only `routing: {kind: source}` follows");
    check_together("nic.transport", [&] { transport->check_network(c_.topology); });
    require(!transport->answers_come_back() ||
                c_.switch_.routing.kind == RoutingParameters::Kind::kSymmetric || has_one_way(),
            given("routing.kind", kind),
            "transport " + name +
                " needs answers to come back by the way of the data: `routing: {kind: symmetric}`, "
                "or a network with one way only");
    if (transport->on_roce()) return;
    require(!c_.switch_.has_credits(), given("switch.flow_control", kind),
            "transport " + name + " is made for networks without flow control: flow_control: pfc");
    require(nic.congestion_control.chosen() == nullptr,
            given("nic.congestion_control.algorithm", kind),
            "transport " + name + " governs its flows itself: algorithm: none");
    require(nic.payload == NicParameters::Payload::kVirtual, given("nic.payload", kind),
            "transport " + name + " carries no bytes: payload: virtual");
    const bool omits = transport->may_omit_acks();
    require(nic.ack == AckMode::kPerPacket || (omits && nic.ack == AckMode::kNone),
            given("nic.ack", kind),
            "transport " + name + " acknowledges in its own way: ack: per_packet" +
                (omits ? ", or not at all: none" : ""));
    require(!c_.output.delays, given("output.delays", kind),
            "transport " + name + " does not tell delays by class: delays: false");
    require_platform_drives(given("host.driver", kind),
                            "transport " + name + " is driven by the platform: driver: none");
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      const std::string path = "traffic." + std::to_string(i);
      require(!c_.traffic[i].rate && !c_.traffic[i].initial_rate, path,
              "transport " + name + " has no rates: neither rate nor initial_rate");
      require(c_.traffic[i].operation == Operation::kWrite && c_.traffic[i].service == Service::kRc,
              path, "transport " + name + " carries messages, not RDMA's operations and services");
    }
  }

  /// From each host to each other.
  bool has_one_way() const {
    const Topology network = Topology::of(c_.topology);
    return network.cables().size() + 1 == network.nodes().size();
  }

  /// No host has software.
  void require_platform_drives(const std::string& path, const std::string& sentence) const {
    require(c_.host.driver == DriverKind::kNone || c_.hosts.size() == c_.topology.host_count(),
            path, sentence);
    for (const auto& [id, host] : c_.hosts) {
      require(host.driver == DriverKind::kNone, "hosts." + std::to_string(id) + ".driver",
              sentence);
    }
  }

  /// A module's own check; what it blames lies in `section`: a key, or the section as a whole.
  template <class Check>
  void check_together(const std::string& section, Check check) const {
    try {
      check();
    } catch (const ParameterError& error) {
      const auto path = [&](const std::string& key) {
        return key.empty() ? section : section + "." + key;
      };
      std::string blamed = path(error.keys().front());
      for (const std::string& key : error.keys()) {
        if (places_.count(path(key)) == 0) continue;
        blamed = path(key);
        break;
      }
      fail(blamed, error.what());
    }
  }

  void check_controller() const {
    const ControllerConfig& k = c_.nic.controller;
    const auto* const dcc = c_.nic.congestion_control.chosen<DccParameters>();
    check_together("nic.controller", [&] { k.check(); });
    const auto check_rtl = [&](Implementation what, const std::string& key) {
      if (what == Implementation::kModel) return;
      const std::string path = "nic.controller." + key;
      const std::string said = key + ": " + name_of(what);
      require(dcc != nullptr, path, said + " without the controller (algorithm: dcc)");
      require(dcc->policy != DccParameters::Policy::kProportionalInt, path,
              said + " has no part in policy: proportional_int, whose rates come of telemetry");
      require(k.slots <= kRtlSlots, given("nic.controller.slots", path),
              said + " was built for " + std::to_string(kRtlSlots) + " slots, not " +
                  std::to_string(k.slots));
      require(k.split == kRtlSplit, given("nic.controller.split", path),
              said + " was built for the split " + as_list(kRtlSplit));
    };
    check_rtl(k.timer, "timer");
    check_rtl(k.rate_lut, "rate_lut");
    if (k.engine != Implementation::kModel) {
      check_engine(k, dcc != nullptr && dcc->policy != DccParameters::Policy::kProportionalInt);
    }
    if (dcc == nullptr) return;
    const DccParameters& d = *dcc;
    check_ticks(d.alpha_timer, "alpha_timer", 1, kMaxAlphaInterval);
    namespace map = regs::dcc_map;
    check_ticks(d.increase_timer, "increase_timer", map::kTimerIntervalValueMin,
                map::kTimerIntervalValueMax);
    check_ticks(d.decrease_period, "decrease_period", map::kDecreasePeriodValueMin,
                map::kDecreasePeriodValueMax);
    require(k.clock.cycles(k.latency_cycles) <= kMilliSecond, "nic.controller.latency",
            "an answer would take longer than 1ms");
    check_pace(k, d);
  }

  /// What the controller's hardware can keep: docs/controller-contract.md has the reasons.
  void check_pace(const ControllerConfig& k, const DccParameters& d) const {
    namespace map = regs::dcc_map;
    const PicoSeconds cycle = k.clock.cycles(1);
    const auto cycles = [&](PicoSeconds time) {
      return text_of(time) + " is " + std::to_string(time / cycle) + " cycles of " +
             text_of(k.clock);
    };
    const std::string tick = given("nic.controller.tick", "nic.controller.clock");
    const std::int64_t least_tick =
        std::max<std::int64_t>(map::kTickDivValueMin, k.slots / timing::kSlotsOfATickCycle);
    require(k.tick / cycle >= least_tick, tick,
            cycles(k.tick) + "; a tick takes at least " + std::to_string(least_tick) + " with " +
                std::to_string(k.slots) + " slots");
    require(k.tick / cycle <= map::kTickDivValueMax, tick,
            cycles(k.tick) + "; a tick takes at most " + std::to_string(map::kTickDivValueMax));
    require(d.increase_timer / cycle >= timing::least_interval(1), cc("increase_timer", "preset"),
            cycles(d.increase_timer) + "; a slot's timer event comes at most every " +
                std::to_string(timing::least_interval(1)));
    constexpr Uint128 kPerByte = 8'000'000'000'000;  // bits, in each of a second's picoseconds
    const Uint128 sent = Uint128(c_.topology.fastest_link().bits_per_second) *
                         static_cast<std::uint64_t>(k.clock.cycles(timing::kSameFlow).count);
    const auto least_bytes = static_cast<Bytes>(sent / kPerByte);
    require(d.byte_counter == 0 || d.byte_counter >= least_bytes, cc("byte_counter", "preset"),
            text_of(d.byte_counter) + " are sent in less than the " +
                std::to_string(timing::kSameFlow) +
                " cycles between two events of a flow, in which a link of " +
                text_of(c_.topology.fastest_link()) + " carries " + text_of(least_bytes));
  }

  /// The whole block as RTL, alone or in lock-step.
  void check_engine(const ControllerConfig& k, bool dcc) const {
    const std::string path = "nic.controller.engine";
    const std::string said = std::string("engine: ") + name_of(k.engine);
    require(dcc, path, said + " without the controller (algorithm: dcc)");
    for (const auto& [part, key] :
         {std::pair{k.timer, "timer"}, std::pair{k.rate_lut, "rate_lut"}}) {
      require(part == Implementation::kModel, std::string("nic.controller.") + key,
              said + " is the whole block: " + key + " cannot be " + name_of(part) + " besides");
    }
    std::string sizes;
    for (const std::uint32_t slots : kRtlBlockSlots) {
      sizes += (sizes.empty() ? "" : " or ") + std::to_string(slots);
    }
    const bool built =
        std::find(kRtlBlockSlots.begin(), kRtlBlockSlots.end(), k.slots) != kRtlBlockSlots.end();
    require(built, given("nic.controller.slots", path),
            said + " was built for " + sizes + " slots, not " + std::to_string(k.slots));
    require(k.split == kRtlSplit, given("nic.controller.split", path),
            said + " was built for the split " + as_list(kRtlSplit));
    require(k.latency_cycles == kRtlLatency, given("nic.controller.latency", path),
            said + " was built for a latency of " + std::to_string(kRtlLatency) + " cycles, not " +
                std::to_string(k.latency_cycles));
    const TraceConfig& trace = c_.output.trace;
    require(k.engine == Implementation::kLockstep || (!trace.perfetto && !trace.signals),
            given(trace.signals ? "output.trace.signals" : "output.trace.perfetto", path),
            said +
                " does not tell when its slots change, which this trace shows; engine: "
                "lockstep has the model beside it");
#ifndef DCC_HAVE_CONTROLLER_RTL
    fail(path, said + ": this build has no RTL (configure with -DDCCVP_RTL=ON)");
#endif
  }

  void check_ticks(PicoSeconds time, const char* key, std::int64_t least, std::int64_t most) const {
    const PicoSeconds tick = c_.nic.controller.tick;
    const std::int64_t ticks = (time + PicoSeconds(tick.count / 2)) / tick;
    require(least <= ticks && ticks <= most, cc(key, "preset"),
            text_of(time) + " is " + std::to_string(ticks) + " ticks of " + text_of(tick) +
                "; the controller counts " + std::to_string(least) + " to " + std::to_string(most));
  }

  void check_classes() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < c_.tenants.size(); ++i) {
      const std::string path = "tenants." + std::to_string(i);
      const std::string& name = c_.tenants[i].name;
      require(!name.empty(), path, "a tenant without a name");
      require(std::count(names.begin(), names.end(), name) == 0, path + ".name",
              "the name " + in_quotes(name) + " is taken");
      names.push_back(name);
    }
    for (const auto& [dscp, entry] : c_.dscp) {
      const std::string path = "dscp." + std::to_string(dscp);
      require(entry.tenant.empty() ||
                  std::find(names.begin(), names.end(), entry.tenant) != names.end(),
              path + ".tenant", "no tenant " + in_quotes(entry.tenant) + hint(entry.tenant, names));
      require(!entry.min_rate || !entry.max_rate || !(*entry.max_rate < *entry.min_rate),
              path + ".min_rate", "min_rate is above max_rate");
    }
  }

  /// A tenant is a DSCP to the closed loop, its messages are real, and software carries them.
  void check_qos() const {
    if (!c_.qos.manager) return;
    const auto* const dcc = c_.nic.congestion_control.chosen<DccParameters>();
    require_host(*c_.qos.manager, "qos.manager");
    require(c_.topology.host_count() <= unsigned{QOS_METERS_MAX}, "qos.manager",
            "a manager serves at most " + std::to_string(QOS_METERS_MAX) +
                " hosts, the topology has " + std::to_string(c_.topology.host_count()));
    const bool proportional = dcc != nullptr && dcc->policy == DccParameters::Policy::kProportional;
    require(proportional || c_.nic.congestion_control.name() == "ibcc", "qos.manager",
            "the closed loop needs algorithm: dcc with policy: proportional, or ibcc");
    require(c_.nic.payload == NicParameters::Payload::kReal, given("nic.payload", "qos.manager"),
            "the closed loop's messages are data: it needs payload: real");
    require(c_.nic.ack != AckMode::kNone, given("nic.ack", "qos.manager"),
            "the closed loop needs ACKs");
    require(c_.host.driver != DriverKind::kNone || c_.hosts.size() == c_.topology.host_count(),
            given("host.driver", "qos.manager"), "the closed loop needs a driver on every host");
    for (const auto& [id, host] : c_.hosts) {
      require(host.driver != DriverKind::kNone, "hosts." + std::to_string(id) + ".driver",
              "the closed loop needs a driver on every host");
    }
    const PicoSeconds report = c_.qos.report_interval;
    const PicoSeconds update = c_.qos.update_interval;
    require(report <= update && update.count % report.count == 0,
            given("qos.update_interval", "qos.report_interval"),
            text_of(update) + " is not a multiple of report_interval " + text_of(report));
    require(!c_.tenants.empty(), "qos.manager", "there are no `tenants` to hold at their weights");
    require(c_.tenants.size() <= std::size_t{QOS_TENANTS_MAX}, "tenants",
            "the manager knows at most " + std::to_string(QOS_TENANTS_MAX) + " tenants, not " +
                std::to_string(c_.tenants.size()));
    for (std::size_t i = 0; i < c_.tenants.size(); ++i) {
      std::string dscps;
      unsigned count = 0;
      for (const auto& [dscp, entry] : c_.dscp) {
        if (entry.tenant != c_.tenants[i].name) continue;
        dscps += (count++ == 0 ? "" : ", ") + std::to_string(dscp);
      }
      require(count == 1, "tenants." + std::to_string(i),
              "to the closed loop a tenant is one DSCP; " + in_quotes(c_.tenants[i].name) +
                  (count == 0 ? " has none" : " has " + dscps));
    }
  }

  void check_hosts() const {
    const unsigned count = c_.topology.host_count();
    check_host(c_.host, "host");
    std::set<unsigned> ports;
    for (const auto& [id, host] : c_.hosts) {
      const std::string path = "hosts." + std::to_string(id);
      require(id < count, path, no_host(id));
      check_host(host, path);
      require(!host.gdb || ports.insert(*host.gdb).second, path + ".gdb",
              "two hosts with the same debugger port");
    }
    require(!c_.host.gdb || count - c_.hosts.size() <= 1, "host.gdb",
            "one port for " + std::to_string(count) + " hosts; give it to one under `hosts`");
  }

  /// Bytes that are carried lie in memory, which a host has for its software.
  void check_payload() const {
    if (c_.nic.payload != NicParameters::Payload::kReal) return;
    const std::string wanting = "no memory for payload: real without a driver (payload: virtual)";
    require(c_.host.driver != DriverKind::kNone || c_.hosts.size() == c_.topology.host_count(),
            given("host.driver", "nic.payload"), wanting);
    for (const auto& [id, host] : c_.hosts) {
      require(host.driver != DriverKind::kNone, "hosts." + std::to_string(id) + ".driver", wanting);
    }
  }

  void check_captures() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < c_.output.trace.packets.size(); ++i) {
      const PacketTraceConfig& p = c_.output.trace.packets[i];
      const std::string path = "output.trace.packets." + std::to_string(i);
      const bool plain = !p.name.empty() && p.name[0] != '.' &&
                         p.name.find_first_not_of(
                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                             "WXYZ0123456789_-.") == std::string::npos;
      require(plain, path + ".name",
              in_quotes(p.name) + " is no plain file name (letters, digits, '_', '-', '.')");
      require(names.insert(p.name).second, path + ".name",
              "a second capture named " + in_quotes(p.name));
      require(p.from < p.to.value_or(c_.duration), path + ".from",
              "the capture begins at " + text_of(p.from) + ", not before its end " +
                  text_of(p.to.value_or(c_.duration)));
    }
  }

  void check_host(const HostConfig& host, const std::string& path) const {
    require(host.driver != DriverKind::kFirmware || !host.elf.empty(), path + ".driver",
            "driver: firmware needs an elf");
  }

  std::string no_host(HostId id) const {
    return "there is no host " + std::to_string(id) + ": the topology has 0 to " +
           std::to_string(c_.topology.host_count() - 1);
  }

  void require_host(HostId id, const std::string& path) const {
    require(id < c_.topology.host_count(), path, no_host(id));
  }
  void require_hosts(const HostList& list, const std::string& path) const {
    for (const HostId id : list) require_host(id, path);
  }

  void check_trace() const {
    const TraceConfig& t = c_.output.trace;
    require_hosts(t.hosts, "output.trace.hosts");
    require(t.from < c_.duration, "output.trace.from",
            "begins at the end of the run (duration " + text_of(c_.duration) + ") or after it");
    require(!t.to || t.from < *t.to, "output.trace.to", "the window ends before it begins");
    const PicoSeconds window = t.to.value_or(c_.duration) - t.from;
    require(!(t.perfetto || t.signals) || window / t.interval <= kMostSamples,
            "output.trace.interval", "more than 10000000 samples in " + text_of(window));
    bool firmware = false;
    for (HostId id = 0; id < c_.topology.host_count() && !firmware; ++id) {
      firmware = t.has_host(id) && c_.host_of(id).driver == DriverKind::kFirmware;
    }
    for (const auto& [wanted, key] : {std::pair{t.cpu, "cpu"}, std::pair{t.coverage, "coverage"},
                                      std::pair{t.profile, "profile"}}) {
      require(!wanted || firmware, std::string("output.trace.") + key,
              "none of the traced hosts runs firmware");
    }
  }

  void check_times_of_changes() const {
    for (std::size_t i = 0; i < c_.changes.size(); ++i) {
      const PicoSeconds at = c_.changes[i].at;
      const std::string path = "changes." + std::to_string(i);
      require(at < c_.duration, path + ".at",
              text_of(at) + " is not before the end of the run (duration " + text_of(c_.duration) +
                  ")");
      require(i == 0 || c_.changes[i - 1].at <= at, path + ".at",
              text_of(at) + " is before the change above; they stand in order of time");
      require(!c_.changes[i].set.entries.empty(), path, "a change without `set`");
    }
  }

  void check_expectation(std::size_t i) const {
    const ExpectConfig& e = c_.expect[i];
    const std::string path = "expect." + std::to_string(i);
    require(!e.metric.empty(), path, "an expectation without a metric");
    check_figure(e.metric, path + ".metric");
    require(e.min || e.max, path, "an expectation without min and max");
    require(!e.min || !e.max || *e.min <= *e.max, path + ".min", "min is above max");
  }

  /// A path into metrics.json that leads to a number; elements of lists by index.
  void check_figure(const std::string& figure, const std::string& path) const {
    std::string general;  // as metrics_reference() has it
    for (std::size_t at = 0; at <= figure.size();) {
      const std::size_t dot = std::min(figure.find('.', at), figure.size());
      const std::string step = figure.substr(at, dot - at);
      const bool index = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
      general += (at == 0 ? "" : ".") + (index ? "N" : step);
      at = dot + 1;
    }
    std::vector<std::string> known;
    for (const MetricInfo& metric : metrics_reference()) {
      if (metric.path == general) {
        const bool text = metric.type == MetricType::kText || metric.type == MetricType::kTexts;
        require(!text, path, in_quotes(figure) + " is text, not a number");
        return;
      }
      known.push_back(metric.path);
    }
    fail(path, "metrics.json has no " + in_quotes(figure) + hint(general, known));
  }

  static std::string hint(const std::string& word, const std::vector<std::string>& names) {
    const std::string near = nearest(word, names);
    return near.empty() ? "" : "; did you mean " + in_quotes(near) + "?";
  }

  /// The first of the paths that the user wrote; the first when none.
  std::string given(const std::string& first, const std::string& second) const {
    return places_.count(first) == 0 && places_.count(second) != 0 ? second : first;
  }
  std::string cc(const std::string& first, const std::string& second) const {
    const std::string base = "nic.congestion_control.";
    return given(base + first, base + second);
  }

  void require(bool condition, const std::string& path, const std::string& message) const {
    if (!condition) fail(path, message);
  }

  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw ConfigError(loaded_.place_of(path), path + ": " + message);
  }

  const LoadedConfig& loaded_;
  const PlatformConfig& c_;
  const std::map<std::string, Place>& places_;
};

}  // namespace

void check(const LoadedConfig& loaded) { Checker(loaded).run(); }

}  // namespace dcc::vp
