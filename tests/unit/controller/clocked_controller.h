// A reference implementation of the controller's cycle contract (docs/controller-contract.md) that
// executes every clock edge. It shares only the meaning of events with the model
// (CongestionManager, RateUnit). It implements sampling, FIFOs, event order, distances between
// events, timers, register accesses and reset a second time, and predicts the cause of each timer
// event.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controller/congestion_manager.h"
#include "controller/rate_unit.h"
#include "unit/controller/controller_model_fixture.h"

namespace dcc::test {

/// One input of the controller, at a time in picoseconds.
struct Input {
  enum class Kind { kCnp, kBytes, kRelease, kQuery, kParameters, kReset };
  std::int64_t when = 0;
  Kind kind = Kind::kCnp;
  std::uint32_t flow = 0;
  std::uint32_t length = 0;
  std::uint8_t dscp = 0;
  ControllerParameters parameters;  // used for kParameters only
  std::uint8_t marks = 1;           // used for kCnp only
  std::uint8_t packets = 0;         // used for kCnp only
};

/// A timing engine that keeps its timers in a sorted set. A timer that the manager has started
/// stays in the set until the test takes it out.
class SetOfTimers final : public TimerEngine {
 public:
  std::set<std::pair<Tick, SlotIndex>> events;
  std::optional<Tick> next_due(Tick) override { return std::nullopt; }
  bool is_started(SlotIndex) const override { return false; }
  std::optional<std::uint32_t> stored_due(SlotIndex) const override { return std::nullopt; }
  Tick lag(Tick) override { return 0; }

 private:
  bool do_start(SlotIndex slot, Ticks delay, Tick now) override {
    events.insert({now + std::max<Ticks>(1, delay), slot});
    return false;
  }
  bool do_cancel(SlotIndex, Tick) override { return false; }
  std::optional<TimerExpiry> do_take_expired(Tick) override { return std::nullopt; }
  void do_reset(Tick) override { events.clear(); }
};

class ClockedController {
 public:
  static constexpr std::int64_t kD = 32, kF = 16, kK = 8, kS = 4, kR = 16;
  static constexpr std::size_t kCnps = 64, kFlows = 64, kCommands = 16;

  struct Seen {
    std::uint64_t same_flow_stalls = 0;
    std::uint64_t joined = 0;
    std::uint64_t joined_cnps = 0;
    std::uint64_t yielded = 0;      // CNPs that let another head of their flow go first
    std::uint64_t bytes_turns = 0;  // bytes issued while a command waits and after another one
    std::uint64_t bytes_waited = 0;
    std::uint64_t commands_waited = 0;
    std::uint64_t stale = 0;
    std::uint64_t freed = 0;
    std::uint64_t not_free_yet = 0;
    std::uint64_t dropped_in_reset = 0;
    // number of accesses that began while an event was in flight
    std::uint64_t accesses_in_flight = 0;
    // Number of pairs of events of one flow, by their distance in edges.
    std::map<std::int64_t, std::uint64_t> distances;
  };

  ClockedController(std::uint32_t slots, std::int64_t period, std::int64_t latency,
                    const ControllerParameters& parameters)
      : slots_(slots), period_(period), latency_(latency), manager_(slots, rates_, timers_) {
    manager_.set_parameters(parameters);
    make_dcqcn_tables(256, [this](RateTable t, std::uint32_t i, std::uint32_t w) {
      manager_.write_table(t, i, w);
    });
    tick_length_ = parameters.tick_div;
  }

  std::vector<Answer> run(const std::vector<Input>& inputs, std::int64_t end) {
    std::size_t next = 0;
    for (edge_ = 0; edge_ * period_ <= end; ++edge_) {
      while (next < inputs.size() && inputs[next].when <= edge_ * period_) arrive(inputs[next++]);
      // Begins a new tick if this edge does so.
      if (edge_ == tick_restarts_) {
        tick_began_ = edge_;
        tick_length_ = manager_.parameters().tick_div;
      } else if (edge_ - tick_began_ >= tick_length_) {
        tick_began_ = edge_;
        ++tick_;
      }
      const bool quiet = !accesses_.empty() || edge_ <= effect_ || edge_ < ready_;
      if (!quiet) issue();
      sample();  // samples the inputs with the register values before this edge's access
      if (!accesses_.empty() && edge_ == effect_) take_effect();
      deliver();
    }
    return answers_;
  }

