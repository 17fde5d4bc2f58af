// Fuzzes the congestion controller with random register accesses, notifications and waiting times.
// The test checks that registers obey their access rules, that bound and free slots add up to all
// slots, and that the number of pending timer events equals the number of slots with a due time.
#include <cstdint>

#include "controller/controller_model.h"
#include "controller/controller_registers.h"
#include "guided.h"
#include "registers/generated/dcc_map.h"
#include "reused_scheduler.h"

namespace {

using dcc::regs::AccessResult;

/// Checks that every rate that the controller issues is valid. The limits may have changed since
/// the controller computed the rate.
class Sink final : public dcc::RateSink {
 public:
  explicit Sink(const dcc::Scheduler& scheduler) : scheduler_(scheduler), start_(scheduler.now()) {}
  void rate_calculated(std::uint32_t flow, dcc::Rate rate) override {
    DCC_REQUIRE(flow < dcc::kFlowNumberLimit);
    seen.add(static_cast<std::uint64_t>((scheduler_.now() - start_).count));
    seen.add(std::uint64_t{flow} << 32 | rate.raw);
  }
  dcc::fuzz::Fingerprint seen;

 private:
  const dcc::Scheduler& scheduler_;
  dcc::PicoSeconds start_;
};

constexpr std::uint32_t kSlots = 16;

struct Bench {
  explicit Bench(dcc::Scheduler& time) : scheduler(time) {}

  dcc::Scheduler& scheduler;
  Sink sink{scheduler};
  dcc::ControllerModel device{scheduler, config(), 1000, sink};
  dcc::regs::ControllerRegisters registers{device};

  static dcc::ControllerConfig config() {
    dcc::ControllerConfig c;
    c.slots = kSlots;
    return c;
  }

  void access(dcc::fuzz::Bytes& in) {
    dcc::regs::RegisterBlock& block = registers.block();
    // Draws word addresses: mostly registers and tables, now and then slots, sometimes any address.
    const std::uint8_t where = in.u8();
    std::uint32_t address = in.u16();
    if (where < 160) {
      address = address % 0x3200 & ~3u;
    } else if (where < 200) {
      address = 0x80000 + (address % (kSlots * 32 + 64) & ~3u);
    } else {
      address |= std::uint32_t{where} << 16;
    }
    std::uint32_t value = in.u32();
    if ((where & 1) == 0) {
      const std::uint8_t strobe = (where & 14) == 0 ? in.u8() & 15 : dcc::regs::kAllBytes;
      std::uint32_t before = 0;
      const AccessResult peeked = block.peek(address, before);
      const AccessResult result = block.write(address, value, strobe);
      if (peeked == AccessResult::kUnmapped || peeked == AccessResult::kMisaligned) {
        DCC_REQUIRE(result == peeked);
      }
      DCC_REQUIRE(!block.name_of(address).empty());
    } else {
      std::uint32_t peeked = 0;
      const AccessResult expected = block.peek(address, peeked);
      std::uint32_t read = 0;
      DCC_REQUIRE(block.read(address, read) == expected);
      sink.seen.add(read);
      DCC_REQUIRE(expected == AccessResult::kOk || read == 0);
      DCC_REQUIRE(!block.name_of(address).empty());
    }
  }

  void balance() {
    const dcc::TimerCounters& timers = device.timer_counters();
    DCC_REQUIRE(timers.started >= timers.expired + timers.cancelled);
    const std::uint64_t pending = timers.pending();
    std::uint64_t bound = 0;
    std::uint64_t due = 0;
    for (dcc::SlotIndex slot = 0; slot < kSlots; ++slot) {
      const dcc::SlotView view = device.slot(slot);
      if (view.flow.has_value()) {
        ++bound;
        DCC_REQUIRE(device.slot_of(*view.flow) == slot);
        DCC_REQUIRE(view.parameters.alpha <= dcc::kOne16 && view.parameters.dscp < dcc::kDscps);
      }
      if (view.timer_due.has_value()) ++due;
    }
    DCC_REQUIRE(pending == due);
    DCC_REQUIRE(bound + device.free_slots() == kSlots);
    const dcc::ControllerStatistics& s = device.statistics();
    DCC_REQUIRE(s.slots_bound - s.slots_released == bound);
  }
};

dcc::fuzz::Fingerprint play(dcc::fuzz::Bytes in, dcc::Scheduler& scheduler) {
  Bench bench(scheduler);
  while (!in.at_end()) {
    const std::uint8_t what = in.u8();
    if (what < 128) {
      bench.access(in);
    } else if (what < 170) {
      bench.device.cnp(in.u8() % 24, what & 63, in.u8());
    } else if (what < 210) {
      bench.device.bytes(in.u8() % 24, what & 63, in.u16());
    } else if (what < 250) {
      // Waits up to 26 us, which with the shortest ticks and intervals are a thousand timer events
      // of a slot.
      scheduler.run_until(scheduler.now() + dcc::PicoSeconds(std::int64_t{in.u16()} * 400));
    } else {
      bench.balance();
    }
  }
  bench.balance();
  return bench.sink.seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const dcc::fuzz::Bytes in(data, size);
  const dcc::fuzz::Fingerprint seen = play(in, dcc::fuzz::reused_scheduler());
  if (dcc::fuzz::time_to_compare()) {
    dcc::Scheduler fresh;
    DCC_REQUIRE(play(in, fresh) == seen);
  }
  return 0;
}
