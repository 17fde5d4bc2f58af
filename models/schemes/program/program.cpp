#include "schemes/program/program.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "riscv/elf_file.h"

namespace dcc {
namespace {

constexpr std::size_t kFaultsKept = 8;
constexpr std::array<const char*, DCC_EVENT_KINDS> kEventNames{"start", "cnp",  "ack",
                                                               "nack",  "sent", "timer"};
constexpr std::uint32_t kEachTimer = (1u << DCC_PROGRAM_TIMERS) - 1;

const RegisteredAlgorithm<ProgramParameters> kProgram{
    "program", "a user's program on cores in the NIC", kMakes<Program>};

std::uint64_t ps(PicoSeconds time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count));
}
std::uint32_t narrow(Bytes bytes) {
  return static_cast<std::uint32_t>(std::clamp<Bytes>(bytes, 0, 0xFFFFFFFF));
}
/// Adds a number to a sum that saturates at the greatest 32-bit number.
void add(std::uint32_t& sum, std::uint64_t more) {
  sum = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum + more, 0xFFFFFFFF));
}
bool may_merge(std::uint32_t kind) { return kind != DCC_START && kind != DCC_TIMER; }

std::shared_ptr<const ProgramImage> image_of(const ProgramParameters& parameters) {
  try {
    if (!parameters.elf.empty()) return ProgramImage::share(parameters.elf, parameters.memory);
  } catch (const riscv::ElfError&) {
    // no report of the error here, since ProgramParameters::check() reports it to the user
  }
  return nullptr;
}

}  // namespace

Program::Program(const AlgorithmContext& context, const ProgramParameters& parameters)
    : scheduler_(context.scheduler),
      host_(context.host),
      parameters_(parameters),
      mtu_(context.mtu),
      identity_(context.rank),
      image_(image_of(parameters)) {
  if (image_ != nullptr) {
    const dcc_program& program = image_->program();
    addresses_ = {program.on_start, program.on_cnp,  program.on_ack,
                  program.on_nack,  program.on_sent, program.on_timer};
  }
  handlers_.resize(DCC_EVENT_KINDS);
  for (std::size_t kind = 0; kind < kEventNames.size(); ++kind) {
    handlers_[kind].event = kEventNames[kind];
  }
  for (std::uint32_t number = 0; number < parameters.cores; ++number) {
    cores_.push_back(std::make_unique<Core>(*this, number, context.rank));
    idle_ |= 1u << number;
  }
}

AlgorithmNeeds Program::needs() const {
  AlgorithmNeeds needs;
  if (image_ == nullptr) return needs;
  const std::uint32_t flags = image_->program().flags;
  needs.cnp = handler_of(DCC_CNP) != 0;
  needs.acks = handler_of(DCC_ACK) != 0;
  needs.ack_each = needs.acks && (flags & DCC_EACH_ACK) != 0;
  needs.marks = needs.acks && (flags & DCC_MARKS) != 0;
  needs.telemetry = needs.acks && (flags & DCC_TELEMETRY) != 0;
  needs.on_sent = handler_of(DCC_SENT) != 0;
  needs.rtt_from_due = (flags & DCC_RTT_FROM_DUE) != 0;
  return needs;
}

// ---------------------------------------------------------------- events

/// Returns the flow if the program has a handler for events of this kind and the flow exists and
/// has not stopped; else null.
Program::Flow* Program::governed(FlowNumber number, std::uint32_t kind) {
  if (handler_of(kind) == 0) return nullptr;
  Flow* const flow = flows_.find(number);
  return flow == nullptr || flow->stopped ? nullptr : flow;
}

dcc_event Program::event_of(FlowNumber number, const Flow& flow, std::uint32_t kind) const {
  dcc_event event{};
  event.kind = kind;
  event.flow = number;
  event.time_ps = ps(host_.now());
  event.base_rtt_ps = flow.base_rtt;
  event.line_rate = host_.line_rate().raw;
  event.merged = 1;
  event.mtu = mtu_;
  event.dscp = flow.dscp;
  event.nic = identity_;
  return event;
}

ProgramCore& Program::core() {
  if (processor_ == nullptr) {
    processor_ = std::make_unique<ProgramCore>(image_, parameters_);
    processor_->set_debugger(debugger_);
  }
  return *processor_;
}