  CongestionManager& manager() { return manager_; }
  const Seen& seen() const { return seen_; }
  std::uint64_t missed() const { return missed_; }
  Tick lateness() const { return lateness_; }
  std::uint64_t no_slot_causes() const { return no_slot_causes_; }

 private:
  struct Waiting {
    Input input;
    std::int64_t sampled = 0;
    std::uint64_t length = 0;
    std::uint32_t packets = 1;
  };
  /// The latest issue of a flow, and the CNPs of the flow that wait behind it.
  struct Latest {
    std::int64_t edge = 0;
    bool cnp = false;
    std::optional<Input> joined;
    std::uint32_t count = 0;
  };
  struct Leaving {
    std::int64_t edge;
    std::uint32_t flow;
    RateBits rate;
  };

  void arrive(const Input& input) {
    switch (input.kind) {
      case Input::Kind::kCnp:
        cnp_port_.push_back(input);
        break;
      case Input::Kind::kBytes:
        bytes_port_.push_back(input);
        break;
      case Input::Kind::kRelease:
      case Input::Kind::kQuery:
        command_port_.push_back(input);
        break;
      case Input::Kind::kParameters:
      case Input::Kind::kReset:
        if (accesses_.empty()) {
          effect_ = std::max({edge_ - 1, effect_, last_issue_ + kD, ready_ - 1}) + 2;
        }
        if (last_issue_ + kD > edge_) ++seen_.accesses_in_flight;
        accesses_.push_back(input);
        break;
    }
  }

  void take_effect() {
    const Input access = accesses_.front();
    accesses_.pop_front();
    if (access.kind == Input::Kind::kParameters) {
      if (access.parameters.tick_div != manager_.parameters().tick_div) tick_restarts_ = edge_ + 1;
      manager_.set_parameters(access.parameters);
    } else {
      manager_.reset(tick_);
      cnps_.clear();
      bytes_.clear();
      commands_.clear();
      leaving_.erase(std::remove_if(leaving_.begin(), leaving_.end(),
                                    [&](const Leaving& l) { return l.edge >= edge_; }),
                     leaving_.end());
      last_of_flow_.clear();
      freed_at_.clear();
      due_.clear();
      timer_waited_ = command_waited_ = bytes_waited_ = bytes_turn_ = false;
      missed_ = 0;
      lateness_ = 0;
      last_timer_ = edge_;
      last_due_ = tick_;
      ready_ = edge_ + 1 + slots_ + kR;
    }
    if (!accesses_.empty()) effect_ = std::max({edge_, last_issue_ + kD, ready_ - 1}) + 2;
  }

  void sample() {
    const bool enabled = manager_.parameters().enable;
    const bool ready = edge_ >= ready_;
    if (!cnp_port_.empty()) {
      const Input input = cnp_port_.front();
      cnp_port_.pop_front();
      if (!enabled) {
      } else if (!ready) {
        manager_.count_dropped_input();
        ++seen_.dropped_in_reset;
      } else if (cnps_.size() == kCnps) {
        manager_.count_lost_cnp();
      } else {
        cnps_.push_back({input, edge_});
      }
    }
    if (!command_port_.empty() && ready) {
      if (commands_.size() == kCommands) {
        ++seen_.commands_waited;
      } else {
        commands_.push_back({command_port_.front(), edge_});
        command_port_.pop_front();
      }
    }
    if (bytes_port_.empty()) return;
    const Input input = bytes_port_.front();
    if (!enabled || !ready) {
      if (enabled) manager_.count_dropped_input();
      bytes_port_.pop_front();
      return;
    }
    const auto same = std::find_if(bytes_.begin(), bytes_.end(),
                                   [&](const Waiting& w) { return w.input.flow == input.flow; });
    if (same != bytes_.end()) {
      same->length = std::min<std::uint64_t>(same->length + input.length, 0xFFFFFFFF);
      same->packets = std::min(same->packets + 1, 0xFFFFu);
      same->input.dscp = input.dscp;
      ++seen_.joined;
    } else if (bytes_.size() == kFlows) {
      ++seen_.bytes_waited;
      return;
    } else {
      bytes_.push_back({input, edge_, input.length, 1});
    }
    bytes_port_.pop_front();
  }

