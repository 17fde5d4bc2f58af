// Runs a coverage campaign with the whole controller's bench:
// controller_campaign EVENTS [JOBS [FIRST]]
//
// The program runs random variants of all profiles, 300 000 cycles each, with seeds from FIRST
// (default 0) on, until the RTL has issued EVENTS events. The oracle checks every pin in every
// cycle. Then the program prints counts of the coverage bins, and the name of each empty bin. A bin
// is a pair of event kinds of one flow at a certain distance, or an outcome of an input. The exit
// status is 1 at the first difference, or if a bin is empty.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "page_bench.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

constexpr std::uint64_t kCycles = 300'000;
// number of distances in clock edges; the last one stands for 64 or more
constexpr std::size_t kDistances = 65;
constexpr std::size_t kKinds = 4;
constexpr const char* kNames[kKinds] = {"CNP", "timer", "command", "bytes"};

/// The least distance between the sampling edges of two events of one flow, of which event `a` is
/// issued first. A timer event counts as sampled when it is issued.
std::size_t least_distance(std::size_t a, std::size_t b) {
  constexpr std::size_t kTick = 64;   // a slot has at most one timer event per tick
  constexpr std::size_t kIssued = 1;  // an input is issued at least one edge after it was sampled
  constexpr std::size_t kD = 32;      // number of edges between two issues of one flow
  if (b == kTimer) return a == kTimer ? kTick : kIssued + kD;
  if (a == kTimer) return 0;
  // At most one event of a kind arrives per cycle. Of two events in one cycle the controller
  // samples CNPs first and byte notifications last.
  return a < b ? 0 : 1;
}

constexpr std::pair<const char*, std::uint64_t Counts::*> kOutcomes[] = {
    {"CNPs without a slot", &Counts::cnps_dropped_no_slot},
    {"CNPs coalesced", &Counts::cnps_coalesced},
    {"CNPs lost in a full FIFO", &Counts::cnps_lost},
    {"bytes of no slot", &Counts::byte_notifications_unmatched},
    {"cuts", &Counts::rate_decreases},
    {"increases", &Counts::rate_increases},
    {"events of slots given up", &Counts::events_cancelled},
    {"slots bound", &Counts::slots_bound},
    {"slots released", &Counts::slots_released},
    {"timer events too late", &Counts::missed_latency},
    {"inputs before READY", &Counts::inputs_dropped},
};

struct Total {
  std::uint64_t cycles = 0, issued = 0, answered = 0, queries = 0, back_pressure = 0, accesses = 0;
  std::uint64_t resets = 0, states = 0;
  std::array<std::array<std::array<std::uint64_t, kDistances>, kKinds>, kKinds> pairs{};
  std::array<std::uint64_t, std::size(kOutcomes)> outcomes{};
  std::string difference;

  void add(const Bench& bench) {
    cycles += bench.oracle().cycle();
    issued += bench.issued;
    answered += bench.answered;
    queries += bench.queries;
    back_pressure += bench.back_pressure;
    accesses += bench.accesses;
    resets += bench.resets;
    states += bench.states;
    for (std::size_t a = 0; a < kKinds; ++a)
      for (std::size_t b = 0; b < kKinds; ++b)
        for (std::size_t d = 0; d < kDistances; ++d) pairs[a][b][d] += bench.pairs[a][b][d];
  }
};

/// Runs one profile of a draw. The profile and the draw's number determine all registers and
/// inputs.
void run_one(std::uint64_t draw, std::size_t which, Total& total, std::mutex& guard) {
  const Case& one = kCases[which];
  const std::uint64_t seed = 1'000'000 + draw * kCases.size() + which;
  std::unique_ptr<ControllerDut> dut = make_small_controller(static_cast<std::uint32_t>(seed));
  // true: the counters keep their true values; other draws set them to large values
  const bool counts = draw % 2 == 0;
  if (counts) dut->wide_counters.clear();
  Bench bench(std::move(dut), seed);
  bench.program(one.dcqcn);
  bench.run(kCycles, one.profile);
  bench.compare_counters();
  bench.compare_slots();
  const std::lock_guard lock(guard);
  total.add(bench);
  // The oracle's counts cover the time since the last soft reset.
  for (std::size_t i = 0; i < std::size(kOutcomes) && counts; ++i)
    total.outcomes[i] += bench.oracle().counts().*kOutcomes[i].second;
  if (!bench.difference().empty() && total.difference.empty())
    total.difference = "draw " + std::to_string(draw) + ", " + one.name + ": " + bench.difference();
}

