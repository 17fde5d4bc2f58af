// Bursts taken from memory compared with the same run packet by packet.
#include "disturb/memo.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "build/platform.h"
#include "build/run_loop.h"
#include "measure/metrics.h"
#include "report/metrics_json.h"
#include "small_platform.h"

namespace dcc::vp {

/// Changes the memory of a run.
struct MemoTamper {
  /// Every flow in memory ends later, by this percentage and by one picosecond.
  static void delay(Memo& memo, int percent) {
    for (auto& [key, known] : memo.known_) {
      for (const auto& burst : known.bursts) {
        for (auto& flow : burst->flows)
          flow.received += PicoSeconds(flow.received.count / 100 * percent + 1);
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

/// What results say of flows and counters, to the last digit. Left out is what memory leaves out:
/// how the run went, and devices' totals for the balance.
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
  // DCQCN raises the rates of flows that are over until these reach line rate, burst or not.
  json["aggregate"].erase("rate_increases");
  out << json.dump(1);
  return out.str();
}

struct Outcome {
  std::string figures;
  std::string memo;
};

/// Runs the configuration in a process of its own; `tamper` changes the memory of bursts after 10
/// ms.
Outcome outcome(const std::string& yaml, std::optional<int> delay_percent = {}) {
  const std::string text = in_a_process([&] {
    const PlatformConfig config = config_of(yaml);
    Platform platform("platform", config, {});
    Unwatched observer;
    RunLoop loop(platform, observer);
    struct Tamper {
      Memo* memo;
      int percent;
      void now() { MemoTamper::delay(*memo, percent); }
    } tamper{platform.part<Memo>(), delay_percent.value_or(0)};
    Event event(Event::calling<&Tamper::now>(tamper, 0xFFFFFF));
    if (delay_percent) platform.scheduler.schedule_at(event, kMilliSecond * 10);
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
    return memo.str() + "|" + figures_of(config, r);
  });
  const std::size_t bar = text.find('|');
  if (bar == std::string::npos) return {text, text};
  return {text.substr(bar + 1), text.substr(0, bar)};
}

/// The same figures with and without memory; the first burst is noted, the second remembered, the
/// third checked, and each later one comes from memory.
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
// All packets above one queue length are marked, none below, so nothing is drawn at random.
const char* const kStep = "switch: {ecn: {kmin: 40KB, kmax: 40KB, pmax: 1}}\n";

TEST(Memo, RingIsExact) { expect_exact(star("none", collective("ring_all_reduce"))); }
// A leaf gets its data up to 100 us before another and begins the next round `think` later, so that
// a shorter one leaves the network no rest.
TEST(Memo, TreeUnderDctcpIsExact) {
  expect_exact(star("dctcp", collective("tree_all_reduce", "300us") + kStep));
}
TEST(Memo, AllToAllUnderHpccIsExact) { expect_exact(star("hpcc", collective("all_to_all"))); }
TEST(Memo, RingUnderTimelyIsExact) { expect_exact(star("timely", collective("ring_all_reduce"))); }

// Four answers meet at one port, which marks them.
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

// Random marks: a repetition is another draw, which checks see; with memo_error: 0 none is
// tolerated.
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

// What memory says is made wrong after some bursts; every repetition is checked.
TEST(Memo, AWrongBurstIsForgotten) {
  std::string yaml = star("none",
                          "traffic: [{kind: collective, shape: all_to_all, hosts: 0..1, bytes: "
                          "20MB, rounds: 30, think: 100us}]\n");
  yaml += "fast_forward: {memo: true, memo_check: 1}\n";
  const Outcome right = outcome(yaml);
  EXPECT_EQ(right.memo.substr(0, 18), "hits 0 misses 2 ch") << right.memo;
  EXPECT_NE(right.memo.find(" refused 0 "), std::string::npos) << right.memo;
  EXPECT_NE(outcome(yaml, 5).memo.find(" refused 1 "), std::string::npos);
}

// With memo_error: 0 a check finds one picosecond.
TEST(Memo, ABurstWrongByOnePicosecondIsForgotten) {
  std::string yaml = star("none",
                          "traffic: [{kind: collective, shape: all_to_all, hosts: 0..1, bytes: "
                          "20MB, rounds: 30, think: 100us}]\n");
  yaml += "fast_forward: {memo: true, memo_check: 1, memo_error: 0}\n";
  EXPECT_NE(outcome(yaml).memo.find(" refused 0 "), std::string::npos);
  EXPECT_NE(outcome(yaml, 0).memo.find(" refused 1 "), std::string::npos);
}

// Rounds of two collectives meet in one network without rest between them: simulated, not mixed up.
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

// Two jobs of different periods drift against each other: the same flow begins a burst, and others
// follow at other times. Memory must not be taken for the other course.
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