  /// The timer event with the least (due tick, slot), if it may be issued at this edge.
  std::optional<std::pair<Tick, SlotIndex>> timer_head() const {
    if (timers_.events.empty()) return std::nullopt;
    const auto [due, slot] = *timers_.events.begin();
    if (due > tick_ || edge_ < begin_of(due) + kF) return std::nullopt;
    const auto steps = static_cast<std::int64_t>(due) - static_cast<std::int64_t>(last_due_);
    if (edge_ < last_timer_ + kK + kS * std::max<std::int64_t>(0, steps)) return std::nullopt;
    return std::make_pair(due, slot);
  }
  /// The edge at which tick `due` would have begun if all later ticks had the present length.
  std::int64_t begin_of(Tick due) const {
    return tick_began_ - static_cast<std::int64_t>(tick_ - due) * tick_length_;
  }

  /// Issues the next event, and joins a CNP to waiting CNPs of its flow.
  void issue() {
    const auto head = [&](std::deque<Waiting>& fifo) {
      return !fifo.empty() && fifo.front().sampled < edge_ ? &fifo.front() : nullptr;
    };
    const std::optional<std::uint32_t> own = round();
    const Waiting* const cnp = head(cnps_);
    const bool joins = cnp != nullptr && blocked(cnp->input.flow, cnp->sampled) &&
                       own != cnp->input.flow && fits(cnp->input);
    const auto can = [&](std::uint32_t flow, std::int64_t sampled) {
      const bool stands = blocked(flow, sampled);
      return own ? flow == *own && last_of_flow_[flow].cnp : !stands;
    };
    const auto timer = timer_head();
    const std::uint32_t timer_flow = timer ? manager_.flows().read_last(timer->second) : 0;
    const Waiting* const command = head(commands_);
    const Waiting* const bytes = head(bytes_);
    // Heads that found their flow busy before go ahead of the flow's CNP.
    const bool free_cnp = cnp != nullptr && !own && !busy(cnp->input.flow);
    const auto before = [&](bool waited, std::uint32_t flow) {
      return free_cnp && waited && flow == cnp->input.flow;
    };
    const bool timer_first = timer && before(timer_waited_, timer_flow);
    const bool command_first = command != nullptr && before(command_waited_, command->input.flow);
    const bool bytes_first = bytes != nullptr && before(bytes_waited_, bytes->input.flow);
    const bool yields = timer_first || command_first || bytes_first;
    seen_.yielded += yields ? 1 : 0;
    const auto turn = [&](bool first, std::uint32_t flow, std::int64_t sampled) {
      return yields ? first : can(flow, sampled);
    };
    timer_waited_ = timer_waited_ || (timer && busy(timer_flow));
    command_waited_ = command_waited_ || (command != nullptr && busy(command->input.flow));
    bytes_waited_ = bytes_waited_ || (bytes != nullptr && busy(bytes->input.flow));
    std::optional<Input> joining;
    if (joins) {
      joining = cnp->input;
      cnps_.pop_front();
    }
    if (cnp != nullptr && !joins && !own && !yields && can(cnp->input.flow, cnp->sampled)) {
      note(cnp->input.flow, true);
      issue_cnp(cnp->input, 1);
      cnps_.pop_front();
    } else if (timer && turn(timer_first, timer_flow, edge_ - 1)) {
      timer_waited_ = false;
      note(timer_flow, false);
      issue_timer(timer->first, timer->second);
    } else if (command != nullptr && turn(command_first, command->input.flow, command->sampled) &&
               !(bytes_turn_ && bytes != nullptr &&
                 turn(bytes_first, bytes->input.flow, bytes->sampled))) {
      command_waited_ = false;
      bytes_turn_ = bytes_turn_ || bytes != nullptr;
      note(command->input.flow, false);
      issue_command(command->input);
      commands_.pop_front();
    } else if (bytes != nullptr && turn(bytes_first, bytes->input.flow, bytes->sampled)) {
      bytes_waited_ = false;
      seen_.bytes_turns += bytes_turn_ && command != nullptr ? 1 : 0;
      bytes_turn_ = false;
      note(bytes->input.flow, false);
      answer(manager_.bytes(bytes->input.flow, bytes->input.dscp,
                            static_cast<std::uint32_t>(bytes->length), bytes->packets));
      bytes_.pop_front();
    } else if (own) {
      const Latest latest = last_of_flow_[*own];
      last_of_flow_[*own].joined.reset();
      note(*own, true);
      issue_cnp(*latest.joined, latest.count);
      ++seen_.joined_cnps;
    }
    if (joining) join(*joining);
  }