void run_draw(std::uint64_t draw, unsigned jobs, Total& total) {
  std::atomic<std::size_t> next{0};
  std::mutex guard;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < jobs; ++i) {
    threads.emplace_back([&] {
      for (std::size_t which = next++; which < kCases.size(); which = next++)
        run_one(draw, which, total, guard);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Prints the counts of the coverage bins, and the names of empty bins. Returns the number of empty
/// bins.
std::size_t print_bins(const Total& total) {
  std::size_t bins = 0, empty = 0;
  const auto bin = [&](const std::string& name, std::uint64_t count) {
    ++bins;
    if (count != 0) return;
    ++empty;
    std::printf("empty: %s\n", name.c_str());
  };
  for (std::size_t a = 0; a < kKinds; ++a) {
    for (std::size_t b = 0; b < kKinds; ++b) {
      const auto& counts = total.pairs[a][b];
      const std::size_t first = least_distance(a, b);
      for (std::size_t d = first; d < kDistances; ++d)
        bin(std::string(kNames[a]) + ", then " + kNames[b] + ", " + std::to_string(d) + " cycles",
            counts[d]);
      const std::uint64_t least = *std::min_element(counts.begin() + first, counts.end());
      std::printf("%s, then %s, %zu to 64 and more cycles apart: %llu times and more each\n",
                  kNames[a], kNames[b], first, static_cast<unsigned long long>(least));
    }
  }
  for (std::size_t i = 0; i < std::size(kOutcomes); ++i) {
    bin(kOutcomes[i].first, total.outcomes[i]);
    std::printf("%s: %llu\n", kOutcomes[i].first,
                static_cast<unsigned long long>(total.outcomes[i]));
  }
  const std::pair<const char*, std::uint64_t> others[] = {{"answers", total.answered},
                                                          {"answers to queries", total.queries},
                                                          {"bytes held back", total.back_pressure},
                                                          {"accesses", total.accesses},
                                                          {"soft resets", total.resets},
                                                          {"slots put into a state", total.states}};
  for (const auto& [name, count] : others) {
    bin(name, count);
    std::printf("%s: %llu\n", name, static_cast<unsigned long long>(count));
  }
  std::printf("bins: %zu of %zu filled\n", bins - empty, bins);
  return empty;
}

int campaign(std::uint64_t events, unsigned jobs, std::uint64_t first) {
  Total total;
  std::uint64_t draw = first;
  while (total.issued < events && total.difference.empty()) {
    run_draw(draw++, jobs, total);
    std::fprintf(stderr, "\r%llu of %llu events", static_cast<unsigned long long>(total.issued),
                 static_cast<unsigned long long>(events));
  }
  std::fprintf(stderr, "\n");
  std::printf("%llu events in %llu cycles, %llu draws of %zu profiles\n",
              static_cast<unsigned long long>(total.issued),
              static_cast<unsigned long long>(total.cycles),
              static_cast<unsigned long long>(draw - first), kCases.size());
  if (!total.difference.empty()) {
    std::printf("%s\n", total.difference.c_str());
    return 1;
  }
  return print_bins(total) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace dcc::page

int main(int argc, char** argv) {
  char* end = nullptr;
  const std::uint64_t events = argc > 1 ? std::strtoull(argv[1], &end, 10) : 0;
  const unsigned jobs = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10))
                                 : std::thread::hardware_concurrency();
  const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  if (argc > 4 || events == 0 || *end != '\0' || jobs == 0 || jobs > 256) {
    std::fprintf(stderr, "usage: controller_campaign EVENTS [JOBS [FIRST]]\n");
    return 2;
  }
  return dcc::page::campaign(events, jobs, first);
}
