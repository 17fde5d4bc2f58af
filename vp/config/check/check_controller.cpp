#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/check/check_context.h"
#include "config/config_enum_names.h"
#include "config/injected_faults.h"
#include "config/rtl_shape.h"
#include "controller/dcc.h"
#include "controller/law/law.h"
#include "describe/quantity_text.h"
#include "driver/dcc_regs.h"
#include "rtl_sizes.h"
#include "sim/state_digest.h"
#include "wire/wire_size.h"

namespace dcc::vp {
namespace {

/// Maximum interval of the RTL's notification point, which has 32 bits; the platform's time is in
/// picoseconds.
constexpr PicoSeconds kLongestRtlInterval{0xFFFF'FFFF};
/// Shortest clock period of the pacer: its input scale_i has 22 bits for 2048 times the clock in
/// MHz. 489 ps is 2047 MHz.
constexpr PicoSeconds kShortestPacerCycle{489};
constexpr const char* kNoRtl = ": this build has no RTL (configure with -DDCCVP_RTL=ON)";

std::string as_list(const std::array<unsigned, 3>& split) {
  return "[" + std::to_string(split[0]) + ", " + std::to_string(split[1]) + ", " +
         std::to_string(split[2]) + "]";
}

bool sets_same_marking(const SwitchParameters& a, const SwitchParameters& b) {
  const auto values = [](const EcnParameters& e) {
    return std::make_tuple(e.enabled, e.kmin, e.kmax, e.pmax, e.reference_rate, e.phantom_drain,
                           e.phantom_threshold, e.unmarked_between);
  };
  return values(a.ecn) == values(b.ecn);
}

/// True if two congestion points give the same feedback for the same queue.
bool sets_same_points(const SwitchParameters& a, const SwitchParameters& b) {
  // The digest of a rule that no packet has reached yet holds the rule's parameters.
  const auto rule = [](const QcnPointParameters& point) {
    StateDigest digest;
    if (point.rule) point.rule(point)->add_state(digest);
    return digest.value();
  };
  return a.qcn.enabled == b.qcn.enabled && a.qcn.set_point == b.qcn.set_point &&
         a.qcn.w == b.qcn.w && a.qcn.sample_base == b.qcn.sample_base && rule(a.qcn) == rule(b.qcn);
}

class ControllerCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check_congestion_control() const {
    const NicConfig& nic = c_.nic;
    const AlgorithmChoice& choice = nic.congestion_control;
    bool reads_telemetry =
        check_algorithm(choice, "nic.congestion_control", c_.nic.ack_every, c_.nic.mtu);
    std::set<HostId> named;
    for (std::size_t i = 0; i < c_.nics.size(); ++i) reads_telemetry |= check_others(i, named);
    check_asked_of_switches();
    require(reads_telemetry || nic.telemetry != TelemetryKind::kOn, "nic.telemetry",
            choice.name() +
                " reads no in-band telemetry, so that `on` would change nothing; write auto");
    for (const Controlled& group : controlled()) {
      require(!group.dcc->shares_by_weight() || group.cnp->carry_marks,
              group.path + ".cnp.carry_marks", "policy: proportional needs CNPs that carry marks");
      const bool by_hand =
          group.dcc->hold_below && group.dcc->hold_below != DccParameters::kAllHold;
      require(!by_hand || group.dcc->policy == "proportional",
              group.path + ".congestion_control.hold_below",
              "policy: " + group.dcc->policy + " has no hold at a flow's first mark");
      require(!by_hand || group.dcc->first_cut.to_fixed(16) != 0,
              group.path + ".congestion_control.hold_below",
              "first_cut: 0 lets no flow hold, so that hold_below would change nothing");
      require(group.dcc->finer_steps == 0 || group.dcc->shares_by_weight(),
              group.path + ".congestion_control.finer_steps",
              "policy: " + group.dcc->policy + " has no steps for each packet and mark");
      if (group.dcc->rules().law() != nullptr) continue;
      for (const auto& [id, entry] : c_.dscp) {
        require(!entry.min_rate && !entry.max_rate, "dscp." + std::to_string(id),
                "policy: proportional_int knows weights, but neither min_rate nor max_rate");
      }
    }
  }

  void check_controller() const {
    const ControllerConfig& k = c_.nic.controller;
    const std::vector<Controlled> groups = controlled();
    const bool has_laws = std::all_of(groups.begin(), groups.end(), [](const Controlled& group) {
      return group.dcc->rules().law() != nullptr;
    });
    check_together("nic.controller", [&] { k.check(); });
    const auto check_rtl = [&](Implementation what, const std::string& key) {
      if (what == Implementation::kModel) return;
      const std::string path = "nic.controller." + key;
      const std::string said = key + ": " + name_of(what);
      require(!groups.empty(), path, said + " without the controller (algorithm: dcc)");
      require(has_laws, path,
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
      check_engine(k, !groups.empty() && has_laws);
    }
    check_laws_in_hardware(k, groups);
    require(kHasRtl || k.timer == Implementation::kModel, "nic.controller.timer",
            "timer: " + std::string(name_of(k.timer)) + kNoRtl);
    if (groups.empty()) return;
    const bool by_entries_alone = groups.front().path != "nic";
    require(!by_entries_alone || c_.nic.engine == BlockImplementation::kNone ||
                c_.nic.engine == BlockImplementation::kModel || written("nic.controller.engine"),
            "nic.engine",
            "is the default of the controllers of `nic`, and only hosts of `nics` have a "
            "controller: write nic.controller.engine as well");
    for (const Controlled& group : groups) {
      const DccParameters& d = *group.dcc;
      check_ticks(d.alpha_timer, group, "alpha_timer", 1, kMaxAlphaInterval);
      check_ticks(d.increase_timer, group, "increase_timer", DCC_TIMER_INTERVAL_VALUE_MIN,
                  DCC_TIMER_INTERVAL_VALUE_MAX);
      check_ticks(d.decrease_period, group, "decrease_period", 0, DCC_DECREASE_PERIOD_VALUE_MASK);
    }
    require(k.clock.cycles(k.latency_cycles) <= kMilliSecond, "nic.controller.latency",
            "an answer would take longer than 1ms");
    for (const Controlled& group : groups) check_pace(k, group);
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) check_byte_port(k, i);
  }

  /// Refuses configurations that the RTL notification point does not support, if the notification
  /// point is RTL alone or RTL in lock-step with the model (nic.np.engine).
  void check_notification_point() const {
    const Implementation engine = c_.nic.np.engine;
    if (engine == Implementation::kModel) return;
    const std::string path = given("nic.np.engine", "nic.engine");
    const std::string said = std::string("engine: ") + name_of(engine);
    const auto check_cnp = [&](const CnpParameters& cnp, const std::string& section) {
      require(cnp.interval <= kLongestRtlInterval, given(section + ".interval", path),
              said + " counts an interval in 32 bits of picoseconds, up to " +
                  text_of(kLongestRtlInterval) + ", not " + text_of(cnp.interval));
      require(cnp.ecn == CnpParameters::Ecn::kEct0, given(section + ".ecn", path),
              said + " sends CNPs with ect0");
      require(cnp.scope == CnpParameters::Scope::kQueuePair, given(section + ".scope", path),
              said + " has a limiter for each queue pair: write scope: queue_pair");
      require(!cnp.with_nak, given(section + ".with_nak", path),
              said + " sends no CNP with a NAK: write with_nak: false");
    };
    check_cnp(c_.nic.cnp, "nic.cnp");
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      check_cnp(c_.nics[i].cnp, "nics." + std::to_string(i) + ".cnp");
    }
    require(c_.nic.transport.chosen() == nullptr, path,
            said + " has no part in this transport, which does without RoCE's CNPs: remove it");
    require(kHasRtl, path, said + kNoRtl);
  }

