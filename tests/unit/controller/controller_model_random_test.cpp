// Compares the timed model of the controller with a reference that executes every clock edge.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "controller/controller_model.h"
#include "unit/controller/clocked_controller.h"
#include "unit/controller/controller_model_fixture.h"

namespace dcc {
namespace {

using namespace test;
using Kind = Input::Kind;

/// Calls the controller for each input at the input's time, before the controller's own events of
/// that time.
class Driver {
 public:
  Driver(Scheduler& scheduler, ControllerModel& device, const std::vector<Input>& inputs)
      : scheduler_(scheduler), device_(device), inputs_(inputs) {
    if (!inputs.empty()) scheduler_.schedule_at(event_, PicoSeconds(inputs[0].when));
  }
  /// Called between inputs; inspects the controller as software and traces do.
  std::function<void(std::size_t)> look = [](std::size_t) {};

 private:
  void call() {
    const Input& input = inputs_[next_];
    switch (input.kind) {
      case Kind::kCnp:
        device_.cnp(input.flow, input.dscp, input.marks, input.packets);
        break;
      case Kind::kBytes:
        device_.bytes(input.flow, input.dscp, input.length);
        break;
      case Kind::kRelease:
        device_.release(input.flow);
        break;
      case Kind::kQuery:
        device_.query(input.flow);
        break;
      case Kind::kParameters:
        device_.set_parameters(input.parameters);
        break;
      case Kind::kReset:
        device_.soft_reset();
        break;
    }
    look(next_);
    if (++next_ < inputs_.size()) {
      scheduler_.schedule_at(event_, PicoSeconds(inputs_[next_].when));
    }
  }
  Scheduler& scheduler_;
  ControllerModel& device_;
  const std::vector<Input>& inputs_;
  std::size_t next_ = 0;
  Event event_ = Event::calling<&Driver::call>(*this, 1);
};

/// Records all rates and responses to queries, with their times.
class AllAnswers final : public RateSink, public CauseSink, public SlotObserver {
 public:
  explicit AllAnswers(Scheduler& scheduler) : scheduler_(scheduler) {}
  void rate_calculated(std::uint32_t flow, Rate rate) override {
    answers.push_back({scheduler_.now().count, flow, rate.raw});
  }
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override {
    answers.push_back(
        {scheduler_.now().count, flow | ClockedController::kQuery, rate ? rate->raw : 0});
  }
  void causes_raised(std::uint32_t causes) override {
    if ((causes & kCauseTableFull) != 0) ++table_full;
  }
  void slot_changed(SlotIndex, std::uint32_t, SlotChange) override { ++changes; }
  std::vector<Answer> answers;
  std::uint64_t table_full = 0;
  std::uint64_t changes = 0;