void Program::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (image_ == nullptr) return;
  core();
  if (Flow* const former = flows_.find(number); former != nullptr) stop(number, *former);
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.newest.fill(EventQueue::kNone);
  flow.expired.fill(EventQueue::kNone);
  flow.generation = ++generation_;
  flow.dscp = start.dscp;
  flow.base_rtt = ps(start.base_rtt);
  flow.threshold = image_->program().sent_bytes;
  flow.rate = flow.target = start.initial_rate.raw != 0 ? start.initial_rate : host_.line_rate();
  host_.set_rate(number, flow.rate);
  if (governed(number, DCC_START) == nullptr) return;
  dcc_event event = event_of(number, flow, DCC_START);
  event.flow_bytes = static_cast<std::uint64_t>(std::max<Bytes>(0, start.bytes));
  event.initial_rate = start.initial_rate.raw;
  happen(number, flow, event);
}

bool Program::change_class(FlowNumber number, std::uint8_t dscp) {
  if (Flow* const flow = flows_.find(number); flow != nullptr) flow->dscp = dscp;
  return true;
}

void Program::on_sent(FlowNumber number, const SentInfo& info) {
  Flow* const flow = governed(number, DCC_SENT);
  if (flow == nullptr) return;
  add(flow->sent, info.wire_bytes);
  add(flow->payload, info.payload_bytes);
  flow->counted += info.wire_bytes;
  if (flow->threshold == DCC_NO_SENT || flow->counted <= flow->threshold) return;
  flow->counted = flow->threshold == 0 ? 0 : flow->counted - flow->threshold;
  dcc_event event = event_of(number, *flow, DCC_SENT);
  event.bytes = std::exchange(flow->sent, 0);
  event.payload = std::exchange(flow->payload, 0);
  event.psn = static_cast<std::uint32_t>(info.psn);
  event.flags = (info.last_of_message ? DCC_LAST_OF_MESSAGE : 0) |
                (info.more_waiting ? DCC_MORE_WAITING : 0) |
                (info.window_full ? DCC_WINDOW_FULL : 0);
  happen(number, *flow, event);
}

void Program::on_ack(FlowNumber number, const AckInfo& info) {
  Flow* const flow = governed(number, DCC_ACK);
  if (flow == nullptr) return;
  dcc_event event = event_of(number, *flow, DCC_ACK);
  event.rtt_ps = ps(info.rtt);
  event.bytes = narrow(info.newly_acked);
  event.psn = static_cast<std::uint32_t>(info.psn);
  event.next_psn = static_cast<std::uint32_t>(info.next_psn);
  event.marks = info.ce ? 1 : 0;
  event.packets = 1;
  event.flags = info.last_of_message ? DCC_LAST_OF_MESSAGE : 0;
  if (info.telemetry != nullptr) {
    static_assert(kMaxIntHops <= DCC_MAX_HOPS);
    event.hops = static_cast<std::uint32_t>(info.telemetry_hops);
    for (std::size_t i = 0; i < event.hops; ++i) {
      const IntHop& hop = info.telemetry->hop[i];
      hops_[i] = {ps(hop.timestamp), hop.tx_bytes, narrow(hop.queue), Rate::from(hop.rate).raw};
    }
  }
  happen(number, *flow, event);
}

void Program::on_cnp(FlowNumber number, const CnpInfo& info) {
  Flow* const flow = governed(number, DCC_CNP);
  if (flow == nullptr) return;
  dcc_event event = event_of(number, *flow, DCC_CNP);
  event.marks = info.marks;
  event.packets = info.packets;
  happen(number, *flow, event);
}

void Program::on_nack(FlowNumber number, Psn psn) {
  Flow* const flow = governed(number, DCC_NACK);
  if (flow == nullptr) return;
  dcc_event event = event_of(number, *flow, DCC_NACK);
  event.psn = static_cast<std::uint32_t>(psn);
  happen(number, *flow, event);
}

void Program::on_timer(FlowNumber number, int id) {
  Flow* const known = flows_.find(number);
  if (known == nullptr) return;
  known->timers &= static_cast<std::uint8_t>(~(1u << id));
  Flow* const flow = governed(number, DCC_TIMER);
  if (flow == nullptr) return;
  dcc_event event = event_of(number, *flow, DCC_TIMER);
  event.timer = static_cast<std::uint32_t>(id);
  happen(number, *flow, event);
}

// ---------------------------------------------------------------- queue and cores

void Program::happen(FlowNumber number, Flow& flow, const dcc_event& event) {
  HandlerCounts& counts = handlers_[event.kind];
  ++counts.events;
  if (parameters_.instant) {
    WaitingEvent now{event, host_.now()};
    dcc_result result{};
    const ProgramCore::Outcome outcome = handle(now, hops_, flow, result);
    counts.service.add(0);
    counts.reaction.add(0);
    if (outcome.faulted) {
      stop(number, flow);
    } else {
      note_reaction(event.kind, host_.now(), flow, result);
      apply(number, flow, result);
    }
    return;
  }
  using Merge = ProgramParameters::Merge;
  const bool mergeable = may_merge(event.kind);
  if (mergeable && parameters_.merge == Merge::kAlways && merge(flow, event)) return;
  const bool at_once = idle_ != 0 && !flow.in_service;
  if (mergeable && bounded_ >= parameters_.queue && !at_once) {
    if (parameters_.merge == Merge::kFull && merge(flow, event)) return;
    ++counts.lost;
    return;
  }
  const EventQueue::Place place = queue_.push({event, host_.now()});
  keep_hops(place, event);
  ++flow.waiting;
  if (mergeable) {
    ++bounded_;
    flow.newest[event.kind] = place;
  } else if (event.kind == DCC_TIMER) {
    flow.expired[event.timer] = place;
  }
  if (idle_ != 0) dispatch();
}

