#include "switch/port_settings.h"

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "switch/switch_parameters.h"

namespace dcc {

namespace {
constexpr const char* kAuto = "auto";

template <class T>
void replace(std::optional<T>& value, const std::optional<T>& by) {
  if (by) value = by;
}

/// Replaces a limit that is written either as a share or in bytes.
void replace_limit(std::optional<Ratio>& alpha, std::optional<Bytes>& limit,
                   const std::optional<Ratio>& by_alpha, const std::optional<Bytes>& by_limit) {
  if (!by_alpha && !by_limit) return;
  alpha = by_alpha;
  limit = by_limit;
}

/// Number of the buffer pool with this name, from 1; 0 for "auto".
template <class Pools>
int number_of_pool(const Pools& pools, const std::string& name) {
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].name == name) return static_cast<int>(i) + 1;
  }
  return 0;  // A check has found every name except "auto" among the pools.
}

std::optional<std::uint32_t> q16(const std::optional<Ratio>& alpha) {
  if (!alpha) return std::nullopt;
  return static_cast<std::uint32_t>(alpha->to_fixed(16));
}

ClassRules rules_of(const PriorityParameters& own, const SwitchParameters& parameters,
                    bool lossless, std::uint32_t port_alpha_q16) {
  ClassRules rules;
  rules.alpha_q16 = q16(own.alpha);
  rules.limit = own.limit;
  if (lossless && !rules.alpha_q16 && !rules.limit) rules.alpha_q16 = port_alpha_q16;
  if (own.group) {
    rules.group = static_cast<int>(*own.group);
    return rules;
  }
  rules.reserved = own.reserved.value_or(0);
  rules.pool = number_of_pool(parameters.pools, own.pool);
  rules.resume_below = own.resume_below.value_or(parameters.pfc.resume_below);
  rules.resume_at = own.resume_at.value_or(0);
  return rules;
}
}  // namespace

void PriorityParameters::describe(ParameterVisitor& v) {
  v.field("lossy", lossy, kAuto, {},
          {"true: packets without room are dropped; false: the sender is paused; auto: as "
           "switch.pfc.priorities"});
  v.field("group", group, kAuto, {"0", "7"},
          {"lossy packets count in the class of this priority (priority group); auto: in their own",
           "SONiC: TC_TO_PRIORITY_GROUP_MAP"});
  v.field("alpha", alpha, kAuto, {"1/1024", "128"},
          {"a class (ingress port and priority) holds at most alpha x free pool; auto: "
           "switch.pfc.alpha if lossless, else no limit but the pool",
           "SONiC: alpha is 2^dynamic_th", kRuntime});
  v.field("limit", limit, "none", {"1B", "64GiB"},
          {"a fixed limit in place of alpha", "SONiC: static_th", kRuntime});
  v.field(
      "reserved", reserved, kAuto, {"0B", "1GiB"},
      {"kept for this class of each port, before its share of the pool; auto: 0B", "SONiC: size"});
  v.text("pool", pool, {"name of an entry of switch.pools; auto: the rest of the buffer"});
  v.field("headroom", headroom, kAuto, {"0B", "1GiB"},
          {"as switch.pfc.headroom, for this priority; auto: as there", "SONiC: xoff"});
  v.field("resume_below", resume_below, kAuto, {"0B", "1GiB"},
          {"a class resumes when it is this far below its threshold; auto: as switch.pfc",
           "SONiC: xon_offset", kRuntime});
  v.field("resume_at", resume_at, kAuto, {"0B", "64GiB"},
          {"the class also resumes when it holds at most this; auto: 0B", "SONiC: xon", kRuntime});
  v.section("queue", {"limit of the egress queue, beyond which packets are dropped"}, [&] {
    v.field("alpha", queue.alpha, "none", {"1/1024", "128"},
            {"the queue of a port holds at most alpha x free pool", "", kRuntime});
    v.field("limit", queue.limit, "none", {"1B", "64GiB"},
            {"a fixed limit in place of alpha", "", kRuntime});
    v.text("pool", queue.pool,
           {"name of an entry of switch.egress_pools, to which alpha then refers; auto: none"});
    v.field("reserved", queue.reserved, kAuto, {"0B", "1GiB"},
            {"kept for the queue of each port beside its egress pool and its limit; auto: 0B",
             "SONiC: size"});
  });
  v.section("ecn", {"marking of this priority's queues: differences from switch.ecn"}, [&] {
    marking.describe(v);
    v.field("drop", wred_drops, kAuto, {},
            {"WRED: a packet that would be marked but is not ECT is dropped; auto: false", "",
             kRuntime});
  });
}