  /// An algorithm may set the switches' congestion points or marking, which are the same for all
  /// hosts: all algorithms that set one of these must set the same.
  void check_asked_of_switches() const {
    check_asked([](const SwitchParameters& asked) { return asked.qcn.enabled; }, sets_same_points,
                "congestion points",
                " sets the congestion points of switches, which are the same for all hosts; write "
                "the same q_eq, w and sample_bytes, and with af_qcn the same fair and interval");
    check_asked(
        [](const SwitchParameters& asked) { return !sets_same_marking(asked, SwitchParameters()); },
        sets_same_marking, "marking",
        " sets the marking of switches, which is the same for all hosts; write the same parameters "
        "for both");
  }

  /// Checks one kind of settings that algorithms ask of switches. `has`: true if an algorithm asks
  /// for one; `same`: true if two ask for the same.
  void check_asked(bool (*has)(const SwitchParameters&),
                   bool (*same)(const SwitchParameters&, const SwitchParameters&),
                   const std::string& what, const std::string& remedy) const {
    const AlgorithmChoice* first = nullptr;
    SwitchParameters of_first;
    for (std::size_t i = 0; i <= c_.nics.size(); ++i) {
      const AlgorithmChoice& choice =
          i == 0 ? c_.nic.congestion_control : c_.nics[i - 1].congestion_control;
      SwitchParameters asked;
      if (choice.chosen() != nullptr) choice.chosen()->ask_switch(asked);
      if (!has(asked)) continue;
      if (first == nullptr) {
        first = &choice;
        of_first = asked;
        continue;
      }
      const std::string section = "nics." + std::to_string(i - 1) + ".congestion_control";
      const std::string path = given(section + ".algorithm", section);
      require(choice.name() == first->name(), path,
              choice.name() + " and " + first->name() + " ask for different " + what +
                  " in every switch; write one of them for all hosts that use one");
      require(same(asked, of_first), path, choice.name() + remedy);
    }
  }

