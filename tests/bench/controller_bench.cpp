// Benchmark of the congestion controller's model: timer operations, CNPs and byte notifications per
// second.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "controller/controller_model.h"
#include "controller/flow_table.h"
#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"

namespace {

using namespace dcc;

/// A fast random number generator with a fixed seed.
class Random {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state_ >> 32) * limit >> 32);
  }

 private:
  std::uint64_t state_ = 1;
};

/// Measures timer expiries. The benchmark starts the timer of each expired slot again, so one
/// operation is an expiry and a start.
void timer_expire_and_start(benchmark::State& state, std::uint32_t range) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  TimingWheel wheel(slots);
  Random random;
  Tick now = 0;
  for (SlotIndex slot = 0; slot < slots; ++slot) wheel.start(slot, random.below(range), now);
  for (auto _ : state) {
    std::optional<TimerExpiry> expiry = wheel.take_expired(now);
    while (!expiry.has_value()) {
      now = *wheel.next_due(now);
      expiry = wheel.take_expired(now);
    }
    wheel.start(expiry->slot, random.below(range), now);
  }
  state.SetItemsProcessed(2 * state.iterations());
  state.counters["moves/op"] =
      static_cast<double>(wheel.moves()) / static_cast<double>(2 * state.iterations());
}
void timer_whole_range(benchmark::State& state) { timer_expire_and_start(state, 65536); }
void timer_short(benchmark::State& state) { timer_expire_and_start(state, 1500); }
BENCHMARK(timer_whole_range)->Arg(1024)->Arg(16384);
BENCHMARK(timer_short)->Arg(1024)->Arg(16384);

/// Measures timer restarts in DCQCN's pattern: rate cuts restart timers long before the timers
/// expire.
void timer_restart(benchmark::State& state) {
  constexpr std::uint32_t kSlots = 1024;
  TimingWheel wheel(kSlots);
  Random random;
  Tick now = 0;
  std::uint32_t n = 0;
  for (auto _ : state) {
    wheel.start(random.below(kSlots), 300, now);
    if (++n % 16 == 0) {
      ++now;
      while (wheel.take_expired(now).has_value()) {
      }
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(timer_restart);

class NoSink final : public RateSink {
 public:
  void rate_calculated(std::uint32_t, Rate) override {}
};

ControllerParameters running() {
  ControllerParameters parameters;
  parameters.enable = true;
  parameters.decrease_period = 0;
  parameters.timer_interval = 300;
  return parameters;
}

void load_dcqcn_table(ControllerEngine& device) {
  for (std::uint32_t i = 0; i < kDecreaseEntries; ++i) {
    device.write_table(RateTable::kDecrease, i, kOne16 - 128 * i);
  }
}

void device_cnp(benchmark::State& state) {
  Scheduler scheduler;
  NoSink sink;
  ControllerModel device(scheduler, {}, 1, sink);
  device.set_parameters(running());
  load_dcqcn_table(device);
  Random random;
  for (auto _ : state) {
    scheduler.run_until(scheduler.now() + PicoSeconds(50'000));
    device.cnp(random.below(1024), 10, 1);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(device_cnp);

/// Measures byte notifications to a controller in which state.range(0) of 1024 flows have a slot.
void device_bytes(benchmark::State& state) {
  Scheduler scheduler;
  NoSink sink;
  ControllerModel device(scheduler, {}, 1, sink);
  ControllerParameters parameters = running();
  parameters.timer_interval = 65535;
  device.set_parameters(parameters);
  load_dcqcn_table(device);
  for (std::uint32_t flow = 0; flow < state.range(0); ++flow) device.cnp(flow, 10, 1);
  Random random;
  for (auto _ : state) {
    scheduler.advance_to(scheduler.now() + PicoSeconds(80'000));
    scheduler.run_until(scheduler.now());
    device.bytes(random.below(1024), 10, 1066);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(device_bytes)->Arg(0)->Arg(512)->Arg(1024);

void rate_decrease(benchmark::State& state) {
  RateUnit unit;
  DecreaseRequest request{25'600'000, 25'600'000, kOne16, 60, 10, 1, false};
  for (auto _ : state) {
    request.delta = (request.delta * 5 + 1) & kMaxDelta;
    const DecreaseResult result = unit.decrease(request);
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(rate_decrease);

void flow_table_match(benchmark::State& state) {
  FlowTable table(1024);
  for (std::uint32_t flow = 0; flow < 1024; ++flow) table.bind(flow * 7);
  Random random;
  for (auto _ : state) benchmark::DoNotOptimize(table.match(random.below(16384)));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(flow_table_match);

}  // namespace

BENCHMARK_MAIN();