  /// Returns the flow whose joined CNPs may be issued at this edge, if any.
  std::optional<std::uint32_t> round() const {
    for (const auto& [flow, latest] : last_of_flow_) {
      if (latest.joined && (edge_ - latest.edge) % kD == 0) return flow;
    }
    return std::nullopt;
  }
  bool fits(const Input& cnp) {
    const Latest& latest = last_of_flow_[cnp.flow];
    return !latest.joined || ((latest.joined->marks == 0) == (cnp.marks == 0) &&
                              latest.joined->marks + cnp.marks <= 255 && latest.count < 255);
  }
  void join(const Input& cnp) {
    Latest& latest = last_of_flow_[cnp.flow];
    if (!latest.joined) {
      latest.joined = cnp;
      latest.count = 1;
      return;
    }
    Input& sum = *latest.joined;
    sum.dscp = cnp.dscp;
    sum.marks = static_cast<std::uint8_t>(sum.marks + cnp.marks);
    const bool told = sum.packets != 0 && cnp.packets != 0;
    sum.packets = static_cast<std::uint8_t>(told ? std::min(255, sum.packets + cnp.packets) : 0);
    ++latest.count;
  }
  bool busy(std::uint32_t flow) const {
    const auto last = last_of_flow_.find(flow);
    return last != last_of_flow_.end() &&
           (edge_ - last->second.edge < kD || last->second.joined.has_value());
  }
  /// busy() that counts.
  bool blocked(std::uint32_t flow, std::int64_t sampled) {
    const auto last = last_of_flow_.find(flow);
    if (last == last_of_flow_.end()) return false;
    const std::int64_t distance = edge_ - last->second.edge;
    if (distance < kD) {
      ++seen_.same_flow_stalls;
      if (sampled == edge_ - 1) ++seen_.distances[distance];
    }
    return distance < kD || last->second.joined.has_value();
  }
  void note(std::uint32_t flow, bool cnp) {
    last_of_flow_[flow].edge = edge_;
    last_of_flow_[flow].cnp = cnp;
    last_issue_ = edge_;
  }

  void issue_cnp(const Input& input, std::uint32_t count) {
    freed_at_.erase(std::remove_if(freed_at_.begin(), freed_at_.end(),
                                   [&](std::int64_t at) { return at + kD <= edge_; }),
                    freed_at_.end());
    manager_.hold_back(static_cast<std::uint32_t>(freed_at_.size()));
    const ControllerStatistics before = manager_.statistics();
    answer(manager_.cnp(input.flow, input.dscp, input.marks, tick_, input.packets,
                        static_cast<std::uint8_t>(count)));
    const ControllerStatistics& after = manager_.statistics();
    if (after.cnps_dropped_no_slot != before.cnps_dropped_no_slot) {
      ++no_slot_causes_;
      if (manager_.flows().free_slots() != 0) ++seen_.not_free_yet;
    }
    const bool bound = after.slots_bound != before.slots_bound;
    const bool cut = after.rate_decreases != before.rate_decreases;
    if (bound || (cut && manager_.parameters().timer_restart)) {
      due_[manager_.flows().match(input.flow)] =
          tick_ + std::max<Ticks>(1, manager_.parameters().timer_interval);
    }
  }

