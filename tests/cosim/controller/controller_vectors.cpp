// Writes golden vectors of the whole controller:
// controller_vectors [CYCLES of a run [SEED [LATENCY [crowded]]]]
//
// The oracle computes the vectors according to docs/controller-contract.md, without running any
// RTL. The instance has 64 slots, 8 bits of flow number, latency LATENCY (48; 33 in latency33.vec)
// and FIFOs of the shipped depths. In crowded.vec at most 64 flows are bound. The hash functions of
// SparseFlows map the numbers of these flows to half of the buckets, which have 64 places in total,
// so the stash is used. Each line has seven hexadecimal words, cycle op a b c d e, for one event in
// one cycle. Lines are in the order of their cycles. The values of op:
// - 0: reset, after which cycle 0 is the first with ready_o high; a: number of cycles of the sweep
// - 1: a CNP at the port: a flow, b dscp, c marks, d packets
// - 2: a packet sent: a flow, b dscp, c length, d the value of bytes_ready_o
// - 3: a command: a flow, b query, c the value of command_ready_o
// - 4: an APB write begins: a address, b data, c the cycle in which PREADY is high
// - 5: an APB read begins: a address, b data, c whether the data are compared; PREADY any time
// - 6: an answer at the rate port: a flow, b rate, c query, d bound; without bound no rate
// - 7: ready_o is a from this cycle on
// - 8: the run is over
//
// In a cycle without a line no input is valid; in one without a line of 6 there is no answer.
//
// The last runs of controller.vec meet limits that random inputs rarely meet: a flow that is just
// silent, the longest rate hold, timer events that are just late, and marks that just begin a hold.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "driver/dcc_regs.h"
#include "page_bench.h"

namespace dcc::page {
namespace {

constexpr std::uint32_t kSlots = 64;
// cycles of the initial sweep: one per flow number, and 16
constexpr std::uint64_t kSweep = 256 + 16;
// number of cycles after which every read of a slot window has ended
constexpr std::uint64_t kWindowRead = 72;

/// Flow numbers of the vectors. With `crowded` the first 64 numbers share half of the buckets of
/// each hash table of SparseFlows with 64 slots; the hash polynomials are x^4 + x + 1 and x^4 + x^3
/// + 1.
std::vector<std::uint32_t> numbers(bool crowded) {
  std::vector<std::uint32_t> all(256);
  std::iota(all.begin(), all.end(), 0u);
  const auto upper_half = [](std::uint32_t flow, std::uint32_t polynomial) {
    std::uint32_t bucket = 0, power = 1;
    for (; flow != 0; flow >>= 1) {
      if ((flow & 1) != 0) bucket ^= power;
      power <<= 1;
      if ((power & 16) != 0) power ^= polynomial;
    }
    return (bucket & 8) != 0;
  };
  if (crowded) {
    std::stable_partition(all.begin(), all.end(), [&](std::uint32_t flow) {
      return !upper_half(flow, 0x13) && !upper_half(flow, 0x19);
    });
  }
  return all;
}

/// A device under test that answers the bench with the values of the bench's own oracle, and
/// records inputs and answers.
class Recorder final : public ControllerDut {
 public:
  Recorder(std::uint32_t latency, bool crowded)
      : shape_{kSlots, latency, 64, 16, 64}, number_(numbers(crowded)) {}
  /// Sets the bench whose oracle gives the answers. Call it before the first cycle.
  void follow(const Bench& bench) { bench_ = &bench; }

  const Shape& shape() const override { return shape_; }
  void reset() override { line(0, 0, kSweep); }
  bool edge() override { return true; }