  /// Refuses configurations that the RTL parser does not support, if the parser is RTL alone or RTL
  /// in lock-step with the model (nic.parser.engine).
  void check_parser() const {
    const Implementation engine = c_.nic.parser.engine;
    if (engine == Implementation::kModel) return;
    const std::string path = given("nic.parser.engine", "nic.engine");
    const std::string said = std::string("engine: ") + name_of(engine);
    for (const TransportChoice* const transport : c_.transports()) {
      require(transport->chosen() == nullptr, path,
              said + " parses RoCE's CNPs, and this transport does without: remove it");
    }
    for (const TrafficSpec& entry : c_.traffic) {
      require(entry.service != Service::kRd, path,
              said + " does not know the headers of reliable datagrams (service: rd): remove it");
    }
    require(kHasRtl, path, said + kNoRtl);
  }

  void refuse_message_rate(const MessageRateParameters& limits, const std::string& section,
                           const std::string& pacer, const std::string& said) const {
    require(!limits.queue_pair, given(section + ".message_rate.queue_pair", pacer),
            said + " knows no limit of messages: remove it, or write nic.pacer.engine: none");
    require(!limits.nic, given(section + ".message_rate.nic", pacer),
            said + " knows no limit of messages: remove it, or write nic.pacer.engine: none");
  }

