#include "controller/controller_model.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"

namespace dcc {

namespace {

ControllerConfig checked(const ControllerConfig& config) {
  if (config.clock.hertz == 0 || config.clock_period().count <= 0) {
    throw std::invalid_argument("the controller's clock period must be positive");
  }
  if (config.latency_cycles < timing::kMinLatency || config.latency_cycles > kMaxLatencyCycles) {
    throw std::invalid_argument("the controller's latency is " +
                                std::to_string(timing::kMinLatency) + " to " +
                                std::to_string(kMaxLatencyCycles) + " clock cycles, not " +
                                std::to_string(config.latency_cycles));
  }
  return config;
}

constexpr std::uint32_t kFlowMask = kFlowNumberLimit - 1;

}  // namespace

std::unique_ptr<ControllerEngine> make_controller(Scheduler& scheduler,
                                                  const ControllerConfig& config,
                                                  std::uint32_t rank, RateSink& sink,
                                                  std::unique_ptr<TimerEngine> timers,
                                                  std::unique_ptr<RateEngine> rates,
                                                  const ControllerEngineFactory& make_engine) {
  std::unique_ptr<ControllerEngine> engine;
  if (make_engine) engine = make_engine(scheduler, config, rank, sink);
  if (engine != nullptr) return engine;
  return std::make_unique<ControllerModel>(scheduler, config, rank, sink, std::move(timers),
                                           std::move(rates));
}

ControllerModel::ControllerModel(Scheduler& scheduler, const ControllerConfig& config,
                                 std::uint32_t rank, RateSink& sink,
                                 std::unique_ptr<TimerEngine> timers,
                                 std::unique_ptr<RateEngine> rates)
    : scheduler_(scheduler),
      config_(checked(config)),
      clock_(scheduler.now(), config.clock_period(), divider(ControllerParameters{})),
      latency_(config.latency_cycles),
      look_ahead_(latency_),
      sink_(sink),
      timers_(timers ? std::move(timers) : std::make_unique<TimingWheel>(config.slots)),
      rates_(rates ? std::move(rates) : std::make_unique<RateUnit>()),
      manager_(config.slots, *rates_, *timers_),
      wake_event_(Event::calling<&ControllerModel::wake>(*this, rank)) {}

// ---- Inputs -------------------------------------------------------------------------------------

void ControllerModel::cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
                          std::uint8_t packets) {
  const Cycle now = edge();
  advance(now - 1);
  cnp_sampled_ = std::max(now, cnp_sampled_ + 1);
  cnps_ahead_.push({cnp_sampled_, flow & kFlowMask, dscp, marks, packets, 1});
  next_possible_ = std::min(next_possible_, cnp_sampled_);
  if (!might_be_enabled()) return;
  // A cut is issued before waiting bytes of its flow, and may bind the flow to a slot.
  if (!bytes_.empty() || !bytes_ahead_.empty()) bytes_matter_ = true;
  wake_for_issue(cnp_sampled_ + 1);
}

void ControllerModel::bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) {
  const Cycle now = edge();
  advance(now - 1);
  if (bytes_ahead_.size() == timing::kAtPort) {
    ++dropped_at_port_;
    return;
  }
  bytes_sampled_ = std::max(now, bytes_sampled_ + 1);
  next_possible_ = std::min(next_possible_, bytes_sampled_);
  const Bytes bytes{bytes_sampled_, flow & kFlowMask, length, 1, dscp};
  const SlotIndex slot = manager_.flows().match(bytes.flow);
  // Byte notifications matter if they may lead to an answer, now or behind inputs that wait. Other
  // byte notifications need no scheduler event, since the next call issues them.
  const bool waits = inputs_wait();
  const bool matters = manager_.increases_by_bytes() &&
                       (waits || manager_.over_threshold(slot, length)) && might_be_enabled();
  if (!matters && !waits && is_steady()) {
    pending_bytes_ = bytes;
    pending_slot_ = slot;
    return;
  }
  bytes_ahead_.push(bytes);
  if (!matters) return;
  bytes_matter_ = true;
  wake_for_issue(bytes_sampled_ + 1);
}