/// Merges the event with the flow's newest waiting event of the same kind, if there is one.
bool Program::merge(Flow& flow, const dcc_event& event) {
  const EventQueue::Place place = flow.newest[event.kind];
  if (place == EventQueue::kNone) return false;
  dcc_event& into = queue_[place].event;
  into.time_ps = event.time_ps;
  into.rtt_ps = event.rtt_ps;
  into.hops = event.hops;
  keep_hops(place, event);
  into.psn = event.psn;
  into.next_psn = event.next_psn;
  into.flags = event.flags | (into.flags & DCC_LAST_OF_MESSAGE);
  add(into.bytes, event.bytes);
  add(into.payload, event.payload);
  add(into.marks, event.marks);
  add(into.packets, event.packets);
  add(into.merged, 1);
  ++handlers_[event.kind].merged;
  return true;
}

void Program::keep_hops(EventQueue::Place place, const dcc_event& event) {
  if (event.hops != 0) queue_.hops(place) = hops_;
}

void Program::take_out(EventQueue::Place place, Flow& flow) {
  const dcc_event& event = queue_[place].event;
  if (may_merge(event.kind)) {
    --bounded_;
    if (flow.newest[event.kind] == place) flow.newest[event.kind] = EventQueue::kNone;
  } else if (event.kind == DCC_TIMER) {
    flow.expired[event.timer] = EventQueue::kNone;
  }
  --flow.waiting;
  queue_.remove(place);
}

/// Assigns the first waiting events to idle cores, except events of flows that a core works for.
void Program::dispatch() {
  EventQueue::Place place = queue_.first();
  while (idle_ != 0 && place != EventQueue::kNone) {
    const EventQueue::Place next = queue_.after(place);
    const FlowNumber number = queue_[place].event.flow;
    Flow& flow = flows_[number];
    if (!flow.in_service) {
      WaitingEvent waiting = queue_[place];
      take_out(place, flow);
      Core& core = *cores_[static_cast<std::size_t>(__builtin_ctz(idle_))];
      idle_ &= ~(1u << core.number);
      flow.in_service = true;
      core.flow = number;
      core.generation = flow.generation;
      core.kind = waiting.event.kind;
      core.since = waiting.since;
      core.result = {};
      waiting.event.core = core.number;
      const ProgramCore::Outcome outcome =
          handle(waiting, waiting.event.hops != 0 ? queue_.hops(place) : hops_, flow, core.result);
      core.faulted = outcome.faulted;
      const PicoSeconds time = time_of(outcome.cost);
      handlers_[core.kind].service.add(ps(time));
      busy_ = busy_ + time;
      scheduler_.schedule_in(core.done, time);
    }
    place = next;
  }
}

/// Runs the handler of the waiting event, which leaves its answer in `result`.
ProgramCore::Outcome Program::handle(WaitingEvent& waiting, const Hops& hops, Flow& flow,
                                     dcc_result& result) {
  dcc_event& event = waiting.event;
  HandlerCounts& counts = handlers_[event.kind];
  event.rate = flow.rate.raw;
  ProgramCore::Outcome outcome =
      processor_->run(handler_of(event.kind), event, hops.data(), flow.context.data(), result);
  ++counts.handled;
  counts.instructions += outcome.instructions;
  counts.wait.add(ps(host_.now() - waiting.since));
  for (std::string& line : processor_->take_lines()) {
    if (lines_.size() < parameters_.trace) {
      lines_.push_back({host_.now(), "flow " + std::to_string(event.flow) + " " +
                                         kEventNames[event.kind] + ": " + line});
    } else {
      ++lines_left_out_;
    }
  }
  if (outcome.faulted) {
    ++counts.faults;
    if (faults_.size() < kFaultsKept) {
      faults_.push_back({host_.now(), event.flow, counts.event, outcome.fault});
    }
  }
  return outcome;
}