  /// Checks the configuration of the pacer block, for every implementation.
  void check_pacer() const {
    const BlockImplementation engine = c_.nic.pacer.engine;
    if (engine == BlockImplementation::kNone) return;
    const std::string path = given("nic.pacer.engine", "nic.engine");
    const std::string said = std::string("engine: ") + name_of(engine);
    for (const TransportChoice* const transport : c_.transports()) {
      require(transport->chosen() == nullptr, path,
              said +
                  " schedules the packets of RoCE, and this transport sends by itself: write "
                  "nic.pacer.engine: none");
    }
    refuse_message_rate(c_.nic.message_rate, "nic", path, said);
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      refuse_message_rate(c_.nics[i].message_rate, "nics." + std::to_string(i), path, said);
    }
    for (const AlgorithmChoice* const algorithm : c_.congestion_controls()) {
      const AlgorithmNeeds needs = algorithm->needs(c_.nic.mtu);
      require(needs.burst == 0 && !needs.rtt_from_due, path,
              said + " paces every packet, and " + algorithm->name() +
                  " sends bursts or reads when a packet was due: write nic.pacer.engine: none");
    }
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      const std::string entry = "traffic." + std::to_string(i) + ".operation";
      require(!expects_response(c_.traffic[i].operation), given(entry, path),
              said +
                  " is told the length of each packet ahead, which nobody knows of a response: "
                  "write send or write");
    }
    const Frequency clock = c_.nic.controller.clock;
    require(clock.cycles(1) >= kShortestPacerCycle, given("nic.controller.clock", path),
            said + " counts the cycles of a byte in 22 bits, so its clock has at most 2047MHz");
    require(kHasRtl || engine == BlockImplementation::kModel, path, said + kNoRtl);
  }

 private:
  /// A group of hosts whose flows the controller governs: the hosts of `nic`, or of an entry of
  /// `nics`.
  struct Controlled {
    const DccParameters* dcc;
    const CnpParameters* cnp;
    // configuration path of the group: "nic", or "nics." and the number of the entry
    std::string path;
  };

  std::vector<Controlled> controlled() const {
    std::vector<Controlled> groups;
    const auto add = [&](const AlgorithmChoice& choice, const CnpParameters& cnp,
                         const std::string& path) {
      const auto* const dcc = choice.chosen<DccParameters>();
      if (dcc != nullptr) groups.push_back({dcc, &cnp, path});
    };
    add(c_.nic.congestion_control, c_.nic.cnp, "nic");
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      add(c_.nics[i].congestion_control, c_.nics[i].cnp, "nics." + std::to_string(i));
    }
    return groups;
  }
  /// The place of a parameter of the controller's algorithm: `first`, or `second` if the user wrote
  /// only that one.
  std::string place(const Controlled& group, const std::string& first,
                    const std::string& second) const {
    const std::string base = group.path + ".congestion_control.";
    return given(base + first, base + second);
  }

  /// Checks the algorithm's own rules and its requirements on the NIC. Returns true if the
  /// algorithm reads telemetry.
  bool check_algorithm(const AlgorithmChoice& choice, const std::string& section,
                       unsigned ack_every, std::uint32_t mtu) const {
    const NicConfig& nic = c_.nic;
    if (choice.chosen() != nullptr) {
      check_together(section, [&] { choice.chosen()->check(mtu + kMaxHeaders); });
    }
    const AlgorithmNeeds needs = choice.needs(mtu);
    const std::string ack = given("nic.ack", section + ".algorithm");
    require(!needs.ack_each || nic.ack == AckMode::kPerPacket, ack,
            choice.name() + " needs ack: per_packet, not " + name_of(nic.ack));
    require(!needs.acks || nic.ack != AckMode::kNone, ack, choice.name() + " needs ACKs");
    require(!needs.ack_each || ack_every == 1, given("nic.ack_every", section + ".algorithm"),
            choice.name() + " needs an ACK of each packet: ack_every: 1");
    require(!needs.telemetry || nic.telemetry != TelemetryKind::kOff,
            given("nic.telemetry", section + ".algorithm"),
            choice.name() + " needs in-band telemetry");
    return needs.telemetry;
  }

  /// Checks the algorithm of an entry of `nics` in the same way as that of `nic`. `named`: hosts
  /// named by an entry so far.
  bool check_others(std::size_t group, std::set<HostId>& named) const {
    const OtherNics& others = c_.nics[group];
    const std::string path = "nics." + std::to_string(group);
    require(!others.hosts.empty(), path,
            "`hosts` says whose NICs these are; everybody's are `nic`");
    for (const HostId host : others.hosts) {
      require_host(host, path + ".hosts");
      require(named.insert(host).second, path + ".hosts",
              "host " + std::to_string(host) + " is named twice");
    }
    return check_algorithm(others.congestion_control, path + ".congestion_control",
                           others.ack_every, others.mtu);
  }

  /// Checks the limits of the controller's hardware; docs/controller-contract.md has the reasons.
  void check_pace(const ControllerConfig& k, const Controlled& group) const {
    const DccParameters& d = *group.dcc;
    const PicoSeconds cycle = k.clock.cycles(1);
    const auto cycles = [&](PicoSeconds time) {
      return text_of(time) + " is " + std::to_string(time / cycle) + " cycles of " +
             text_of(k.clock);
    };
    const std::string tick = given("nic.controller.tick", "nic.controller.clock");
    const std::int64_t least_tick =
        std::max<std::int64_t>(DCC_TICK_DIV_VALUE_MIN, k.slots / timing::kSlotsOfATickCycle);
    require(k.tick / cycle >= least_tick, tick,
            cycles(k.tick) + "; a tick takes at least " + std::to_string(least_tick) + " with " +
                std::to_string(k.slots) + " slots");
    require(k.tick / cycle <= DCC_TICK_DIV_VALUE_MAX, tick,
            cycles(k.tick) + "; a tick takes at most " + std::to_string(DCC_TICK_DIV_VALUE_MAX));
    require(d.increase_timer / cycle >= timing::least_interval(1),
            place(group, "increase_timer", "preset"),
            cycles(d.increase_timer) + "; a slot's timer event comes at most every " +
                std::to_string(timing::least_interval(1)));
    // 8·10^12: bits in a byte times picoseconds in a second
    constexpr Uint128 kPerByte = 8'000'000'000'000;
    const Uint128 sent = Uint128(c_.topology.fastest_link().bits_per_second) *
                         static_cast<std::uint64_t>(k.clock.cycles(timing::kSameFlow).count);
    const auto least_bytes = static_cast<Bytes>(sent / kPerByte);
    require(d.byte_counter == 0 || d.byte_counter >= least_bytes,
            place(group, "byte_counter", "preset"),
            text_of(d.byte_counter) + " are sent in less than the " +
                std::to_string(timing::kSameFlow) +
                " cycles between two events of a flow, in which a link of " +
                text_of(c_.topology.fastest_link()) + " carries " + text_of(least_bytes));
  }

  /// Checks that the controller's byte port, which takes one notification per cycle, takes the
  /// packets of an entry of the traffic at the rate of the fastest link.
  void check_byte_port(const ControllerConfig& k, std::size_t entry) const {
    const TrafficSpec& spec = c_.traffic[entry];
    if (is_drawn(spec.pattern)) return;  // messages of drawn flows are as long as the flows
    constexpr Bytes kPreambleAndGap = 20;
    const Bytes payload =
        std::min({spec.message, spec.bytes.value_or(spec.message), Bytes{c_.smallest_mtu()}});
    const Bytes packet =
        roce::send_wire_bytes(static_cast<std::uint32_t>(payload), false, false) + kPreambleAndGap;
    // A flow of few packets loses no notification, because the NIC keeps some packets in front of
    // the port.
    if (spec.bytes && *spec.bytes / payload <= Bytes{timing::kAtPort}) return;
    const BitRate fastest = c_.topology.fastest_link();
    const BitRate link = std::min(fastest, spec.rate.value_or(fastest));
    const std::uint64_t least = link.bits_per_second / (8 * static_cast<std::uint64_t>(packet));
    if (k.clock.hertz >= least) return;
    const std::string path = "traffic." + std::to_string(entry);
    require(false, given(path + ".message", path),
            "packets of " + text_of(payload) + " payload leave at " + text_of(link) + " " +
                std::to_string(least) +
                " times a second, and the controller takes one a cycle of " + text_of(k.clock) +
                "; send messages and packets of at least " +
                std::to_string(link.bits_per_second / (8 * k.clock.hertz) + 1 - kPreambleAndGap) +
                "B on the wire, or set nic.controller.clock to " + std::to_string(least) + "Hz");
  }

  /// Refuses laws beyond the hardware's for RTL, which has neither their rules nor bits for their
  /// numbers.
  void check_laws_in_hardware(const ControllerConfig& k,
                              const std::vector<Controlled>& groups) const {
    for (const auto& [what, key] :
         {std::pair{k.engine, "engine"}, std::pair{k.rate_lut, "rate_lut"}}) {
      if (what == Implementation::kModel) continue;
      for (const Controlled& group : groups) {
        const Law* const law = group.dcc->rules().law();
        require(law == nullptr || law->in_hardware(), place(group, "policy", "preset"),
                std::string("the hardware has no policy: ") + group.dcc->rules().name() +
                    ", so nic.controller." + key + " cannot be " + name_of(what));
      }
    }
  }

  /// Refuses configurations that the RTL of the whole controller does not support, if the
  /// controller is RTL alone or RTL in lock-step with the model (nic.controller.engine).
  void check_engine(const ControllerConfig& k, bool dcc) const {
    const std::string path = given("nic.controller.engine", "nic.engine");
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
                " does not report changes of its slots, which this trace needs: write engine: "
                "lockstep, which runs the model, too");
    require(kHasRtl, path, said + kNoRtl);
  }

  void check_ticks(PicoSeconds time, const Controlled& group, const char* key, std::int64_t least,
                   std::int64_t most) const {
    const PicoSeconds tick = c_.nic.controller.tick;
    const std::int64_t ticks = (time + PicoSeconds(tick.count / 2)) / tick;
    require(least <= ticks && ticks <= most, place(group, key, "preset"),
            text_of(time) + " is " + std::to_string(ticks) + " ticks of " + text_of(tick) +
                "; the controller counts " + std::to_string(least) + " to " + std::to_string(most));
  }
};

}  // namespace

void check_congestion_control(const LoadedConfig& loaded) {
  ControllerCheck(loaded).check_congestion_control();
}
void check_controller(const LoadedConfig& loaded) {
  ControllerCheck(loaded).check_controller();
  ControllerCheck(loaded).check_notification_point();
  ControllerCheck(loaded).check_parser();
  ControllerCheck(loaded).check_pacer();
  check_injected_faults(kHasRtl);
}

}  // namespace dcc::vp