/// Issues the pending bytes if they can be issued by `cycle` and no timer event precedes them;
/// otherwise puts the bytes into the FIFO.
void ControllerModel::flush_pending_bytes(Cycle cycle) {
  const Bytes bytes = pending_bytes_;
  pending_bytes_.packets = 0;
  const Cycle at = std::max(next_issue_, bytes.sampled + 1);
  if (at > cycle || at >= timer_bound_ || recent_.ready(bytes.flow, at) != at) {
    bytes_ahead_.push(bytes);
    return;
  }
  note_issue(bytes.flow, at);
  manager_.add_bytes(pending_slot_, bytes.dscp, bytes.length, bytes.packets);
  next_possible_ = std::max(next_issue_, timer_bound_);
}

void ControllerModel::command(std::uint32_t flow, bool release) {
  const Cycle now = edge();
  advance(now - 1);
  command_sampled_ = std::max(now, command_sampled_ + 1);
  commands_ahead_.push({command_sampled_, flow & kFlowMask, release});
  next_possible_ = std::min(next_possible_, command_sampled_);
  wake_for_issue(command_sampled_ + 1);
}

// ---- The machine --------------------------------------------------------------------------------

void ControllerModel::work_until(Cycle cycle) {
  for (;;) {
    const Cycle edge = next_sample();
    if (reset_pending_ && std::min(edge, cycle) >= reset_from_) {
      reset();
      continue;
    }
    if (edge > cycle) {
      next_possible_ = std::min(edge, issue_until(cycle));
      if (reset_pending_) next_possible_ = std::min(next_possible_, reset_from_);
      return;
    }
    issue_until(edge);  // an event that is issued at an edge makes room at the same edge
    sample(edge);
  }
}

Cycle ControllerModel::next_sample() const {
  Cycle next = kNever;
  if (!cnps_ahead_.empty()) next = cnps_ahead_.front().sampled;
  if (!bytes_ahead_.empty()) next = std::min(next, bytes_ahead_.front().sampled);
  if (!commands_ahead_.empty()) next = std::min(next, commands_ahead_.front().sampled);
  return next;
}

void ControllerModel::sample(Cycle edge) {
  for (; !enable_changes_.empty() && enable_changes_.front().from <= edge; enable_changes_.pop()) {
    enabled_ = enable_changes_.front().enable;
  }
  if (!cnps_ahead_.empty() && cnps_ahead_.front().sampled == edge) {
    sample_cnp(cnps_ahead_.front());
    cnps_ahead_.pop();
  }
  // An input that finds a full FIFO is offered again at the next edge; later inputs of the same
  // port follow it.
  const auto next = [](auto& queue, Cycle after) {
    if (!queue.empty()) queue.front().sampled = std::max(queue.front().sampled, after);
  };
  if (!commands_ahead_.empty() && commands_ahead_.front().sampled == edge) {
    const bool resetting = edge >= reset_from_ && edge < ready_from_;
    if (!resetting && commands_.size() < timing::kCommandDepth) {
      commands_.push(commands_ahead_.front());
      commands_ahead_.pop();
    }
    next(commands_ahead_, resetting ? ready_from_ : edge + 1);
  }
  if (!bytes_ahead_.empty() && bytes_ahead_.front().sampled == edge) {
    if (sample_bytes(bytes_ahead_.front())) bytes_ahead_.pop();
    next(bytes_ahead_, edge + 1);
  }
}

/// Returns true if a CNP or bytes are dropped: while the controller is disabled, and while a reset
/// is in progress.
bool ControllerModel::dropped(Cycle sampled) {
  if (!enabled_) return true;
  if (sampled < reset_from_ || sampled >= ready_from_) return false;
  manager_.count_dropped_input();
  return true;
}