/// Time of a handler's executed instructions and of its call, rounded up to a picosecond.
PicoSeconds Program::time_of(std::uint64_t cost) const {
  const Uint128 thousandths =
      Uint128(cost) + Uint128(parameters_.dispatch) * ProgramCore::kCostOfCycle;
  const Uint128 scale = Uint128(parameters_.clock.hertz) * ProgramCore::kCostOfCycle;
  const Uint128 time = (thousandths * 1'000'000'000'000u + scale - 1) / scale;
  return PicoSeconds(static_cast<std::int64_t>(time));
}

void Program::finish(Core& core) {
  idle_ |= 1u << core.number;
  Flow* const flow = flows_.find(core.flow);
  if (flow != nullptr && flow->generation == core.generation) {
    flow->in_service = false;
    handlers_[core.kind].reaction.add(ps(host_.now() - core.since));
    if (core.faulted) {
      stop(core.flow, *flow);
    } else if (!flow->stopped) {
      note_reaction(core.kind, core.since, *flow, core.result);
      apply(core.flow, *flow, core.result);
    }
  }
  dispatch();
}

// ---------------------------------------------------------------- answers

/// Records the reaction time of an event that happened at `since`. Call before the event's answer
/// is applied.
void Program::note_reaction(std::uint32_t kind, PicoSeconds since, const Flow& flow,
                            const dcc_result& result) {
  if (kind == DCC_CNP && (result.set & DCC_SET_RATE) != 0 && result.rate < flow.rate.raw) {
    reactions_.add(ps(host_.now() - since));
  }
}

void Program::apply(FlowNumber number, Flow& flow, const dcc_result& result) {
  if ((result.set & DCC_SET_VIEW) != 0) {
    flow.target = Rate(result.target);
    flow.alpha = result.alpha;
  }
  if ((result.set & DCC_SET_SENT_BYTES) != 0) {
    flow.threshold = result.sent_bytes;
    flow.counted = 0;
  }
  for (unsigned timer = 0; timer < DCC_PROGRAM_TIMERS; ++timer) {
    if ((result.set & DCC_SET_TIMER << timer) != 0) {
      forget_timer(flow, timer);
      flow.timers |= static_cast<std::uint8_t>(1u << timer);
      // A timer that restarts itself without a delay would stop the simulated time.
      const std::int64_t delay = std::max<std::uint32_t>(1, result.timer_ns[timer]);
      host_.start_timer(number, static_cast<int>(timer), kNanoSecond * delay);
    } else if ((result.set & DCC_STOP_TIMER << timer) != 0) {
      forget_timer(flow, timer);
      flow.timers &= static_cast<std::uint8_t>(~(1u << timer));
      host_.stop_timer(number, static_cast<int>(timer));
    }
  }
  // The answer's rate and window are applied last: they may send packets, which cause further
  // events of the flow.
  const Rate before = flow.rate;
  if ((result.set & DCC_SET_RATE) != 0) {
    flow.rate = std::min(Rate(result.rate), host_.line_rate());
    if ((result.set & DCC_SET_VIEW) == 0) flow.target = flow.rate;
    if (flow.rate.raw < before.raw) ++counters_.rate_decreases;
    if (flow.rate.raw > before.raw) ++counters_.rate_increases;
    host_.set_rate(number, flow.rate);
  }
  if ((result.set & DCC_SET_WINDOW) != 0) {
    host_.set_window(number, result.window == DCC_NO_WINDOW ? std::numeric_limits<Bytes>::max()
                                                            : Bytes{result.window});
  }
}

/// Removes a timer's waiting event from the queue.
void Program::forget_timer(Flow& flow, unsigned timer) {
  if (flow.expired[timer] != EventQueue::kNone) take_out(flow.expired[timer], flow);
}

/// Stops sending the flow's events to the program. The flow keeps its rate and window.
void Program::stop(FlowNumber number, Flow& flow) {
  flow.stopped = true;
  for (EventQueue::Place place = queue_.first(); place != EventQueue::kNone;) {
    const EventQueue::Place next = queue_.after(place);
    if (queue_[place].event.flow == number) take_out(place, flow);
    place = next;
  }
  for (unsigned timer = 0; timer < DCC_PROGRAM_TIMERS; ++timer) {
    if ((flow.timers >> timer & 1) != 0) host_.stop_timer(number, static_cast<int>(timer));
  }
  flow.timers = 0;
}

Algorithm::View Program::view(FlowNumber number) const {
  const Flow* const flow = flows_.find(number);
  if (flow == nullptr) return {host_.line_rate(), host_.line_rate(), 0.0};
  return {flow->rate, flow->target, flow->alpha / 65536.0};
}

bool Program::is_quiescent(FlowNumber number) const {
  const Flow* const flow = flows_.find(number);
  if (flow == nullptr) return true;
  return flow->waiting == 0 && !flow->in_service && (flow->timers & kEachTimer) == 0;
}

}  // namespace dcc
