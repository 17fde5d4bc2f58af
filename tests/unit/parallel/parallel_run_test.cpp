#include "parallel/parallel_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "sim/random.h"

namespace dcc {
namespace {

using Execution = ParallelRun::Execution;

constexpr PicoSeconds kLookahead = kMicroSecond;

/// An event of rank 0. Each lambda type is an event kind of its own.
template <class Happens>
Event event_of(Happens happens, void* owner) {
  static const Event::Kind kind{happens, nullptr};
  return Event(kind, owner, 0);
}

/// Records of the actions of a node: time and state of the node.
using Log = std::vector<std::pair<std::int64_t, std::uint64_t>>;

/// Behaviour of a node that counts received messages. At each of its own events the node sends a
/// message to another node, which receives it later than the lookahead. All choices come from the
/// node's own random stream, so a single wrong order changes all later records.
struct Rules {
  Rules(std::uint64_t seed, unsigned node, unsigned count)
      : random(seed, "node", node), nodes(count) {}

  PicoSeconds until_next() {
    return PicoSeconds(1 + static_cast<std::int64_t>(random.below(700'000)));
  }
  unsigned whom() { return static_cast<unsigned>(random.below(nodes)); }
  PicoSeconds way() {
    return kLookahead + PicoSeconds(1 + static_cast<std::int64_t>(random.below(3'000'000)));
  }
  void hear(std::uint64_t word) { state = mix64(state ^ word); }

  RandomStream random;
  unsigned nodes;
  std::uint64_t state = 1;
};

/// The oracle: one sorted map of all future actions, without any scheduler code.
std::vector<Log> simulate_with_a_map(std::uint64_t seed, unsigned nodes, PicoSeconds end) {
  struct What {
    unsigned node;
    bool own;
    std::uint64_t word;
  };
  std::vector<Rules> rules;
  std::vector<Log> logs(nodes);
  // Order: time, node, reception before action, order of creation.
  std::map<std::tuple<std::int64_t, unsigned, bool, std::uint64_t>, What> agenda;
  std::uint64_t made = 0;
  const auto plan = [&](PicoSeconds when, const What& what) {
    agenda[{when.count, what.node, what.own, made++}] = what;
  };
  for (unsigned node = 0; node < nodes; ++node) rules.emplace_back(seed, node, nodes);
  for (unsigned node = 0; node < nodes; ++node) plan(rules[node].until_next(), {node, true, 0});
  while (!agenda.empty() && std::get<0>(agenda.begin()->first) <= end.count) {
    const PicoSeconds now(std::get<0>(agenda.begin()->first));
    const What what = agenda.begin()->second;
    agenda.erase(agenda.begin());
    Rules& mine = rules[what.node];
    if (!what.own) {
      mine.hear(what.word);
    } else {
      const unsigned other = mine.whom();
      plan(now + mine.way(), {other, false, mine.state});
      plan(now + mine.until_next(), {what.node, true, 0});
    }
    logs[what.node].emplace_back(now.count, mine.state);
  }
  return logs;
}

class Node {
 public:
  Node(ParallelRun& run, unsigned partition, std::uint64_t seed, unsigned number, unsigned nodes)
      : rules(seed, number, nodes),
        partition_(partition),
        run_(run),
        own_(Event::calling<&Node::act>(*this, 2 * number + 1)),
        number_(number) {}

  void begin(std::vector<std::unique_ptr<Node>>& all) {
    all_ = &all;
    scheduler().schedule_in(own_, rules.until_next());
  }
  /// Sends a message from this node to `other` between two calls that execute the parallel run,
  /// when no thread executes events.
  void tell(Node& other, std::uint64_t word, PicoSeconds when) {
    Letter* const letter = sent_.emplace_back(std::make_unique<Letter>(other, word, when)).get();
    if (other.partition_ == partition_) {
      letter->enter();
    } else {
      run_.mailbox(partition_, other.partition_)
          .put([](void*, void* item) { static_cast<Letter*>(item)->enter(); }, &other, letter,
               when);
    }
  }

  Rules rules;
  Log log;

 private:
  struct Letter {
    Letter(Node& node, std::uint64_t what, PicoSeconds when)
        : to(node),
          word(what),
          due(when),
          event(Event::calling<&Letter::arrive>(*this, 2 * node.number_)) {}
    void enter() { to.scheduler().schedule_at(event, due); }
    void arrive() {
      to.rules.hear(word);
      to.log.emplace_back(to.scheduler().now().count, to.rules.state);
    }
    Node& to;
    std::uint64_t word;
    PicoSeconds due;
    Event event;
  };

  Scheduler& scheduler() { return run_.scheduler(partition_); }
  void act() {
    Node& other = *(*all_)[rules.whom()];
    const PicoSeconds now = scheduler().now();
    tell(other, rules.state, now + rules.way());
    scheduler().schedule_in(own_, rules.until_next());
    log.emplace_back(now.count, rules.state);
  }

  unsigned partition_;
  ParallelRun& run_;
  Event own_;
  unsigned number_;
  std::vector<std::unique_ptr<Node>>* all_ = nullptr;
  // All messages that the node sent, including those in flight at the end.
  std::vector<std::unique_ptr<Letter>> sent_;
};

/// A number of partitions, and the number of threads that share them.
struct Shape {
  unsigned partitions;
  unsigned threads;
};

std::vector<Log> simulate(std::uint64_t seed, unsigned nodes, PicoSeconds end, const Shape& shape,
                          Execution execution, PicoSeconds stride) {
  const unsigned partitions = shape.partitions;
  ParallelRun run(partitions, shape.threads, kLookahead, execution);
  EXPECT_EQ(run.partitions(), partitions);
  EXPECT_EQ(run.threads(), shape.threads);
  std::vector<std::unique_ptr<Node>> all;
  for (unsigned n = 0; n < nodes; ++n) {
    all.push_back(std::make_unique<Node>(run, n % partitions, seed, n, nodes));
  }
  for (auto& node : all) node->begin(all);
  for (PicoSeconds t = stride; t < end; t += stride) run.run_until(t);
  run.run_until(end);
  for (unsigned p = 0; p < partitions; ++p) EXPECT_EQ(run.scheduler(p).now(), end);
  std::uint64_t events = 0;
  std::vector<Log> logs;
  for (auto& node : all) {
    events += node->log.size();
    logs.push_back(std::move(node->log));
  }
  EXPECT_EQ(run.events_run(), events);
  return logs;
}

class Divided : public ::testing::TestWithParam<std::tuple<Shape, Execution, std::int64_t>> {};

TEST_P(Divided, DoesWhatOneAgendaDoes) {
  const auto [shape, execution, stride_ns] = GetParam();
  const PicoSeconds end = kMicroSecond * 120;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const std::vector<Log> expected = simulate_with_a_map(seed, 9, end);
    ASSERT_GT(expected[0].size(), 500u);
    const std::vector<Log> got = simulate(seed, 9, end, shape, execution, kNanoSecond * stride_ns);
    ASSERT_EQ(got, expected) << "seed " << seed;
  }
}

// Tests one thread, as many threads as partitions, fewer threads, and groups of unequal size. Three
// of the twelve partitions are empty.
INSTANTIATE_TEST_SUITE_P(
    Ways, Divided,
    ::testing::Combine(::testing::Values(Shape{2, 2}, Shape{3, 3}, Shape{4, 4}, Shape{4, 1},
                                         Shape{4, 2}, Shape{7, 3}, Shape{9, 2}, Shape{12, 5}),
                       ::testing::Values(Execution::kParallel, Execution::kSequential,
                                         Execution::kAdaptive),
                       ::testing::Values(337, 1'000, 16'000, 2'000'000)));

TEST(ParallelRun, KnowsTheFirstEventAndTheFirstItemUnderWay) {
  ParallelRun run(2, 2, kLookahead);
  EXPECT_EQ(run.next_time(), PicoSeconds::max());
  bool rang = false;
  const auto sets = [](void* flag) { *static_cast<bool*>(flag) = true; };
  Event bell = event_of(sets, &rang);
  run.scheduler(0).schedule_at(bell, kMicroSecond * 9);
  EXPECT_EQ(run.next_time(), kMicroSecond * 9);
  bool arrived = false;
  struct Item {
    Event event;
    Scheduler& far;
  } item{event_of(sets, &arrived), run.scheduler(1)};
  run.mailbox(0, 1).put(
      [](void*, void* one) {
        auto* const it = static_cast<Item*>(one);
        it->far.schedule_at(it->event, kMicroSecond * 7);
      },
      nullptr, &item, kMicroSecond * 7);
  EXPECT_EQ(run.next_time(), kMicroSecond * 7);
  run.run_until(kMicroSecond * 6);  // no event is due, so no thread is woken and the clocks advance
  EXPECT_EQ(run.scheduler(1).now(), kMicroSecond * 6);
  EXPECT_EQ(run.next_time(), kMicroSecond * 7);
  run.run_until(kMicroSecond * 7);
  EXPECT_TRUE(arrived);
  EXPECT_FALSE(rang);
  run.run_until(kMicroSecond * 9);
  EXPECT_TRUE(rang);
  EXPECT_EQ(run.next_time(), PicoSeconds::max());
}

TEST(ParallelRun, SettlesWhatIsUnderWay) {
  ParallelRun run(3, 1, kLookahead);
  int arrived = 0;
  struct Item {
    Event event;
    Scheduler& far;
  } item{event_of([](void* count) { ++*static_cast<int*>(count); }, &arrived), run.scheduler(2)};
  run.mailbox(0, 2).put(
      [](void*, void* one) {
        auto* const it = static_cast<Item*>(one);
        it->far.schedule_at(it->event, kMicroSecond * 7);
      },
      nullptr, &item, kMicroSecond * 7);
  EXPECT_FALSE(item.event.is_scheduled());
  run.settle();
  EXPECT_TRUE(item.event.is_scheduled());
  EXPECT_EQ(run.next_time(), kMicroSecond * 7);
  run.settle();  // a second call has nothing to do
  run.run_until(kMicroSecond * 20);
  EXPECT_EQ(arrived, 1);
  EXPECT_EQ(run.next_time(), PicoSeconds::max());
}

TEST(ParallelRun, HandsOnWhatAnEventThrows) {
  for (const Execution execution : {Execution::kParallel, Execution::kSequential}) {
    for (unsigned where = 0; where < 3; ++where) {
      ParallelRun run(3, 1 + where, kLookahead, execution);
      int others = 0;
      Event quiet = event_of([](void* count) { ++*static_cast<int*>(count); }, &others);
      Event loud = event_of([](void*) { throw std::runtime_error("broken"); }, nullptr);
      run.scheduler((where + 1) % 3).schedule_at(quiet, kMicroSecond * 2);
      run.scheduler(where).schedule_at(loud, kMicroSecond * 2);
      EXPECT_THROW(run.run_until(kMicroSecond * 3), std::runtime_error);
      EXPECT_EQ(others, 1);
    }
  }
}

TEST(ParallelRun, TellsTheEarliestOfTwoFailuresAndRunsNoFurther) {
  for (const Execution execution : {Execution::kParallel, Execution::kSequential}) {
    ParallelRun run(2, 2, kLookahead, execution);
    Event late = event_of([](void*) { throw std::runtime_error("late"); }, nullptr);
    Event early = event_of([](void*) { throw std::runtime_error("early"); }, nullptr);
    int after = 0;
    Event behind = event_of([](void* count) { ++*static_cast<int*>(count); }, &after);
    run.scheduler(0).schedule_at(late, kNanoSecond * 2'900);
    run.scheduler(1).schedule_at(early, kNanoSecond * 2'500);
    run.scheduler(1).schedule_at(behind, kNanoSecond * 2'600);
    try {
      run.run_until(kMicroSecond * 50);
      ADD_FAILURE() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "early");
    }
    EXPECT_EQ(after, 0);
  }
}

// One of two threads works for 40 ms while the other thread waits, so on average each waits for
// half of that time.
TEST(ParallelRun, TellsWhereItsTimeWent) {
  using std::chrono::milliseconds;
  for (const Execution execution : {Execution::kParallel, Execution::kSequential}) {
    ParallelRun run(2, 2, kLookahead, execution);
    if (run.threads() < 2) GTEST_SKIP() << "the system refuses to start a thread";
    EXPECT_EQ(run.time_spent().together + run.time_spent().alone, 0);
    Event busy = event_of([](void*) { std::this_thread::sleep_for(milliseconds(40)); }, nullptr);
    run.scheduler(1).schedule_at(busy, kMicroSecond * 7);
    run.run_until(kMicroSecond * 9);
    const PartitionedRun::TimeSpent spent = run.time_spent();
    const bool together = execution == Execution::kParallel;
    EXPECT_GE(together ? spent.together : spent.alone, 0.04);
    EXPECT_EQ(together ? spent.alone : spent.together, 0);
    EXPECT_LE(spent.waiting, spent.together);
    if (together) {
      EXPECT_GE(spent.waiting, 0.019);  // the other thread may begin a little later
    }
  }
}

/// Sleeps at each microsecond of a partition's time, so that the partition has real work.
class Sleeper {
 public:
  Sleeper(Scheduler& scheduler, PicoSeconds from, PicoSeconds to)
      : scheduler_(scheduler), to_(to), event_(Event::calling<&Sleeper::act>(*this, 0)) {
    scheduler.schedule_at(event_, from);
  }

 private:
  void act() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (scheduler_.now() + kMicroSecond < to_) scheduler_.schedule_in(event_, kMicroSecond);
  }
  Scheduler& scheduler_;
  PicoSeconds to_;
  Event event_;
};

TEST(ParallelRun, PartitionsMoveToThreadsThatWait) {
  ParallelRun run(8, 2, kLookahead, Execution::kParallel);
  if (run.threads() < 2) GTEST_SKIP() << "the system refuses to start a thread";
  EXPECT_EQ(run.partitions_of(0), 4u);
  // At first partition 1 has all the work, then partition 6, and then all partitions have the same.
  const Sleeper first(run.scheduler(1), kMicroSecond, kMicroSecond * 10);
  const Sleeper second(run.scheduler(6), kMicroSecond * 20, kMicroSecond * 40);
  std::vector<std::unique_ptr<Sleeper>> all;
  for (unsigned p = 0; p < 8; ++p) {
    all.push_back(
        std::make_unique<Sleeper>(run.scheduler(p), kMicroSecond * 50, kMicroSecond * 70));
  }
  const auto run_to = [&](int microseconds) {
    while (run.next_time() <= kMicroSecond * microseconds) {
      run.run_until(run.next_time() + kMicroSecond);
    }
  };
  run_to(10);
  EXPECT_LE(run.partitions_of(0), 2u);
  run_to(40);
  EXPECT_GE(run.partitions_of(0), 6u);
  EXPECT_LE(run.partitions_of(0), 7u);
  run_to(70);
  EXPECT_GE(run.partitions_of(0), 3u);
  EXPECT_LE(run.partitions_of(0), 5u);
  EXPECT_EQ(run.partitions_of(0) + run.partitions_of(1), 8u);
}

TEST(ThreadBarrier, WakesWhoHasFallenAsleep) {
  ThreadBarrier barrier(3);
  int written = 0;
  std::vector<std::thread> early;
  for (int i = 0; i < 2; ++i) {
    early.emplace_back([&] {
      barrier.wait();
      EXPECT_EQ(written, 1);
    });
  }
  // longer than a waiting thread spins before it sleeps
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  written = 1;
  barrier.wait();
  for (std::thread& thread : early) thread.join();
}

}  // namespace
}  // namespace dcc