void ControllerModel::sample_cnp(const Cnp& cnp) {
  if (dropped(cnp.sampled)) return;
  if (cnps_.size() == timing::kCnpDepth) {
    manager_.count_lost_cnp();
    return;
  }
  cnps_.push(cnp);
}

bool ControllerModel::sample_bytes(const Bytes& bytes) {
  if (dropped(bytes.sampled)) return true;
  for (std::uint32_t i = 0; i < bytes_.size(); ++i) {
    Bytes& waiting = bytes_[i];
    if (waiting.flow != bytes.flow) continue;
    waiting.length += std::min(bytes.length, timing::kMaxJoinedBytes - waiting.length);
    if (waiting.packets < timing::kMaxJoinedPackets) ++waiting.packets;
    waiting.dscp = bytes.dscp;
    return true;
  }
  if (bytes_.size() == timing::kBytesDepth) return false;
  bytes_.push(bytes);
  return true;
}

// ---- Outputs ------------------------------------------------------------------------------------

void ControllerModel::answer(Cycle issued, const std::optional<RateAnswer>& answer) {
  if (!answer.has_value()) return;
  outcomes_.push({issued + latency_, Outcome::Kind::kRate, answer->flow, answer->rate});
  wake_by(issued + latency_);
}

void ControllerModel::raise(Cycle issued, std::uint32_t causes) {
  outcomes_.push({issued + latency_, Outcome::Kind::kCause, causes, Rate()});
  wake_by(issued + latency_);
}

void ControllerModel::wake_by(Cycle cycle) {
  PicoSeconds when = clock_.time_of(cycle);
  if (wake_event_.is_scheduled() && when >= wake_event_.due()) return;
  if (when < scheduler_.now()) when = clock_.time_of(edge());
  scheduler_.schedule_at(wake_event_, when);
}

void ControllerModel::wake() {
  const Cycle now = edge();
  // Answers leave in the order of their issues. Answers that are not computed yet belong to later
  // issues than the computed ones.
  const bool at_once = look_ahead_ < latency_;
  if (at_once || outcomes_.empty()) advance(now - 1);
  while (!outcomes_.empty() && outcomes_.front().when <= now) {
    const Outcome outcome = outcomes_.take();
    switch (outcome.kind) {
      case Outcome::Kind::kRate:
        sink_.rate_calculated(outcome.flow, outcome.rate);
        break;
      case Outcome::Kind::kBoundQuery:
        sink_.query_answered(outcome.flow, outcome.rate);
        break;
      case Outcome::Kind::kUnboundQuery:
        sink_.query_answered(outcome.flow, std::nullopt);
        break;
      case Outcome::Kind::kCause:
        if (causes_ != nullptr) causes_->causes_raised(outcome.flow);
        break;
    }
  }
  Cycle next = kNever;
  if (outcomes_.empty() || at_once) {
    advance(now - 1);
    next = next_of_interest();
    if (next != kNever) next += look_ahead_;
  }
  if (!outcomes_.empty()) next = std::min(next, outcomes_.front().when);
  if (next == kNever) {
    scheduler_.cancel(wake_event_);
  } else {
    scheduler_.schedule_at(wake_event_, clock_.time_of(next));
  }
}

/// Returns a cycle before which no issued event leads to an answer, to an interrupt cause, or to a
/// slot change that an observer sees.
Cycle ControllerModel::next_of_interest() const {
  Cycle next = timer_bound_;
  const auto consider = [&next](const auto& queue) {
    if (!queue.empty()) next = std::min(next, queue.front().sampled + 1);
  };
  consider(cnps_);
  consider(cnps_ahead_);
  consider(commands_);
  consider(commands_ahead_);
  if (!joined_.empty()) next = std::min(next, joined_.next_round(next_issue_));
  if (!orders_.empty()) next = std::min(next, std::max(orders_.front().called, port_free_));
  if (bytes_matter_) {
    consider(bytes_);
    consider(bytes_ahead_);
  }
  return next == kNever ? kNever : std::max({next, next_issue_, edge()});
}

}  // namespace dcc