void PriorityParameters::check() const {
  if (group && (alpha || limit || reserved || pool != kAuto || headroom || resume_below ||
                resume_at || !lossy.value_or(true))) {
    throw ParameterError({"group"},
                         "packets count in the class of another priority (group), so lossy: false, "
                         "alpha, limit, reserved, pool, headroom and resume_* have no effect");
  }
  if (alpha && limit) throw ParameterError({"limit"}, "limit and alpha exclude each other");
  if (queue.alpha && queue.limit) {
    throw ParameterError({"queue.limit"}, "limit and alpha exclude each other");
  }
}

void PriorityParameters::override_with(const PriorityParameters& other) {
  replace(lossy, other.lossy);
  replace(group, other.group);
  replace_limit(alpha, limit, other.alpha, other.limit);
  replace(reserved, other.reserved);
  if (other.pool != kAuto) pool = other.pool;
  replace(headroom, other.headroom);
  replace(resume_below, other.resume_below);
  replace(resume_at, other.resume_at);
  replace_limit(queue.alpha, queue.limit, other.queue.alpha, other.queue.limit);
  if (other.queue.pool != kAuto) queue.pool = other.queue.pool;
  replace(queue.reserved, other.queue.reserved);
  replace(marking.enabled, other.marking.enabled);
  replace(marking.kmin, other.marking.kmin);
  replace(marking.kmax, other.marking.kmax);
  replace(marking.pmax, other.marking.pmax);
  replace(wred_drops, other.wred_drops);
}

void SchedulerException::describe(ParameterVisitor& v) {
  v.choice("kind", kind, {"which priority sends next; auto: as switch.scheduler"});
  v.when(kind == Kind::kEts, "kind: ets", [&] {
    v.numbers("weights", weights, {"0", EgressSchedulerParameters::kMaxWeight},
              {"weights of priorities 0 to 7; 0: strict, before the others", "IEEE 802.1Qaz"});
  });
}

void SchedulerException::apply_to(EgressSchedulerParameters& scheduler) const {
  using To = EgressSchedulerParameters::Kind;
  switch (kind) {
    case Kind::kAuto:
      return;
    case Kind::kFifo:
      scheduler.kind = To::kFifo;
      scheduler.shapers.clear();
      return;
    case Kind::kStrict:
      scheduler.kind = To::kStrict;
      return;
    case Kind::kEts:
      scheduler.kind = To::kEts;
      scheduler.weights = weights;
      return;
  }
}

void WatchdogException::describe(ParameterVisitor& v) {
  v.field("enabled", enabled, kAuto, {},
          {"auto: true if switch.pfc.watchdog or this entry has `detect`"});
  v.field("detect", detect, kAuto, {"1us", "10s"}, {"auto: as switch.pfc.watchdog"});
  v.field("restore", restore, kAuto, {"1us", "100s"}, {"auto: as switch.pfc.watchdog"});
  v.choice("action", action, {"auto: as switch.pfc.watchdog"});
}

void WatchdogException::apply_to(WatchdogParameters& watchdog) const {
  replace(watchdog.detect, detect);
  if (restore) watchdog.restore = *restore;
  if (action == Action::kDrop) watchdog.action = WatchdogParameters::Action::kDrop;
  if (action == Action::kForward) watchdog.action = WatchdogParameters::Action::kForward;
  if (!enabled.value_or(true)) watchdog.detect.reset();
}

void PortException::describe(ParameterVisitor& v) {
  v.names("ports", ports, "all",
          {"a switch (s0), switches by their beginning (leaf*), the port of a wire (s0->h3), or "
           "both ports of a cable (leaf0--spine1)"});
  v.field("rate", rate, "any", {"1Mbps", "10Tbps"}, {"only ports of this rate"});
  v.section("ecn", {"marking: differences from switch.ecn"}, [&] { marking.describe(v); });
  v.section("scheduler", {"in place of switch.scheduler"}, [&] { scheduler.describe(v); });
  v.section("watchdog", {"differences from switch.pfc.watchdog"}, [&] { watchdog.describe(v); });
  describe_priorities(v, priorities);
}