  void issue_timer(Tick due, SlotIndex slot) {
    using Kind = CongestionManager::TimerOutcome::Kind;
    timers_.events.erase({due, slot});
    const bool bound = manager_.flows().read(slot) != FlowTable::kNoFlow;
    const Kind wanted = !bound ? Kind::kFreed : due_[slot] > due ? Kind::kStale : Kind::kExpired;
    const Tick later = std::max(due_[slot], tick_ + 2);
    const auto outcome = manager_.timer_event({slot, due}, tick_);
    ASSERT_EQ(outcome.kind, wanted);
    if (wanted == Kind::kStale) {
      ++seen_.stale;
      ASSERT_EQ(timers_.events.count({later, slot}), 1u);
    }
    const bool freed = wanted == Kind::kFreed || manager_.flows().read(slot) == FlowTable::kNoFlow;
    if (freed) freed_at_.push_back(edge_);
    if (wanted == Kind::kFreed) ++seen_.freed;
    if (wanted == Kind::kExpired) {
      answer(outcome.answer);
      if (edge_ > begin_of(due) + kF + kD) ++missed_;
      lateness_ = std::max(lateness_, tick_ - due);
      due_[slot] = tick_ + std::max<Ticks>(1, manager_.parameters().timer_interval);
    }
    last_timer_ = edge_;
    last_due_ = due;
  }

  void issue_command(const Input& input) {
    if (input.kind == Input::Kind::kRelease) {
      manager_.release(input.flow);
    } else {
      const auto rate = manager_.query(input.flow);
      leaving_.push_back({edge_ + latency_, input.flow | kQuery, rate ? rate->raw : 0});
    }
  }

  void answer(const std::optional<RateAnswer>& answer) {
    if (answer) leaving_.push_back({edge_ + latency_, answer->flow, answer->rate.raw});
  }
  void deliver() {
    if (leaving_.empty() || leaving_.front().edge != edge_) return;
    answers_.push_back({edge_ * period_, leaving_.front().flow, leaving_.front().rate});
    leaving_.pop_front();
  }

 public:
  static constexpr std::uint32_t kQuery = 1u << 31;  // bit that marks the response to a query

 private:
  std::uint32_t slots_;
  std::int64_t period_, latency_;
  RateUnit rates_;
  SetOfTimers timers_;
  CongestionManager manager_;

  std::int64_t edge_ = 0;
  Tick tick_ = 0;
  std::int64_t tick_began_ = 0, tick_length_ = 0;
  std::int64_t tick_restarts_ = std::numeric_limits<std::int64_t>::min();

  std::deque<Input> cnp_port_, bytes_port_, command_port_, accesses_;
  std::deque<Waiting> cnps_, bytes_, commands_;
  std::deque<Leaving> leaving_;
  std::int64_t effect_ = -1, ready_ = 0;
  std::int64_t last_issue_ = -kD, last_timer_ = 0;
  Tick last_due_ = 0;
  std::map<std::uint32_t, Latest> last_of_flow_;
  // True if the head of that kind found its flow busy.
  bool timer_waited_ = false, command_waited_ = false, bytes_waited_ = false;
  bool bytes_turn_ = false;  // true if a command went before the bytes at the head
  std::vector<std::int64_t> freed_at_;
  std::map<SlotIndex, Tick> due_;
  std::uint64_t missed_ = 0, no_slot_causes_ = 0;
  Tick lateness_ = 0;
  Seen seen_;
  std::vector<Answer> answers_;
};

}  // namespace dcc::test
