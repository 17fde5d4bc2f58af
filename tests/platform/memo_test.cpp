// Compares runs that take repeated bursts from memory (fast_forward.memo) with the same runs
// simulated packet by packet.
#include "disturb/memo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "build/platform.h"
#include "build/run_loop.h"
#include "measure/metrics.h"
#include "report/metrics_json.h"
#include "sim/random.h"
#include "small_platform.h"

namespace dcc::vp {

/// Changes the bursts that a Memo remembers, so that a test sees which results the Memo reuses.
struct MemoTamper {
  /// Delays the end of every remembered flow by a percentage and one picosecond.
  static void delay(Memo& memo, int percent) {
    for (auto& [key, known] : memo.known_) {
      for (const auto& burst : known.bursts) {
        for (auto& flow : burst->flows)
          flow.received += PicoSeconds(flow.received.count / 100 * percent + 1);
      }
    }
  }
  /// Adds bytes and marks to every remembered burst, in its first flow and in its counters.
  static void add(Memo& memo, unsigned bytes, unsigned marks) {
    for (auto& [key, known] : memo.known_) {
      for (const auto& burst : known.bursts) {
        burst->flows.front().wire_bits += 8 * bytes;
        burst->flows.front().ce += marks;
        burst->counted.counted.wires.front().link.bytes += bytes;
        CounterTotals& counters = burst->counted.counted.counters;
        counters.set(&SwitchCounters::ecn_marks, counters.of(&SwitchCounters::ecn_marks) + marks);
      }
    }
  }
};

namespace memo_test {
namespace {

const char* const kMemo = "fast_forward: {memo: true, memo_check: 0}\n";

std::string star(const std::string& algorithm, const std::string& rest) {
  return "topology: {kind: star, hosts: 6, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 40ms\n"
         "output: {series: {flows: none, queues: none, classes: false}}\n"
         "nic: {mtu: 4096B, congestion_control: {algorithm: " +
         algorithm + "}}\n" + rest;
}

/// The results of a run as exact text: flows and counters. The text leaves out figures that the
/// Memo does not reproduce, such as speed, and totals of devices for the packet balance.
std::string figures_of(const PlatformConfig& config, const RunResults& r) {
  std::ostringstream out;
  for (const FlowResult& flow : r.flows) {
    out << flow.id << ' ' << flow.start.count << ' ' << (flow.end ? flow.end->count : -1) << ' '
        << (flow.end_rx ? flow.end_rx->count : -1) << ' ' << flow.delivered_measured << ' '
        << flow.delivered_total << '\n';
  }
  for (const ComputationResult& one : r.computations) {
    out << one.id << ' ' << (one.start ? one.start->count : -1) << '\n';
  }
  for (const LinkResult& link : r.links) out << link.name << ' ' << link.busy.count << '\n';
  for (const QueueResult& queue : r.queues) {
    out << queue.port << ' ' << queue.mean_bytes << ' ' << queue.p99_bytes << ' ' << queue.max_bytes
        << '\n';
  }
  auto json = metrics_json(r, compute_metrics(config, r));
  for (const char* const left_out :
       {"memo", "speed", "wall_s", "link_traversals", "balance", "hosts", "diagnoses"}) {
    json.erase(left_out);
  }
  // DCQCN raises the rates of completed flows up to the link rate, also between bursts, so this
  // counter differs.
  json["aggregate"].erase("rate_increases");
  out << json.dump(1);
  return out.str();
}

struct Outcome {
  std::string figures;
  std::string memo;
  std::string hits = "0";  // number of bursts that the run took from memory
};

/// An error to put into the Memo, and the time at which the test does so.
struct Wrong {
  PicoSeconds at;
  std::function<void(Memo&)> made;
};
Wrong late(int percent, PicoSeconds at = kMilliSecond * 10) {
  return {at, [percent](Memo& memo) { MemoTamper::delay(memo, percent); }};
}
Wrong more(unsigned bytes, unsigned marks, PicoSeconds at = kMilliSecond * 10) {
  return {at, [bytes, marks](Memo& memo) { MemoTamper::add(memo, bytes, marks); }};
}

/// Runs the configuration in a separate process. `wrong` changes the remembered bursts.
Outcome outcome(const std::string& yaml, const std::optional<Wrong>& wrong = {}) {
  const std::string text = in_a_process([&] {
    const PlatformConfig config = config_of(yaml);
    Platform platform("platform", config, {});
    Unwatched observer;
    RunLoop loop(platform, observer);
    struct Tamper {
      Memo* memo;
      const std::optional<Wrong>& wrong;
      void now() { wrong->made(*memo); }
    } tamper{platform.part<Memo>(), wrong};
    Event event(Event::calling<&Tamper::now>(tamper, 0xFFFFFF));
    if (wrong) platform.scheduler.schedule_at(event, wrong->at);
    RunResults r;
    loop.run(r);
    std::ostringstream memo;
    if (r.memo) {
      memo << "hits " << (r.memo->hits != 0) << " misses " << r.memo->misses << " checked "
           << r.memo->checked << " refused " << r.memo->refused << " differing "
           << r.memo->differing << " cut " << r.memo->cut << " error "
           << r.memo->error_max.value_or(-1);
    }
    for (const std::string& failure : r.failures) memo << " failure: " << failure;
    std::ostringstream rounds;
    for (const QueryResult& query : r.queries) {
      rounds << query.asked.count << ' ' << (query.answered ? query.answered->count : -1) << '\n';
    }
    return std::to_string(r.memo ? r.memo->hits : 0) + "|" + memo.str() + "|" + rounds.str() +
           figures_of(config, r);
  });
  const std::size_t first = text.find('|');
  if (first == std::string::npos) return {text, text};
  const std::size_t second = text.find('|', first + 1);
  return {text.substr(second + 1), text.substr(first + 1, second - first - 1),
          text.substr(0, first)};
}

/// Expects the same figures with and without memory. The Memo notes the first burst, remembers the
/// second, checks the third, and takes each later one from memory.
void expect_exact(const std::string& yaml) {
  const Outcome whole = outcome(yaml);
  const Outcome quick = outcome(yaml + kMemo);
  EXPECT_EQ(whole.memo, "");
  EXPECT_EQ(quick.memo, "hits 1 misses 2 checked 1 refused 0 differing 0 cut 0 error 0");
  EXPECT_EQ(quick.figures, whole.figures);
}

std::string collective(const std::string& shape, const std::string& think = "30us") {
  return "traffic: [{kind: collective, shape: " + shape +
         ", hosts: 0..5, bytes: 1MB, rounds: 12, think: " + think + "}]\n";
}
// The switch marks all packets above one queue length and none below, so that no mark is random.
const char* const kStep = "switch: {ecn: {kmin: 40KB, kmax: 40KB, pmax: 1}}\n";

TEST(Memo, RingIsExact) { expect_exact(star("none", collective("ring_all_reduce"))); }
// A leaf of the tree may get its data up to 100 us before another leaf, and begins the next round
// `think` later. With a shorter `think` the network would never be idle.
TEST(Memo, TreeUnderDctcpIsExact) {
  expect_exact(star("dctcp", collective("tree_all_reduce", "300us") + kStep));
}
TEST(Memo, AllToAllUnderHpccIsExact) { expect_exact(star("hpcc", collective("all_to_all"))); }
TEST(Memo, RingUnderTimelyIsExact) { expect_exact(star("timely", collective("ring_all_reduce"))); }

// Configuration with rounds of incast: four answers meet at one port, which marks them.
std::string incasts(unsigned rounds) {
  std::string list = "traffic:\n";
  for (unsigned i = 0; i < rounds; ++i) {
    const std::string n = std::to_string(i);
    const std::string after = i == 0 ? "" : ", after: {flows: burst" + std::to_string(i - 1) + "}";
    list += "  - {id: work" + n + ", kind: compute, hosts: 1..4, time: 50us" + after + "}\n";
    list += "  - {id: burst" + n +
            ", kind: incast, senders: 1..4, receiver: 0, bytes: 400KB, after: "
            "{flows: work" +
            n + ", scope: host}}\n";
  }
  return list;
}
TEST(Memo, ComputationsAndMarkedIncastsAreExact) {
  for (const char* const algorithm : {"dcqcn", "dctcp"})
    expect_exact(star(algorithm, incasts(12) + kStep));
}

TEST(Memo, CountsNothingTwiceWhereTheWindowBeginsAndEndsWithinABurst) {
  const std::string yaml =
      star("none", collective("ring_all_reduce") + "measure: {from: 1500us, to: 3500us}\n");
  const Outcome whole = outcome(yaml);
  const Outcome quick = outcome(yaml + kMemo);
  EXPECT_EQ(quick.figures, whole.figures);
  EXPECT_EQ(quick.memo.substr(0, 7), "hits 1 ") << quick.memo;
}

// With random marks each repetition of a burst has another result, which checks detect. With
// memo_error: 0 no difference is tolerated.
TEST(Memo, RandomMarksAreFoundByChecks) {
  const std::string red =
      star("dcqcn", incasts(40) + "switch: {ecn: {kmin: 5KB, kmax: 200KB, pmax: 0.1}}\n");
  const Outcome strict = outcome(red + "fast_forward: {memo: true, memo_error: 0}\n");
  EXPECT_EQ(strict.memo.find("refused 0"), std::string::npos) << strict.memo;
  EXPECT_EQ(strict.memo.substr(0, 7), "hits 0 ") << strict.memo;
  EXPECT_EQ(strict.figures, outcome(red).figures) << "every burst was simulated";
  const Outcome lenient = outcome(red + "fast_forward: {memo: true, memo_error: 20%}\n");
  EXPECT_EQ(lenient.memo.substr(0, 7), "hits 1 ") << lenient.memo;
  EXPECT_EQ(lenient.figures,
            outcome(red + "fast_forward: {memo: true, memo_error: 20%}\n").figures);
}

// The test changes the remembered bursts after some rounds. Every repetition is checked.
TEST(Memo, AWrongBurstIsForgotten) {
  std::string yaml = star("none",
                          "traffic: [{kind: collective, shape: all_to_all, hosts: 0..1, bytes: "
                          "20MB, rounds: 30, think: 100us}]\n");
  yaml += "fast_forward: {memo: true, memo_check: 1}\n";
  const Outcome right = outcome(yaml);
  EXPECT_EQ(right.memo.substr(0, 18), "hits 0 misses 2 ch") << right.memo;
  EXPECT_NE(right.memo.find(" refused 0 "), std::string::npos) << right.memo;
  EXPECT_NE(outcome(yaml, late(5)).memo.find(" refused 1 "), std::string::npos);
}

// With memo_error: 0 a check detects a difference of one picosecond, one byte or one mark.
TEST(Memo, ABurstWrongByOnePicosecondByteOrMarkIsForgotten) {
  std::string yaml = star("none",
                          "traffic: [{kind: collective, shape: all_to_all, hosts: 0..1, bytes: "
                          "20MB, rounds: 30, think: 100us}]\n");
  yaml += "fast_forward: {memo: true, memo_check: 1, memo_error: 0}\n";
  EXPECT_NE(outcome(yaml).memo.find(" refused 0 "), std::string::npos);
  for (const Wrong& wrong : {late(0), more(1, 0), more(0, 1)}) {
    EXPECT_NE(outcome(yaml, wrong).memo.find(" refused 1 "), std::string::npos);
  }
}

std::string unlisted(const char* flows) {
  return std::string("output: {flows: ") + flows +
         ", series: {flows: none, queues: none, classes: false}}\n";
}
/// Configuration of a star with a collective of random ranks, bytes and message size. With memory,
/// rounds that no list names are left out.
std::string drawn(RandomStream& random, const char* shape, const char* flows) {
  // In a tree of 2^k − 1 ranks all leaves are on one level.
  const bool tree = std::string(shape) == "tree_all_reduce";
  const std::uint64_t ranks = tree ? (random.below(2) == 0 ? 3 : 7) : 2 + random.below(7);
  const std::uint64_t bytes = 20'000 + random.below(300'000);
  const std::uint64_t message = 1'000 + random.below(100'000);
  return "topology: {kind: star, hosts: " + std::to_string(std::max<std::uint64_t>(ranks, 2)) +
         ", link: {rate: 100Gbps, delay: 1us}}\nhost: {driver: none}\nduration: 40ms\n" +
         unlisted(flows) +
         "nic: {mtu: 4096B, congestion_control: {algorithm: dctcp}}\n"
         "switch: {ecn: {kmin: 20KB, kmax: 20KB, pmax: 1}}\n"
         "traffic: [{kind: collective, shape: " +
         shape + ", bytes: " + std::to_string(bytes) + "B, message: " + std::to_string(message) +
         "B, rounds: " + std::to_string(20 + random.below(60)) + ", think: 200us}]\n";
}

TEST(Memo, RoundsLeftOutAreExact) {
  RandomStream random(46, "rounds left out");
  for (const char* const shape :
       {"ring_all_reduce", "tree_all_reduce", "all_to_all", "ring_all_gather"}) {
    for (const char* const flows : {"sketch", "none"}) {
      const std::string yaml = drawn(random, shape, flows);
      SCOPED_TRACE(yaml);
      expect_exact(yaml);
    }
  }
}

// The run checks the same rounds, and takes the same rounds from memory, as a run that lists its
// flows.
TEST(Memo, LeavesOutTheRoundsThatListsTakeFromMemory) {
  RandomStream random(47, "rounds left out");
  const std::string yaml = drawn(random, "ring_all_reduce", "none");
  const std::string listed =
      "fast_forward: {memo: true, memo_check: 20%}\n"
      "measure: {from: 2ms, to: 9ms}\n";
  std::string all = yaml;
  all.replace(all.find("flows: none, series"), 11, "flows: all");
  const Outcome left_out = outcome(yaml + listed);
  const Outcome replayed = outcome(all + listed);
  EXPECT_EQ(left_out.memo, replayed.memo);
  EXPECT_EQ(left_out.hits, replayed.hits);
  EXPECT_EQ(left_out.figures, outcome(yaml + "measure: {from: 2ms, to: 9ms}\n").figures);
}

// The run ends within a round, before the last round has begun.
TEST(Memo, RoundsThatTheRunDoesNotReachAreExact) {
  RandomStream random(48, "rounds left out");
  std::string yaml = drawn(random, "ring_all_reduce", "sketch");
  yaml.replace(yaml.find("40ms"), 4, "4ms");
  const Outcome quick = outcome(yaml + kMemo);
  EXPECT_EQ(quick.figures, outcome(yaml).figures);
  EXPECT_EQ(quick.memo.substr(0, 7), "hits 1 ") << quick.memo;
}

// An error of one picosecond, one byte or one mark in a remembered burst must appear in the
// results.
TEST(Memo, RoundsLeftOutShowWhatMemoryHas) {
  std::string yaml = star("dctcp", collective("ring_all_reduce", "200us"));
  yaml.replace(yaml.find("output: {series"), 9, "output: {flows: sketch, ");
  const std::string whole = outcome(yaml).figures;
  const PicoSeconds recorded = kMicroSecond * 1150;  // a time within round 3, which is checked
  EXPECT_EQ(outcome(yaml + kMemo, more(0, 0, recorded)).figures, whole);
  for (const Wrong& wrong : {late(0, recorded), more(1, 0, recorded), more(0, 1, recorded)}) {
    EXPECT_FALSE(outcome(yaml + kMemo, wrong).figures == whole);
  }
}

// Rounds of two collectives overlap, so the network is never idle and no round is taken from
// memory.
TEST(Memo, TakesNothingFromMemoryWhereTheNetworkDoesNotRest) {
  const std::string yaml = star("none",
                                "traffic:\n"
                                "  - {kind: collective, hosts: 0..2, bytes: 900KB, rounds: 30}\n"
                                "  - {kind: collective, hosts: 3..5, bytes: 700KB, rounds: 40}\n");
  const Outcome whole = outcome(yaml);
  const Outcome quick = outcome(yaml + kMemo);
  EXPECT_EQ(quick.figures, whole.figures);
  EXPECT_EQ(quick.memo.substr(0, 7), "hits 0 ");
}

// Two jobs with different periods drift against each other. Bursts begin with the same flow, and
// the other flows follow at different times. The Memo must not use a burst whose flows begin at
// other times.
TEST(Memo, RefusesWhereOtherFlowsFollow) {
  const std::string yaml =
      star("none",
           "traffic:\n"
           "  - {kind: collective, hosts: 0..2, bytes: 300KB, rounds: 60, think: 100us}\n"
           "  - {kind: collective, hosts: 3..5, bytes: 300KB, rounds: 60, think: 111us}\n");
  const Outcome whole = outcome(yaml);
  const Outcome quick = outcome(yaml + kMemo);
  EXPECT_EQ(quick.figures, whole.figures);
  EXPECT_EQ(quick.memo.find("differing 0"), std::string::npos) << quick.memo;
}

TEST(Memo, SeveralPathsAndPromptsAreRefused) {
  const std::string spines = outcome(
                                 "topology: {kind: leaf_spine, leaves: 2, hosts_per_leaf: 3, "
                                 "spines: 2}\nhost: {driver: none}\n"
                                 "output: {series: {flows: none, queues: none, classes: false}}\n"
                                 "nic: {congestion_control: {algorithm: none}}\n" +
                                 collective("ring_all_reduce") + kMemo)
                                 .memo;
  EXPECT_EQ(spines.rfind("fast_forward.memo: several paths lead from host 2 to host 3", 0), 0u)
      << spines;
  const std::string prompt = in_a_process([] {
    RunSetup setup;
    setup.interactive = true;
    run(config_of(star("none", collective("ring_all_reduce") + kMemo)), setup);
    return std::string("accepted");
  });
  EXPECT_EQ(prompt.rfind("fast_forward.memo: ", 0), 0u) << prompt;
}

}  // namespace
}  // namespace memo_test
}  // namespace dcc::vp