  Pins drive(const Inputs& in, const ApbPins& apb) override {
    const Oracle& oracle = bench_->oracle();
    const std::uint64_t now = oracle.cycle();
    if (apb.psel && !apb.penable) begin(apb, now);
    const bool hold = apb.psel && waits(apb.pwrite, apb.paddr) && now < acts_;
    Pins pins{};
    pins.ready = oracle.ready();
    pins.bytes_ready = oracle.bytes_ready(in.bytes_flow, hold);
    pins.command_ready = oracle.command_ready(hold);
    if (pins.ready != ready_) line(now, 7, pins.ready);
    ready_ = pins.ready;
    if (in.cnp) line(now, 1, number_[in.cnp_flow], in.cnp_dscp, in.cnp_marks, in.cnp_packets);
    if (in.bytes) {
      line(now, 2, number_[in.bytes_flow], in.bytes_dscp, in.bytes_length, pins.bytes_ready);
    }
    if (in.command) line(now, 3, number_[in.command_flow], in.command_query, pins.command_ready);
    if (const std::optional<Answer> answer = oracle.answer()) {
      line(now, 6, number_[answer->flow], answer->bound ? answer->rate : 0, answer->query,
           answer->bound);
      pins.rate_valid = true;
      pins.rate = *answer;
    }
    if (apb.psel && apb.penable) pins.pready = now >= done_;
    if (pins.pready && !apb.pwrite) pins.prdata = value_;
    return pins;
  }

  void end() { line(bench_->oracle().cycle(), 8); }

 private:
  void begin(const ApbPins& apb, std::uint64_t now) {
    acts_ = bench_->oracle().write_edge(now);
    if (apb.pwrite) {
      done_ = bench_->oracle().write_end(now) - 1;
      line(now, 4, apb.paddr, apb.pwdata, done_);
      return;
    }
    const std::optional<std::uint32_t> expected = bench_->will_read(apb.paddr);
    value_ = expected.value_or(0);
    done_ = waits(false, apb.paddr) ? acts_ + kWindowRead : now + 1;
    const bool names = apb.paddr >= DCC_SLOTS_OFFSET && value_ >> 31 != 0 &&
                       apb.paddr % 32 == DCC_SLOTS_FLOW_WORD_OFFSET;
    const std::uint32_t seen = names ? 1u << 31 | number_[value_ & 0xFF] : value_;
    line(now, 5, apb.paddr, seen, expected.has_value());
  }

  static void line(std::uint64_t cycle, unsigned op, std::uint64_t a = 0, std::uint64_t b = 0,
                   std::uint64_t c = 0, std::uint64_t d = 0) {
    std::printf("%" PRIx64 " %x %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " 0\n", cycle, op, a,
                b, c, d);
  }

