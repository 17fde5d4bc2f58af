#include <algorithm>
#include <string>
#include <vector>

#include "config/check/check_context.h"
#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

class NetworkCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check_switch() const {
    const SwitchParameters& s = c_.switch_;
    // A disabled section is checked, too, because the command line may enable it.
    check_together("switch.ecn", [&] { s.ecn.check(c_.topology.fastest_link()); });
    check_together("switch.scheduler", [&] { s.scheduler.check(); });
    if (s.routing.chosen() != nullptr) {
      check_together("routing", [&] { s.routing.chosen()->check(); });
    }
    require(s.buffer >= 4 * (c_.largest_mtu() + kMaxHeaders), given("switch.buffer", "nic.mtu"),
            "a buffer of " + text_of(s.buffer) + " does not hold four packets of mtu " +
                text_of(Bytes{c_.largest_mtu()}));
    if (s.has_credits()) check_credits();
    check_marks_at_inputs();
    if (s.pauses()) check_quanta();
    check_pools();
    check_priorities("switch", s.priorities, s.ecn);
    for (std::size_t i = 0; i < c_.switches.size(); ++i) {
      EcnParameters ecn = s.ecn;
      c_.switches[i].marking.apply_to(ecn);
      const std::string path = "switches." + std::to_string(i);
      check_thresholds(path + ".ecn", ecn, path + ".ecn");
      check_priorities(path, c_.switches[i].priorities, ecn);
      EgressSchedulerParameters scheduler = s.scheduler;
      c_.switches[i].scheduler.apply_to(scheduler);
      check_together(path + ".scheduler", [&] { scheduler.check(); });
      check_watchdog(path + ".watchdog.", c_.switches[i].watchdog);
    }
    check_watchdog("switch.pfc.watchdog.", {});
  }

  void check_dcbx() const {
    for (std::size_t i = 0; i < c_.dcbx.ends.size(); ++i) {
      const std::string path = "dcbx.ends." + std::to_string(i);
      check_together(path, [&] { c_.dcbx.ends[i].check(); });
      for (const TransportChoice* const choice : c_.transports()) {
        require(choice->chosen() == nullptr || c_.dcbx.ends[i].pfc.value_or(0) == 0,
                given(path + ".pfc", "nic.transport.kind"),
                "transport " + choice->name() +
                    " needs a network without flow control, so no port sends pauses");
      }
    }
    require(!c_.dcbx.enabled || !c_.switch_.has_credits(),
            given("dcbx.enabled", "switch.flow_control"),
            "InfiniBand has no DCBX: flow_control: pfc");
  }

 private:
  /// Checks that inputs can fill, so that their neighbours wait, if the configuration or an
  /// algorithm wants marks of packets at full inputs.
  void check_marks_at_inputs() const {
    constexpr auto kInputFull = EcnParameters::MarkAt::kInputFull;
    const SwitchParameters& s = c_.switch_;
    if (s.pauses() || s.has_credits()) return;
    require(s.ecn.mark_at != kInputFull, given("switch.ecn.mark_at", "switch.pfc.enabled"),
            "mark_at: input_full marks when an input has filled and its neighbour must wait, which "
            "needs flow control");
    for (std::size_t i = 0; i <= c_.nics.size(); ++i) {
      const std::string nic = i == 0 ? "nic" : "nics." + std::to_string(i - 1);
      const AlgorithmChoice& choice =
          i == 0 ? c_.nic.congestion_control : c_.nics[i - 1].congestion_control;
      if (choice.chosen() == nullptr) continue;
      SwitchParameters asked;
      choice.chosen()->ask_switch(asked);
      require(asked.ecn.mark_at != kInputFull,
              given(nic + ".congestion_control.algorithm", "switch.pfc.enabled"),
              choice.name() +
                  " asks for marks at inputs that have filled, so that their neighbours "
                  "wait, which needs flow control");
    }
  }

  /// Checks that the switch has its own queues, as settings of single queues require.
  void require_queues(const std::string& path, const std::string& what) const {
    const SwitchParameters& s = c_.switch_;
    require(!s.has_credits(), given(path, "switch.flow_control"),
            what + " belongs to a shared buffer: flow_control: pfc");
    require(s.discipline.name() == "auto" || s.discipline.name() == "fifo",
            given(path, "switch.discipline.kind"),
            what + " acts on the switch's own queues: discipline: {kind: fifo}");
  }

  /// Checks that a PFC pause does not end before its renewal, which may wait for a packet.
  void check_quanta() const {
    const auto& quanta = c_.switch_.pfc.quanta;
    if (!quanta) return;
    // overhead of the waiting packet and of the pause frame on the wire, in bytes
    constexpr Bytes kGaps = 40;
    const Bytes half = c_.largest_mtu() + kMaxHeaders + kPauseFrameBytes + kGaps;
    const Bytes least = (2 * half + kPauseQuantum - 1) / kPauseQuantum;
    require(*quanta >= least, given("switch.pfc.quanta", "nic.mtu"),
            "a pause of " + std::to_string(*quanta) +
                " quanta is over before a renewal behind a packet of mtu " +
                text_of(Bytes{c_.largest_mtu()}) + " arrives: write at least " +
                std::to_string(least));
  }

  /// Checks the watchdog of ports with `own` values, whose keys begin with `path`.
  void check_watchdog(const std::string& path, const WatchdogException& own) const {
    WatchdogParameters w = c_.switch_.pfc.watchdog;
    own.apply_to(w);
    if (!w.detect) {
      require(!own.enabled.value_or(false), path + "enabled",
              "a watchdog needs the time after which a queue is in a storm: write detect");
      return;
    }
    require_queues(path + "detect", "the watchdog");
    require(w.restore >= *w.detect, given(path + "restore", path + "detect"),
            "a storm that is found after " + text_of(*w.detect) + " (detect) would end after " +
                text_of(w.restore) + "; write at least " + text_of(*w.detect));
    require(!w.poll || *w.poll <= *w.detect, given("switch.pfc.watchdog.poll", path + "detect"),
            "a check every " + text_of(w.poll.value_or(*w.detect)) + " misses storms of " +
                text_of(*w.detect) + " (detect); write at most that");
  }

  /// Checks that the parts reserved in the buffer leave room for packets.
  void check_pools() const {
    const SwitchParameters& s = c_.switch_;
    const Bytes headroom = s.pfc.shared_headroom.value_or(0);
    const Bytes least = 4 * (c_.largest_mtu() + kMaxHeaders);
    if (s.pfc.shared_headroom) {
      require_queues("switch.pfc.shared_headroom", "a shared headroom pool");
      require(s.buffer - headroom >= least, given("switch.pfc.shared_headroom", "switch.buffer"),
              "a shared headroom of " + text_of(headroom) + " leaves too little of a buffer of " +
                  text_of(s.buffer) + ": at most " + text_of(std::max<Bytes>(0, s.buffer - least)));
    }
    if (s.cell > 1) require_queues("switch.cell", "a cell");
    Bytes sum = headroom;
    for (std::size_t i = 0; i < s.pools.size(); ++i) {
      const std::string path = "switch.pools." + std::to_string(i);
      const std::string& name = s.pools[i].name;
      require(!name.empty() && name != "auto", path + ".name",
              "a pool needs a name other than auto");
      for (std::size_t other = 0; other < i; ++other) {
        require(s.pools[other].name != name, path + ".name", "a second pool " + in_quotes(name));
      }
      sum += s.pools[i].size;
    }
    for (std::size_t i = 0; i < s.egress_pools.size(); ++i) {
      const std::string path = "switch.egress_pools." + std::to_string(i);
      const std::string& name = s.egress_pools[i].name;
      require_queues(path, "an egress pool");
      require(!name.empty() && name != "auto", path + ".name",
              "a pool needs a name other than auto");
      for (std::size_t other = 0; other < i; ++other) {
        require(s.egress_pools[other].name != name, path + ".name",
                "a second pool " + in_quotes(name));
      }
    }
    if (s.pools.empty()) return;
    require_queues("switch.pools", "a pool");
    require(
        s.buffer - sum >= least, "switch.pools." + std::to_string(s.pools.size() - 1) + ".size",
        std::string(headroom == 0 ? "the pools take " : "the pools and the shared headroom take ") +
            text_of(sum) + " of a buffer of " + text_of(s.buffer) + "; at least " + text_of(least) +
            " must be left for the others");
  }

  void check_thresholds(const std::string& path, const EcnParameters& ecn,
                        const std::string& blamed) const {
    require(ecn.kmin <= ecn.kmax, given(path + ".kmin", path + ".kmax"),
            "kmin " + text_of(ecn.kmin) + " is above kmax " + text_of(ecn.kmax) + " (what " +
                blamed + " leaves out is as in switch.ecn)");
  }

  /// Requires that `name` is "auto" or one of `pools`.
  template <class Pools>
  void check_pool(const std::string& path, const std::string& name, const std::string& section,
                  const Pools& pools) const {
    std::vector<std::string> names{"auto"};
    for (const auto& pool : pools) names.push_back(pool.name);
    require(std::find(names.begin(), names.end(), name) != names.end(), path,
            section + " has no " + in_quotes(name) + hint(name, names));
  }

  /// Checks the buffer class that counts the packets of a priority. `priorities`: priorities of the
  /// same port.
  void check_group(const std::string& owner, unsigned number, const PriorityParameters& one,
                   const PrioritySettings& priorities) const {
    const auto at_all_ports = c_.switch_.priorities.find(number);
    const bool grouped_elsewhere =
        at_all_ports != c_.switch_.priorities.end() && at_all_ports->second.group;
    const std::string path = owner + ".priorities." + std::to_string(number);
    PriorityParameters joined = one;
    if (!joined.group && grouped_elsewhere) joined.group = at_all_ports->second.group;
    check_together(path, [&joined] { joined.check(); });
    if (!one.group) return;
    const std::string group = path + ".group";
    const unsigned to = *one.group;
    require(to != number, group, "the priority's own number: leave `group` out");
    require(!c_.dcbx.enabled, given(group, "dcbx.enabled"),
            "DCBX may make a priority lossless, which needs a class of its own");
    const auto lossless = [&](unsigned priority) {
      const auto own = priorities.find(priority);
      if (own != priorities.end() && own->second.lossy) {
        return !*own->second.lossy && c_.switch_.pauses();
      }
      return (c_.switch_.lossless_priorities() >> priority & 1) != 0;
    };
    require(!lossless(number), group,
            "priority " + std::to_string(number) + " is lossless, so it needs a class of its own");
    require(!lossless(to), group,
            "priority " + std::to_string(to) + " is lossless: its class counts its packets alone");
    for (const PrioritySettings* const settings : {&priorities, &c_.switch_.priorities}) {
      const auto target = settings->find(to);
      require(target == settings->end() || !target->second.group, group,
              "priority " + std::to_string(to) + " counts in another class itself");
    }
  }

  void check_priorities(const std::string& owner, const PrioritySettings& priorities,
                        const EcnParameters& port_ecn) const {
    Bytes reserved = 0;
    for (const auto& [number, one] : priorities) {
      const std::string path = owner + ".priorities." + std::to_string(number);
      require_queues(path, "a setting of a priority");
      check_pool(path + ".pool", one.pool, "switch.pools", c_.switch_.pools);
      check_pool(path + ".queue.pool", one.queue.pool, "switch.egress_pools",
                 c_.switch_.egress_pools);
      check_group(owner, number, one, priorities);
      require(one.lossy.value_or(true) || c_.switch_.pauses(), path + ".lossy",
              "a lossless priority needs switch.pfc.enabled: true");
      EcnParameters ecn = port_ecn;
      one.marking.apply_to(ecn);
      check_thresholds(path + ".ecn", ecn, path + ".ecn");
      const Bytes packet = c_.largest_mtu() + kMaxHeaders;
      require(one.limit.value_or(packet) + one.reserved.value_or(0) >= packet, path + ".limit",
              "a limit of " + text_of(one.limit.value_or(0)) + " does not let a packet of mtu " +
                  text_of(Bytes{c_.largest_mtu()}) + " in");
      require(one.queue.limit.value_or(packet) + one.queue.reserved.value_or(0) >= packet,
              path + ".queue.limit",
              "a limit of " + text_of(one.queue.limit.value_or(0)) +
                  " does not let a packet of mtu " + text_of(Bytes{c_.largest_mtu()}) + " in");
      require(!one.limit || one.resume_at.value_or(0) <= *one.limit + one.reserved.value_or(0),
              given(path + ".resume_at", path + ".limit"),
              "resume_at of " + text_of(one.resume_at.value_or(0)) + " is above the limit of " +
                  text_of(one.limit.value_or(0)) + " where the class is paused");
      reserved += one.reserved.value_or(0);
      require(reserved < c_.switch_.buffer, path + ".reserved",
              "ports reserve more than the buffer of " + text_of(c_.switch_.buffer));
    }
  }

  void check_credits() const {
    const SwitchParameters& s = c_.switch_;
    const Bytes largest = c_.largest_mtu() + kMaxHeaders + kCreditBlock;
    require(!s.credits.buffer || *s.credits.buffer >= 2 * largest,
            given("switch.credits.buffer", "nic.mtu"),
            "a buffer that does not hold two packets of mtu " + text_of(Bytes{c_.largest_mtu()}) +
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
};

}  // namespace

void check_switch(const LoadedConfig& loaded) { NetworkCheck(loaded).check_switch(); }
void check_dcbx(const LoadedConfig& loaded) { NetworkCheck(loaded).check_dcbx(); }

}  // namespace dcc::vp