 private:
  Scheduler& scheduler_;
};

struct Case {
  std::uint32_t slots = 64;
  std::uint32_t latency = 64;
  ControllerParameters parameters = test_parameters();
  std::vector<Input> inputs;
  bool observed = false;
  bool looked_at = false;
  std::int64_t edges_after = 20'000;  // number of edges simulated after the last input
};

void expect_same_statistics(const ControllerStatistics& a, const ControllerStatistics& b) {
  EXPECT_EQ(a.cnps_received, b.cnps_received);
  EXPECT_EQ(a.cnps_dropped_no_slot, b.cnps_dropped_no_slot);
  EXPECT_EQ(a.cnps_coalesced, b.cnps_coalesced);
  EXPECT_EQ(a.cnps_lost, b.cnps_lost);
  EXPECT_EQ(a.inputs_dropped, b.inputs_dropped);
  EXPECT_EQ(a.byte_notifications, b.byte_notifications);
  EXPECT_EQ(a.byte_notifications_unmatched, b.byte_notifications_unmatched);
  EXPECT_EQ(a.rate_increases, b.rate_increases);
  EXPECT_EQ(a.rate_decreases, b.rate_decreases);
  EXPECT_EQ(a.rate_updates, b.rate_updates);
  EXPECT_EQ(a.slots_bound, b.slots_bound);
  EXPECT_EQ(a.slots_released, b.slots_released);
  EXPECT_EQ(a.slots_in_use_max, b.slots_in_use_max);
}

/// Runs reference and model with the same inputs and compares all outputs. Returns the reference.
std::unique_ptr<ClockedController> compare(const Case& run) {
  const std::int64_t last = run.inputs.back().when;
  const std::int64_t end = (last / kClock.count + run.edges_after) * kClock.count;
  auto machine =
      std::make_unique<ClockedController>(run.slots, kClock.count, run.latency, run.parameters);
  const std::vector<Answer> wanted = machine->run(run.inputs, end);

  Scheduler scheduler;
  AllAnswers sink(scheduler);
  ControllerModel device(scheduler, test::config_of(run.slots, run.latency), kRank, sink);
  device.set_parameters(run.parameters);
  make_dcqcn_tables(
      256, [&](RateTable t, std::uint32_t i, std::uint32_t w) { device.write_table(t, i, w); });
  device.on_cause(&sink);
  if (run.observed) device.observe(&sink);
  Driver driver(scheduler, device, run.inputs);
  if (run.looked_at) {
    driver.look = [&](std::size_t i) {
      if (i % 7 == 0) device.slot(static_cast<SlotIndex>(i % run.slots));
      if (i % 11 == 0) device.statistics();
    };
  }
  scheduler.run_until(PicoSeconds(end));
  EXPECT_EQ(sink.answers.size(), wanted.size());
  for (std::size_t i = 0; i < std::min(wanted.size(), sink.answers.size()); ++i) {
    if (sink.answers[i] == wanted[i]) continue;
    ADD_FAILURE() << "answer " << i << ": model " << sink.answers[i] << ", machine " << wanted[i];
    break;
  }
  // A result issued at the last edge is visible at the following edge.
  scheduler.run_until(PicoSeconds(end) + kClock);
  expect_same_statistics(device.statistics(), machine->manager().statistics());
  EXPECT_EQ(device.missed_latency(), machine->missed());
  EXPECT_EQ(device.timer_lateness_max(), machine->lateness());
  EXPECT_EQ(device.timer_counters().started, machine->manager().timer_counters().started);
  EXPECT_EQ(device.timer_counters().expired, machine->manager().timer_counters().expired);
  EXPECT_EQ(device.timer_counters().cancelled, machine->manager().timer_counters().cancelled);
  for (SlotIndex slot = 0; slot < run.slots; ++slot) {
    const SlotView view = device.slot(slot);
    const SlotParameters& p = machine->manager().slot(slot);
    EXPECT_EQ(view.flow.value_or(FlowTable::kNoFlow), machine->manager().flows().read(slot));
    EXPECT_EQ(view.parameters.rc, p.rc) << slot;
    EXPECT_EQ(view.parameters.pkt_length, p.pkt_length) << slot;
    EXPECT_EQ(view.parameters.due, p.due) << slot;
    EXPECT_EQ(view.parameters.t_latest, p.t_latest) << slot;
  }
  if (!run.observed) {
    EXPECT_EQ(sink.changes, 0u);
  }
  return machine;
}

/// Load of inputs, as in a network or much higher.
struct Mix {
  std::uint32_t flows = 80;
  std::int64_t gap = 30'000;         // mean time in ps between inputs
  std::uint32_t burst = 1;           // greatest number of inputs at one instant
  unsigned cnps = 25, commands = 2;  // probability of an input in percent
  unsigned accesses = 0;             // probability of an access in 1/10 000
  std::uint32_t length = 6'000;
};

std::vector<Input> random_inputs(std::mt19937& random, const Mix& mix, int count,
                                 const ControllerParameters& parameters) {
  std::vector<Input> inputs;
  std::int64_t now = 0, accessed = 0;
  for (int i = 0; i < count;) {
    now += static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(2 * mix.gap));
    // In a third of the cases an input comes exactly at a clock edge.
    if (random() % 3 == 0) now += (kClock.count - now % kClock.count) % kClock.count;
    if (random() % 3000 == 0) now += 20'000'000;
    for (std::uint32_t n = 1 + random() % mix.burst; n > 0; --n, ++i) {
      Input input;
      input.when = now;
      const unsigned what = random() % 100;
      input.kind = what < mix.cnps                  ? Kind::kCnp
                   : what < mix.cnps + mix.commands ? (random() % 2 ? Kind::kRelease : Kind::kQuery)
                                                    : Kind::kBytes;
      // In half of the cases inputs belong to few flows, so that events of one flow meet.
      input.flow = random() % (random() % 2 == 0 ? 5 : mix.flows);
      input.length = random() % mix.length;
      input.dscp = static_cast<std::uint8_t>(random() % 64);
      // A register access begins only after the previous one has ended (PREADY).
      if (random() % 10'000 < mix.accesses && now > accessed + 300 * kClock.count) {
        accessed = now;
        input.kind = random() % 3 == 0 ? Kind::kReset : Kind::kParameters;
        input.parameters = parameters;
        input.parameters.enable = random() % 5 != 0;
        input.parameters.tick_div = random() % 4 == 0 ? 100 : parameters.tick_div;
        input.parameters.byte_threshold = 2'000 + random() % 20'000;
        input.parameters.timer_interval =
            static_cast<std::uint16_t>(parameters.timer_interval / 2 + random() % 100);
      }
      inputs.push_back(input);
    }
  }
  return inputs;
}

constexpr int kSeeds = 12;

class ControllerModelRandom : public testing::TestWithParam<int> {
 protected:
  // Counts over all seeds, since not every seed reaches these situations.
  static inline std::uint64_t not_free_yet_ = 0;
  static inline std::uint64_t cnps_lost_ = 0;
  std::mt19937 random_{static_cast<unsigned>(GetParam())};
  Case run_ = [&] {
    Case run;
    run.observed = GetParam() % 3 == 0;
    run.looked_at = GetParam() % 2 == 0;
    run.latency = GetParam() % 4 == 0 ? timing::kMinLatency : 64;
    ControllerParameters& p = run.parameters;
    p.tick_div = GetParam() % 2 == 0 ? 64 : 250;
    p.timer_interval = static_cast<std::uint16_t>(1 + random_() % 200);
    p.timer_restart = random_() % 2 == 0;
    p.decrease_period = random_() % 20;
    p.rate.r_ai = mbps(1 + random_() % 50);
    return run;
  }();
};

TEST_P(ControllerModelRandom, AnswersLikeTheMachine) {
  run_.inputs = random_inputs(random_, {}, 40'000, run_.parameters);
  const auto machine = compare(run_);
  EXPECT_GT(machine->manager().statistics().slots_released, 0u);
  EXPECT_GT(machine->manager().statistics().cnps_dropped_no_slot, 0u);
  EXPECT_GT(machine->seen().same_flow_stalls, 0u);
  EXPECT_GT(machine->seen().freed, 0u);
}

TEST_P(ControllerModelRandom, AnswersLikeTheMachineUnderOverload) {
  Mix mix;
  mix.flows = 300;
  mix.gap = 3'000'000;
  mix.burst = 400;
  mix.commands = 10;
  if (GetParam() % 3 == 0) {  // a CNP in nearly every cycle, which alone can fill the CNP FIFO
    mix.cnps = 88;
    mix.burst = 4'000;
  }
  run_.slots = 16;
  run_.inputs = random_inputs(random_, mix, 40'000, run_.parameters);
  const auto machine = compare(run_);
  cnps_lost_ += machine->manager().statistics().cnps_lost;
  EXPECT_GT(machine->seen().joined, 0u);
  EXPECT_GT(machine->seen().joined_cnps, 0u);
  EXPECT_GT(machine->seen().yielded, 0u);
  EXPECT_GT(machine->seen().bytes_turns, 0u);
  if (GetParam() % 3 != 0) {
    EXPECT_GT(machine->seen().bytes_waited, 0u);
  }
  EXPECT_GT(machine->seen().commands_waited, 0u);
  not_free_yet_ += machine->seen().not_free_yet;
  if (GetParam() == kSeeds) {
    EXPECT_GT(not_free_yet_, 0u);
    EXPECT_GT(cnps_lost_, 0u);
  }
}

TEST_P(ControllerModelRandom, AnswersLikeTheMachineWhileSoftwareWritesAndResets) {
  Mix mix;
  mix.gap = 20'000;
  mix.burst = 4;
  mix.accesses = 60;
  run_.inputs = random_inputs(random_, mix, 40'000, run_.parameters);
  const auto machine = compare(run_);
  EXPECT_GT(machine->seen().dropped_in_reset, 0u);
  EXPECT_GT(machine->seen().accesses_in_flight, 0u);
}

/// The usual load of a network: an input meets at most one other input, with register accesses in
/// between. The model has a fast path for each such input and must detect when the fast path does
/// not apply.
class FewInputs {
 public:
  FewInputs(std::mt19937& random, const ControllerParameters& parameters)
      : random_(random), parameters_(parameters) {}

  std::vector<Input> draw(int count) {
    std::vector<Input> inputs;
    for (int i = 0; i < count; ++i) {
      now_ += gap() * kClock.count;
      if (random_() % 2 == 0) now_ += random_() % static_cast<std::uint32_t>(kClock.count);
      inputs.push_back(input());
    }
    return inputs;
  }

 private:
  /// Distance to the next input in cycles: one, less than the minimum distance of a flow's events,
  /// or long.
  std::int64_t gap() {
    const std::uint32_t below[] = {2, 8, 40, 400};
    return random_() % below[random_() % 4];
  }
  Input input() {
    Input input;
    input.when = now_;
    input.flow = random_() % (1 + random_() % 6);
    input.length = random_() % (random_() % 2 == 0 ? 2'000 : 30'000);
    input.dscp = static_cast<std::uint8_t>(random_() % 64);
    input.marks = static_cast<std::uint8_t>(random_() % 6);
    input.packets = static_cast<std::uint8_t>(input.marks + random_() % 3);
    const unsigned what = random_() % 100;
    input.kind = what < 30   ? Kind::kCnp
                 : what < 33 ? Kind::kRelease
                 : what < 36 ? Kind::kQuery
                 : what < 45 ? Kind::kParameters
                 : what < 47 ? Kind::kReset
                             : Kind::kBytes;
    if (input.kind != Kind::kParameters && input.kind != Kind::kReset) return input;
    // A register access begins only after the previous one has ended (PREADY).
    if (now_ < access_over_) {
      input.kind = Kind::kBytes;
      return input;
    }
    access_over_ = now_ + 300 * kClock.count;
    input.parameters = parameters_;
    input.parameters.enable = random_() % 3 != 0;
    input.parameters.tick_div = random_() % 4 == 0 ? 100 : parameters_.tick_div;
    input.parameters.byte_threshold = random_() % 2 == 0 ? 1'000 : 20'000;
    input.parameters.timer_interval = static_cast<std::uint16_t>(1 + random_() % 10);
    return input;
  }

  std::mt19937& random_;
  const ControllerParameters& parameters_;
  // no input arrives at the first edges, which differ from others
  std::int64_t now_ = 40 * kClock.count;
  std::int64_t access_over_ = 0;
};

TEST_P(ControllerModelRandom, AnswersLikeTheMachineWhereInputsAreFew) {
  std::uint64_t increases = 0, unmatched = 0;
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    run_.slots = 1 + random_() % 6;
    run_.parameters.tick_div = 64;
    run_.parameters.timer_interval = static_cast<std::uint16_t>(1 + random_() % 10);
    run_.parameters.rate.law = i % 2 == 0;
    run_.parameters.rate.cut_by_marks = i % 2 != 0;
    run_.parameters.rate.mark_shift = i % 2 != 0 ? 10 : 0;
    run_.parameters.timer_restart = i % 4 == 0;
    run_.edges_after = 2'000;
    run_.inputs = FewInputs(random_, run_.parameters).draw(static_cast<int>(10 + random_() % 80));
    const auto machine = compare(run_);
    increases += machine->manager().statistics().rate_increases;
    unmatched += machine->manager().statistics().byte_notifications_unmatched;
  }
  EXPECT_GT(increases, 0u);
  EXPECT_GT(unmatched, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ControllerModelRandom, testing::Range(1, kSeeds + 1));

/// Tests two events of one flow or of two flows at every distance and in both orders, with and
/// without a timer event next to them.
TEST(ControllerModelHazards, EveryPairAtEveryDistance) {
  const std::vector<Kind> kinds = {Kind::kCnp, Kind::kBytes, Kind::kRelease, Kind::kQuery};
  std::uint64_t stalls = 0;
  std::map<std::int64_t, std::uint64_t> distances;
  for (const bool bound : {false, true}) {
    for (const Kind first : kinds) {
      for (const Kind second : kinds) {
        for (std::int64_t distance = 0; distance <= ClockedController::kD + 2; ++distance) {
          for (const std::uint32_t other : {5u, 6u}) {
            Case run;
            run.slots = 4;
            run.parameters.tick_div = 64;
            run.parameters.timer_interval = 10;
            if (bound) run.inputs.push_back({0, Kind::kCnp, 5, 0, 0, {}});
            // The timer of a slot that was bound at edge 0 is issued at edge 656.
            const std::int64_t at = 650;
            run.inputs.push_back({at * kClock.count, first, 5, 12'000, 0, {}});
            run.inputs.push_back({(at + distance) * kClock.count, second, other, 12'000, 0, {}});
            const auto machine = compare(run);
            stalls += machine->seen().same_flow_stalls;
            for (const auto& [d, n] : machine->seen().distances) distances[d] += n;
            ASSERT_FALSE(testing::Test::HasFailure())
                << "kinds " << static_cast<int>(first) << ", " << static_cast<int>(second)
                << ", distance " << distance << ", flow " << other << ", bound " << bound;
          }
        }
      }
    }
  }
  EXPECT_GT(stalls, 0u);
  for (std::int64_t d = 1; d < ClockedController::kD; ++d) EXPECT_GT(distances[d], 0u) << d;
}

/// A slot is bound at the first edge and its timer expires late, for latencies from the minimum on.
Case without_timers(std::uint32_t latency) {
  Case run;
  run.slots = 4;
  run.latency = latency;
  run.parameters.timer_interval = 1000;
  run.inputs.push_back({0, Kind::kCnp, 5, 0, 0, {}});
  return run;
}

/// Bytes wait for issue when a register access lowers the byte threshold. No other input arrives,
/// so the access alone must make the model examine the waiting bytes.
TEST(ControllerModelHazards, AnAccessMakesWaitingBytesMatter) {
  for (const std::uint32_t latency : {timing::kMinLatency, 64u}) {
    for (const bool queued : {false, true}) {
      for (std::int64_t distance = queued ? 0 : -1; distance < 4; ++distance) {
        Case run = without_timers(latency);
        const std::int64_t at = 300;
        // An event of the flow ten cycles earlier keeps its next event in the queue. The access may
        // come before or after the next event is sampled.
        if (queued) run.inputs.push_back({(at - 10) * kClock.count, Kind::kBytes, 5, 100, 0, {}});
        run.inputs.push_back({at * kClock.count, Kind::kBytes, 5, 5'000, 0, {}});
        if (queued) run.inputs.push_back({(at + 1) * kClock.count, Kind::kBytes, 6, 100, 0, {}});
        Input access{(at + 1 + distance) * kClock.count, Kind::kParameters, 0, 0, 0, {}};
        access.parameters = run.parameters;
        access.parameters.byte_threshold = 1'000;
        run.inputs.push_back(access);
        const auto machine = compare(run);
        const bool waited = queued || distance <= 0;
        EXPECT_EQ(machine->manager().statistics().rate_increases, waited ? 1u : 0u);
        ASSERT_FALSE(testing::Test::HasFailure()) << latency << ' ' << queued << ' ' << distance;
      }
    }
  }
}

/// No single byte notification of the flow exceeds the byte threshold, but the sum of the waiting
/// notifications does.
TEST(ControllerModelHazards, BytesThatWaitTogetherMatter) {
  for (const std::uint32_t latency : {timing::kMinLatency, 64u}) {
    for (std::int64_t distance = 1; distance < 25; ++distance) {
      Case run = without_timers(latency);
      for (const std::int64_t at : {300l, 305l, 305 + distance}) {
        run.inputs.push_back({at * kClock.count, Kind::kBytes, 5, 4'000, 0, {}});
      }
      const auto machine = compare(run);
      EXPECT_EQ(machine->manager().statistics().rate_increases, 1u);
      ASSERT_FALSE(testing::Test::HasFailure()) << latency << ' ' << distance;
    }
  }
}

}  // namespace
}  // namespace dcc