  Shape shape_;
  std::vector<std::uint32_t> number_;  // flow number in the vectors, by flow of the bench
  const Bench* bench_ = nullptr;
  bool ready_ = true;
  std::uint64_t acts_ = 0, done_ = 0;
  std::uint32_t value_ = 0;
};

struct Run {
  bool dcqcn;
  Profile profile;
};

Profile profile(std::uint32_t flows, std::uint32_t cnp, std::uint32_t bytes) {
  Profile p;
  p.flows = flows;
  p.cnp = cnp;
  p.bytes = bytes;
  return p;
}

// The runs of the golden vectors. Slow simulators execute the first two runs only.
std::array<Run, 14> runs() {
  Profile flood = profile(256, 900, 1024);  // a load that causes lost CNPs and back-pressure
  flood.command = 100;
  flood.burst = 1500;
  Profile resets = profile(200, 150, 200);
  resets.access = 20;
  resets.soft_reset = 40;
  const Profile few = profile(40, 30, 200), crowd = profile(256, 200, 500);
  const Profile quiet = profile(40, 1, 20);  // a load in which slots become free
  // Loads with registers close to the values that they are compared with, so that holds begin.
  Profile aimed = profile(12, 40, 60), aimed_few = profile(5, 10, 4);
  aimed.access = 60;
  aimed.aim = 900;
  aimed_few.access = 40;
  aimed_few.aim = 1000;
  return {{{true, flood},
           {false, few},
           {true, few},
           {false, crowd},
           {true, crowd},
           {false, flood},
           {true, quiet},
           {false, quiet},
           {true, resets},
           {false, resets},
           {false, aimed},
           {true, aimed},
           {false, aimed_few},
           {false, aimed}}};
}

void idle(Bench& bench, std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) bench.cycle({});
}
void cnp(Bench& bench, std::uint32_t flow, std::uint32_t marks, std::uint32_t packets) {
  Inputs in;
  in.cnp = true;
  in.cnp_flow = flow;
  in.cnp_marks = marks;
  in.cnp_packets = packets;
  bench.cycle(in);
}
void release(Bench& bench, std::uint32_t flow) {
  Inputs in;
  in.command = true;
  in.command_flow = flow;
  bench.cycle(in);
  idle(bench, 400);
}
/// Sets timers of so many ticks with 64 cycles each.
void short_timers(Bench& bench, std::uint32_t ticks) {
  bench.write(DCC_TICK_DIV_OFFSET, 64);
  bench.write(DCC_TIMER_INTERVAL_OFFSET, ticks);
  bench.write(DCC_DECREASE_PERIOD_OFFSET, 0);
}

// A flow is silent after SILENCE intervals if its rate times their number is at least 4 R_HAI: just
// so, and one less. The step of a silent flow depends on its rate, and is one packet at least.
void just_silent(Bench& bench) {
  constexpr std::uint32_t kSilence = 4;
  short_timers(bench, 2);
  bench.write(DCC_R_AI_OFFSET, 4096);
  bench.write(DCC_SILENCE_OFFSET, kSilence);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK);
  for (const std::uint32_t rate : {1u << 16, 1u << 17, 3u << 18}) {
    for (const std::uint32_t beyond : {0u, 1u}) {
      bench.write(DCC_INITIAL_RATE_OFFSET, rate);
      bench.write(DCC_R_HAI_OFFSET, rate * kSilence / 4 + beyond);
      cnp(bench, 7, 1, 0);
      idle(bench, std::uint64_t{kSilence + 3} * 2 * 64);
      release(bench, 7);
    }
  }
}

// A rate hold that no notification ends lasts kMaxHold intervals. The longest fast phase begins one
// above them.
void longest_hold(Bench& bench) {
  short_timers(bench, 2);
  bench.write(DCC_INITIAL_RATE_OFFSET, 1u << 20);
  bench.write(DCC_FIRST_CUT_OFFSET, 0x4000);  // the rate becomes a quarter, the target a half
  bench.write(DCC_R_HAI_OFFSET, 0xFFFFFFFF);  // the rate is never too high within the hold
  bench.write(DCC_MARK_SHIFT_OFFSET, 8);
  for (std::uint32_t i = 1; i < 64; ++i) bench.write(DCC_DECREASE_OFFSET + 4 * i, 65536 - 256 * i);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_CUT_BY_MARKS_MASK);
  cnp(bench, 7, 1,
      1);  // promises a clear notification, so the hold outlasts intervals without CNPs
  for (int i = 0; i < 7; ++i) {
    idle(bench, std::uint64_t{kMaxHold} * 2 * 64 / 7 + 20);
    cnp(bench, 7, 1, 0);
  }
  release(bench, 7);
  bench.write(DCC_BRISK_OFFSET, kMaxFastPhase);
  cnp(bench, 7, 1, 1);
  idle(bench, 400);
  cnp(bench, 7, 0, 0);
  idle(bench, 64);
  cnp(bench, 7, 2, 0);  // in the fast phase marks count four times
  idle(bench, 400);
}

// A timer event counts as late if it is issued later than FirstOffer + Distance cycles after the
// beginning of its tick. An earlier event of the same flow delays it. The loop tries each distance
// between that event and the tick, so that some timer event meets the limit exactly.
void just_late(Bench& bench) {
  short_timers(bench, 3);
  bench.write(DCC_INITIAL_RATE_OFFSET, 1u << 20);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_LAW_MASK);
  cnp(bench, 7, 1, 0);
  idle(bench, 3);
  for (std::uint64_t at = 24; at < 64; ++at) {
    const std::uint64_t due = bench.oracle().slot(0).due;
    while (bench.oracle().tick() + 1 < due) idle(bench, 1);
    idle(bench, at);
    Inputs in;
    in.bytes = true;
    in.bytes_flow = 7;
    in.bytes_length = 100;
    bench.cycle(in);
    idle(bench, 4);
    cnp(bench, 7, 1, 0);
    while (bench.oracle().tick() <= due) idle(bench, 1);
  }
}

