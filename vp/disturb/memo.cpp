#include "disturb/memo.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

#include "build/platform.h"
#include "build/ranks.h"
#include "config/yaml_reader.h"
#include "traffic/direct_traffic.h"

namespace dcc::vp {

namespace {
// Time between two checks whether a burst has ended.
constexpr PicoSeconds kLook = kMicroSecond;
// Maximum number of bursts in memory. A burst takes about 100 bytes for each flow and as much as
// all counters of the network.
constexpr std::size_t kMostBursts = 128;
// Greatest number of bursts in memory that begin with the same flow.
constexpr std::size_t kMostAlike = 4;
// Greatest excess of a first flow's remembered bursts over the bursts replayed from memory.
constexpr unsigned kMostInVain = 4;
// maximum number of first flows in memory, 100 bytes each
constexpr std::size_t kMostKinds = std::size_t{1} << 20;
// Rank of the ends of remembered flows, which come before all events of NICs, as packets do.
constexpr std::uint32_t kReplayRank = kNicRank - 1;
constexpr unsigned kAllPriorities = 0xFF;
}  // namespace

Memo::Memo(Platform& platform)
    : p_(platform),
      measurement_(*platform.part<Measurement>()),
      gates_(*platform.part<FlowGates>()),
      random_(platform.config.seed, "memo"),
      look_event_(Event::calling<&Memo::look>(*this, kFastForwardRank)),
      replay_event_(Event::calling<&Memo::replay_due>(*this, kReplayRank)) {
  gates_.set_memory(this);
  p_.part<DirectTraffic>()->set_memory(this);
  measurement_.before_edges([this] { forget_all(); });
  if (p_.plan.rounds() != nullptr) leaps_.emplace(p_.plan, gates_, p_.ledger, measurement_);
}

void Memo::finish(RunResults& results) {
  result_.checked = errors_.count();
  result_.error_mean = errors_.mean();
  result_.error_interval = errors_.interval();
  result_.error_max = errors_.greatest();
  results.memo = result_;
}

// ---------------------------------------------------------------- the begin of a burst

bool Memo::is_at_rest(std::uint64_t begun) const {
  if (p_.partitions.packets_in_use() != 0) return false;
  std::uint64_t finished = 0;
  for (const auto& host : p_.hosts) {
    const Transmitter& transmitter = host->nic().device().transmitter();
    finished += transmitter.requester().tally().finished_flows;
    if (transmitter.allowed() != kAllPriorities) return false;
  }
  return finished == begun;
}

PicoSeconds Memo::next_event_by_clock() const {
  return std::min(p_.clock.next_kept(), p_.config.duration);
}

bool Memo::begins(const PlannedFlow& flow, bool gated) {
  const std::uint64_t begun = begun_++;
  if (leaps_) leaps_->begins(flow);
  if (mode_ == Mode::kReplaying) {
    replay_begin(flow);
    return true;
  }
  if (mode_ != Mode::kIdle) {
    if (is_at_rest(begun)) {
      end_watch(begun);
    } else if (gated) {
      flows_.push_back(flow.spec.id);
      create_ends(flow);
      return false;
    } else {
      abandon_watch();
    }
  } else if (gated && !is_at_rest(begun)) {
    create_ends(flow);
    return false;
  }
  if (!gated) return false;
  if (begin_burst(flow)) return true;
  create_ends(flow);
  return false;
}

void Memo::create_ends(const PlannedFlow& flow) {
  for (const bool sender : {false, true}) {
    NicDevice& nic = p_.nic_of(sender ? flow.spec.from : flow.spec.to);
    const Qpn qpn = sender ? flow.from_qpn : flow.to_qpn;
    nic.create_queue_pair(qpn, FlowPlan::queue_pair(flow, sender));
    nic.connect_queue_pair(qpn);
  }
}

bool Memo::begin_burst(const PlannedFlow& flow) {
  const PicoSeconds now = p_.scheduler.now();
  const std::uint64_t key = hash_of(flow.spec);
  const std::optional<bool> decided = std::exchange(decided_, std::nullopt);
  const bool is_new = known_.count(key) == 0;
  if (is_new && known_.size() == kMostKinds) {
    ++result_.misses;
    ++result_.unknown;
    return false;
  }
  Known& known = known_[key];
  key_ = key;
  bool cut = false;
  for (const auto& burst : known.bursts) {
    if (now + burst->length >= next_event_by_clock()) {
      cut = true;
      continue;
    }
    BurstMatch match(*burst, p_.plan, gates_, now);
    if (!match.matches()) continue;
    burst_ = burst.get();
    if (decided ? *decided : wants_check(*burst)) {
      watch(Mode::kChecking, flow);
      return false;
    }
    ++known.hits;
    replay(std::move(match.flows()));
    replay_begin(flow);
    return true;
  }
  ++result_.misses;
  ++(known.bursts.empty() ? result_.unknown : cut ? result_.cut : result_.differing);
  const bool worth_while = !is_new && known.bursts.size() < kMostAlike &&
                           known.recorded < known.hits + kMostInVain && in_memory_ < kMostBursts;
  if (worth_while) watch(Mode::kRecording, flow);
  return false;
}

/// Decides whether a repetition is checked by simulation. The first repetition is always checked.
bool Memo::wants_check(const RememberedBurst& burst) {
  const auto below = static_cast<std::uint64_t>(p_.config.fast_forward.memo_check.to_fixed(32));
  return !burst.checked || random_.next_u32() < below;
}

// ---------------------------------------------------------------- a burst in the network

void Memo::watch(Mode mode, const PlannedFlow& first) {
  mode_ = mode;
  from_ = p_.scheduler.now();
  flows_ = {first.spec.id};
  if (mode == Mode::kRecording) {
    watch_ = measurement_.watch();
    before_ = leaps_ ? leaps_->state(begun_ - 1) : std::nullopt;
  }
  p_.scheduler.schedule_in(look_event_, kLook);
}

void Memo::look() {
  if (is_at_rest(begun_)) {
    end_watch(begun_);
    leap();
  } else {
    p_.scheduler.schedule_in(look_event_, kLook);
  }
}

void Memo::abandon_watch() {
  if (mode_ == Mode::kChecking) ++result_.misses;
  mode_ = Mode::kIdle;
  p_.scheduler.cancel(look_event_);
  watch_.reset();
}

void Memo::end_watch(std::uint64_t begun) {
  const Mode mode = std::exchange(mode_, Mode::kIdle);
  p_.scheduler.cancel(look_event_);
  std::optional<RememberedBurst> seen = RememberedBurst::of(flows_, p_.ledger, from_);
  if (mode == Mode::kChecking) {
    check(seen);
    return;
  }
  Known& known = known_[key_];
  ++known.recorded;
  if (seen) {
    seen->length = p_.scheduler.now() - from_;
    seen->counted = measurement_.stretch_since(*watch_);
    learn_period(*seen, begun);
    known.bursts.push_back(std::make_unique<RememberedBurst>(std::move(*seen)));
    result_.entries = std::max<std::uint64_t>(result_.entries, ++in_memory_);
  } else {
    ++result_.lossy;
  }
  watch_.reset();
}

void Memo::check(const std::optional<RememberedBurst>& seen) {
  double mean = 1;  // errors of a burst that had other flows, or lost packets, are not recorded
  double greatest = 1;
  if (seen && burst_->has_same_flows(*seen, p_.plan)) {
    mean = greatest = 0;
    for (std::size_t i = 0; i < seen->flows.size(); ++i) {
      const auto is = static_cast<double>(seen->flows[i].received.count);
      const auto was = static_cast<double>(burst_->flows[i].received.count);
      const double error = std::abs(is - was) / is;
      mean += error / static_cast<double>(seen->flows.size());
      greatest = std::max(greatest, error);
    }
  }
  errors_.add(mean, greatest);
  burst_->checked = true;
  const double tolerated = p_.config.fast_forward.memo_error.value();
  if (mean <= tolerated && (tolerated > 0 || burst_->has_same_counts(*seen))) return;
  ++result_.refused;
  --in_memory_;
  count(*burst_);
  auto& bursts = known_[key_].bursts;
  bursts.erase(std::find_if(bursts.begin(), bursts.end(),
                            [this](const auto& one) { return one.get() == burst_; }));
}

/// Forgets all bursts, because counts from outside `measure` cannot be used within it.
void Memo::forget_all() {
  for (auto& [key, known] : known_) {
    for (const auto& burst : known.bursts) count(*burst);
    known.bursts.clear();
    known.recorded = 0;
  }
  in_memory_ = 0;
  if (mode_ == Mode::kRecording || mode_ == Mode::kChecking) abandon_watch();
}

void Memo::count(RememberedBurst& burst) {
  if (burst.owed == 0) return;
  measurement_.repeat(burst.counted, burst.owed);
  burst.owed = 0;
}

// ---------------------------------------------------------------- a burst from memory

void Memo::replay(std::vector<std::uint32_t> flows) {
  mode_ = Mode::kReplaying;
  from_ = p_.scheduler.now();
  flows_ = std::move(flows);
  has_begun_.assign(flows_.size(), 0);
  next_begin_ = next_end_ = 0;
  ++burst_->owed;
  ++result_.hits;
  result_.flows += flows_.size();
  result_.skipped += burst_->length;
  plan_replay();
}

void Memo::replay_begin(const PlannedFlow& flow) {
  const PicoSeconds now = p_.scheduler.now();
  // Flows that begin at one instant may begin in another order.
  std::size_t at = next_begin_;
  while (at < flows_.size() && flows_[at] != flow.spec.id) ++at;
  if (at == flows_.size() || now - from_ != burst_->flows[at].begin) {
    throw std::logic_error("fast_forward.memo: flow " + std::to_string(flow.spec.id) +
                           " begins at a time at which memory has no begin");
  }
  has_begun_[at] = 1;
  while (next_begin_ < flows_.size() && has_begun_[next_begin_] != 0) ++next_begin_;
  FlowRecord& record = p_.ledger[flow.spec.id];
  record.posted = now;
  record.posted_bytes = flow.spec.bytes;
}

void Memo::replay_due() {
  const PicoSeconds now = p_.scheduler.now();
  const std::vector<RememberedBurst::End>& ends = burst_->ends;
  for (; next_end_ < ends.size() && from_ + ends[next_end_].at == now; ++next_end_) {
    const RememberedBurst::End& end = ends[next_end_];
    const std::uint32_t id = flows_[end.flow];
    const RememberedBurst::Flow& then = burst_->flows[end.flow];
    if (has_begun_[end.flow] == 0) {
      throw std::logic_error("fast_forward.memo: flow " + std::to_string(id) +
                             " ends in memory, but has not begun");
    }
    FlowRecord& record = p_.ledger[id];
    if (end.sent) {
      record.packets = then.packets;
      record.sent_wire_bits = then.wire_bits;
      const HostId from = p_.plan.flow(id).spec.from;
      p_.nic_of(from).transmitter().acknowledged(id, record.target_bytes);
    } else {
      record.ce_received = then.ce;
      record.cnps_sent = then.cnps;
      record.received(record.target_bytes, now);
    }
  }
  if (next_end_ == ends.size() && from_ + burst_->length <= now) {
    mode_ = Mode::kIdle;
    leap();
  } else {
    plan_replay();
  }
}

void Memo::plan_replay() {
  const std::vector<RememberedBurst::End>& ends = burst_->ends;
  const PicoSeconds next = next_end_ < ends.size() ? ends[next_end_].at : burst_->length;
  p_.scheduler.schedule_at(replay_event_, from_ + next);
}

// ---------------------------------------------------------------- rounds that are left out

void Memo::learn_period(RememberedBurst& burst, std::uint64_t begun) const {
  if (!before_ || begun < burst.flows.size() ||
      !leaps_->is_round(burst, begun - burst.flows.size())) {
    return;
  }
  burst.before = before_;
  const std::optional<RoundState> after = leaps_->state(begun);
  if (after && after->is_like(*before_)) burst.period = after->at - from_;
}

void Memo::leap() {
  if (!leaps_ || mode_ != Mode::kIdle) return;
  const std::optional<RoundState> state = leaps_->state(begun_);
  if (!state) return;
  const auto found = known_.find(hash_of(leaps_->first(*state).spec));
  if (found == known_.end()) return;
  Known& known = found->second;
  const auto like = std::find_if(known.bursts.begin(), known.bursts.end(), [&](const auto& one) {
    return one->period.has_value() && one->before->is_like(*state);
  });
  if (like == known.bursts.end()) return;
  RememberedBurst& burst = **like;
  const std::uint64_t possible = leaps_->possible(*state);
  const PicoSeconds until = next_event_by_clock();
  std::uint64_t times = 0;
  for (PicoSeconds at = state->at; times < possible; ++times, at = at + *burst.period) {
    if (at + burst.length >= until) break;
    decided_ = wants_check(burst);
    if (*decided_) break;
  }
  // A decision against a check belongs to the last round that is left out.
  if (decided_ && !*decided_) decided_.reset();
  if (times == 0) return;
  leaps_->leap(burst, *state, times);
  known.hits += times;
  burst.owed += static_cast<std::int64_t>(times);
  result_.hits += times;
  result_.flows += times * burst.flows.size();
  result_.skipped += burst.length * static_cast<std::int64_t>(times);
}

// ---------------------------------------------------------------- the part of the platform

namespace {
[[noreturn]] void refuse_memo(const std::string& why) {
  throw SettingError("fast_forward.memo", why);
}

/// Refuses several paths between two hosts: the memory identifies flows by their ends; with several
/// paths, each flow takes its own path.
void require_single_paths(const Platform& p) {
  if (!p.plan.is_held()) return;  // Only a held plan can have flows that wait for others.
  std::unordered_set<std::uint64_t> seen;
  for (const PlannedFlow& flow : p.plan.flows()) {
    if (!seen.insert(std::uint64_t{flow.spec.from} << 32 | flow.spec.to).second) continue;
    for (const bool back : {false, true}) {
      const HostId from = back ? flow.spec.to : flow.spec.from;
      const HostId to = back ? flow.spec.from : flow.spec.to;
      const NodeId destination = p.topology.node_of(to);
      for (NodeId here = p.topology.peer(p.topology.node_of(from), 0).node; here != destination;) {
        const PortSet ports = p.routing.ports(here, to);
        if (ports.size() != 1) {
          refuse_memo("several paths lead from host " + std::to_string(from) + " to host " +
                      std::to_string(to) +
                      ", and each flow takes its own, so that no burst repeats: memory needs one "
                      "path for each pair of hosts (topology.kind: star, or spines: 1)");
        }
        here = p.topology.peer(here, ports.front()).node;
      }
    }
  }
}

const PartKind kMemoKind(PartKind::kMemo, [](Platform& p) -> std::unique_ptr<PlatformPart> {
  if (!p.config.fast_forward.memo) return nullptr;
  if (p.setup.group != nullptr) {
    refuse_memo("several processes do not know all flows: run one process");
  }
  if (p.setup.interactive || p.setup.machine != nullptr) {
    refuse_memo("a prompt or a debugger looks at single events, which memory leaves out");
  }
  if (p.setup.late_change) {
    refuse_memo("the run is to be changed, and memory would hold what was before");
  }
  require_single_paths(p);
  return std::make_unique<Memo>(p);
});
}  // namespace

}  // namespace dcc::vp