void describe_pools(ParameterVisitor& v, std::vector<PoolParameters>& pools) {
  v.list("pools", pools, {"parts of the buffer for the priorities that name them"},
         [&](PoolParameters& pool) {
           v.text("name", pool.name, {"referred to by `pool` of a priority"});
           v.field("size", pool.size, {"1KB", "64GiB"}, {"taken out of switch.buffer"});
         });
}

void describe_egress_pools(ParameterVisitor& v, std::vector<EgressPoolParameters>& pools) {
  v.list("egress_pools", pools,
         {"bytes that the queues which name a pool share; beside the buffer, which counts every "
          "packet by its input",
          "SONiC: BUFFER_POOL of type egress"},
         [&](EgressPoolParameters& pool) {
           v.text("name", pool.name, {"referred to by `queue.pool` of a priority"});
           v.field("size", pool.size, {"1KB", "64GiB"},
                   {"takes nothing of switch.buffer; packets beyond it are dropped"});
         });
}

void describe_priorities(ParameterVisitor& v, PrioritySettings& priorities) {
  v.map("priorities", priorities, kPriorities, PriorityParameters{},
        {"single priorities: their place in the buffer, and marking"},
        [&](PriorityParameters& one) { one.describe(v); });
}

PortSettings port_settings(const SwitchParameters& parameters, BitRate rate,
                           const std::vector<const PortException*>& exceptions,
                           std::uint32_t port_alpha_q16) {
  PortSettings to;
  EcnParameters of_port = parameters.ecn.at_rate(rate);
  to.watchdog = parameters.pfc.watchdog;
  for (const PortException* const one : exceptions) {
    one->marking.apply_to(of_port);
    if (one->scheduler.kind != SchedulerException::Kind::kAuto) {
      to.scheduler = parameters.scheduler;
      one->scheduler.apply_to(*to.scheduler);
    }
    one->watchdog.apply_to(to.watchdog);
    to.queues_differ = true;
  }
  if (parameters.ecn.by_speed.empty() && parameters.ecn.priorities == 0xFF &&
      parameters.priorities.empty() && exceptions.empty()) {
    to.lossless = parameters.pauses() ? parameters.pfc.priorities : std::uint8_t{0};
    for (PortSettings::Queue& queue : to.queues) queue.ecn = of_port;
    // A buffer that counts in cells needs rules for every class.
    for (unsigned p = 0; parameters.cell > 1 && p < kPriorities; ++p) {
      to.rules[p] = rules_of({}, parameters, (to.lossless >> p & 1) != 0, port_alpha_q16);
    }
    return to;
  }
  for (unsigned p = 0; p < kPriorities; ++p) {
    PriorityParameters own;
    bool differs = parameters.cell > 1;
    const auto add = [&](const PrioritySettings& settings) {
      const auto found = settings.find(p);
      if (found == settings.end()) return;
      own.override_with(found->second);
      differs = true;
    };
    add(parameters.priorities);
    for (const PortException* const one : exceptions) add(one->priorities);
    const bool listed = (parameters.pfc.priorities >> p & 1) != 0;
    const bool lossless = parameters.pauses() && !own.lossy.value_or(!listed);
    if (lossless) to.lossless = static_cast<std::uint8_t>(to.lossless | 1u << p);
    PortSettings::Queue& queue = to.queues[p];
    queue.ecn = of_port;
    queue.ecn.enabled = of_port.enabled && (parameters.ecn.priorities >> p & 1) != 0;
    own.marking.apply_to(queue.ecn);
    queue.drops = own.wred_drops.value_or(false);
    queue.alpha_q16 = q16(own.queue.alpha);
    queue.limit = own.queue.limit;
    queue.pool = number_of_pool(parameters.pools, own.pool);
    queue.egress_pool = number_of_pool(parameters.egress_pools, own.queue.pool);
    queue.reserved = own.queue.reserved.value_or(0);
    if (differs) to.rules[p] = rules_of(own, parameters, lossless, port_alpha_q16);
    to.headroom[p] = own.headroom;
  }
  to.queues_differ = true;
  for (unsigned p = 0; p < kPriorities; ++p) {
    if (!to.rules[p] || !to.rules[p]->group) continue;
    const auto group = static_cast<std::size_t>(*to.rules[p]->group);
    if (to.rules[group]) continue;
    to.rules[group] = rules_of({}, parameters, (to.lossless >> group & 1) != 0, port_alpha_q16);
  }
  return to;
}

}  // namespace dcc