// A rate hold begins if the owed marks beyond 8, times R_HAI, are more than 4 times the target:
// just so with 12 whole marks owed, and not with 12 marks and a 256th.
void just_owed(Bench& bench) {
  constexpr std::uint32_t kTarget = 1u << 19;  // after the first cut
  short_timers(bench, 4000);
  bench.write(DCC_INITIAL_RATE_OFFSET, 2 * kTarget);
  bench.write(DCC_FIRST_CUT_OFFSET, 0x4000);
  bench.write(DCC_MARK_SHIFT_OFFSET, 8);
  for (std::uint32_t i = 1; i < 64; ++i) bench.write(DCC_DECREASE_OFFSET + 4 * i, 65536 - 64 * i);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_CUT_BY_MARKS_MASK);
  const auto owe = [&bench](std::uint32_t marks, std::uint32_t g, std::uint32_t r_hai) {
    bench.write(DCC_G_OFFSET, g);
    bench.write(DCC_R_HAI_OFFSET, r_hai);
    cnp(bench, 7, 1, 0);
    idle(bench, 200);
    cnp(bench, 7, 0, 0);  // ends the first hold
    idle(bench, 200);
    cnp(bench, 7, marks, 0);
    idle(bench, 200);
    release(bench, 7);
  };
  owe(24, 0x8000, kTarget);
  owe(16, 0xC010, kTarget / 10 * 9);
}

bool record(std::uint64_t seed, std::uint32_t latency, bool crowded,
            const std::function<void(Bench&)>& drive) {
  auto owned = std::make_unique<Recorder>(latency, crowded);
  Recorder& recorder = *owned;
  Bench bench(std::move(owned), seed);
  recorder.follow(bench);
  drive(bench);
  bench.read_settled_counters();
  for (const std::uint32_t address :
       {DCC_ID_OFFSET, DCC_CAPS_OFFSET, DCC_FREE_SLOTS_OFFSET, DCC_R_AI_OFFSET}) {
    bench.read(address);
  }
  for (std::uint32_t slot = 0; slot < kSlots; slot += 5) {
    for (std::uint32_t word = 0; word < 8; ++word) {
      bench.read(DCC_SLOTS_ENTRY_OFFSET(slot) + 4 * word);
    }
  }
  recorder.end();
  if (!bench.difference().empty()) {
    std::fprintf(stderr, "controller_vectors: %s\n", bench.difference().c_str());
  }
  return bench.difference().empty();
}

}  // namespace
}  // namespace dcc::page

int main(int argc, char** argv) {
  const std::uint64_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 6000;
  std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::uint64_t latency = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 48;
  const bool crowded = argc > 4 && std::strcmp(argv[4], "crowded") == 0;
  if (argc > 5 || (argc == 5 && !crowded) || cycles == 0 || latency < 32 || latency > 255) {
    std::fprintf(stderr,
                 "usage: controller_vectors [CYCLES of a run [SEED [LATENCY [crowded]]]]\n");
    return 2;
  }
  for (dcc::page::Run run : dcc::page::runs()) {
    if (crowded) run.profile.flows = 64;
    const auto random = [&](dcc::page::Bench& bench) {
      bench.program(run.dcqcn);
      bench.run(cycles, run.profile);
    };
    if (!dcc::page::record(seed++, static_cast<std::uint32_t>(latency), crowded, random)) return 1;
  }
  for (const auto& drive : {dcc::page::just_silent, dcc::page::longest_hold, dcc::page::just_late,
                            dcc::page::just_owed}) {
    if (argc <= 1 && !dcc::page::record(seed++, 48, false, drive)) return 1;
  }
  return 0;
}
