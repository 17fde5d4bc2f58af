// Tests one simulation in two processes, which are threads in this test. The processes exchange
// messages between windows, and messages that were sent while no window ran.
#include "parallel/distributed_run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "parallel/thread_barrier.h"

namespace dcc::distributed_run_test {
namespace {

constexpr unsigned kSize = 2;
constexpr PicoSeconds kLookahead = kMicroSecond;

/// The meeting point of both processes. Each leaves its messages and waits for the other process.
struct Meeting {
  ThreadBarrier barrier{kSize};
  std::vector<std::int64_t> numbers[kSize];
  std::vector<ProcessGroup::Message> messages[kSize];
};

class ThreadAsProcess final : public ProcessGroup {
 public:
  ThreadAsProcess(Meeting& meeting, unsigned rank) : meeting_(meeting), rank_(rank) {}
  unsigned rank() const override { return rank_; }
  unsigned size() const override { return kSize; }

  void sum(std::int64_t* numbers, std::size_t count) override {
    const auto all = all_gather({numbers, numbers + count});
    for (std::size_t i = 0; i < count; ++i) numbers[i] = all[i] + all[count + i];
  }
  std::int64_t least(std::int64_t number) override {
    const auto all = all_gather({number});
    return std::min(all[0], all[1]);
  }
  std::vector<std::int64_t> all_gather(const std::vector<std::int64_t>& mine) override {
    meeting_.numbers[rank_] = mine;
    meeting_.barrier.wait();
    std::vector<std::int64_t> all = meeting_.numbers[0];
    all.insert(all.end(), meeting_.numbers[1].begin(), meeting_.numbers[1].end());
    meeting_.barrier.wait();
    return all;
  }
  void exchange(const std::vector<Message>& to, std::vector<Message>& from) override {
    meeting_.messages[rank_] = to;
    meeting_.barrier.wait();
    from[1 - rank_] = meeting_.messages[1 - rank_][rank_];
    meeting_.barrier.wait();
  }

 private:
  Meeting& meeting_;
  unsigned rank_;
};

/// A listener that receives times, schedules an event at each, and records when the event ran.
class Listener {
 public:
  explicit Listener(Scheduler& scheduler) : scheduler_(scheduler) {}
  void expect(PicoSeconds when) {
    scheduler_.schedule_at(events_.emplace_back(Event::calling<&Listener::happen>(*this, 0)), when);
  }
  std::vector<std::int64_t> log;

 private:
  void happen() { log.push_back(scheduler_.now().count); }
  Scheduler& scheduler_;
  std::deque<Event> events_;
};

/// A message that carries the time at which the listener of the other process shall run.
class Times final : public Courier {
 public:
  explicit Times(Listener& listener) : listener_(listener) {}
  void pack(void*, void* item, ProcessGroup::Message& message) override {
    const auto* const bytes = static_cast<const unsigned char*>(item);
    message.insert(message.end(), bytes, bytes + sizeof(PicoSeconds));
  }
  void unpack(const unsigned char* begin, const unsigned char* end) override {
    for (; begin != end; begin += sizeof(PicoSeconds)) {
      PicoSeconds when;
      std::memcpy(&when, begin, sizeof when);
      listener_.expect(when);
    }
  }

 private:
  Listener& listener_;
};

/// State of one of the two processes.
struct Process {
  Process(Meeting& meeting, unsigned number)
      : rank(number),
        group(meeting, rank),
        run(group, kLookahead),
        listener(run.scheduler(rank)),
        courier(listener) {
    run.set_courier(courier);
  }
  void tell_other(PicoSeconds when) {
    run.mailbox(rank, 1 - rank).put(nullptr, nullptr, &sent.emplace_back(when), when);
  }

  unsigned rank;
  ThreadAsProcess group;
  DistributedRun run;
  Listener listener;
  Times courier;
  std::deque<PicoSeconds> sent;
};

/// Runs the same steps in both processes, as the processes of a run do.
void in_both(const std::function<void(Process&)>& work) {
  Meeting meeting;
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < kSize; ++rank) {
    threads.emplace_back([&meeting, &work, rank] {
      Process process(meeting, rank);
      work(process);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

using Log = std::vector<std::int64_t>;

TEST(DistributedRun, WhatIsPutInAWindowArrivesInTime) {
  in_both([](Process& p) {
    struct Teller {
      void tell() { process.tell_other(kMicroSecond * 5); }
      Process& process;
    } teller{p};
    Event event(Event::calling<&Teller::tell>(teller, 0));
    if (p.rank == 0) p.run.scheduler(0).schedule_at(event, kMicroSecond * 3);
    p.run.run_until(kMicroSecond * 10);
    EXPECT_EQ(p.listener.log, p.rank == 1 ? Log{kMicroSecond.count * 5} : Log{});
    EXPECT_EQ(p.run.scheduler(1 - p.rank).now(), kMicroSecond * 10);
  });
}

// A message is sent while neither process has an event, as when a link comes back and a switch
// sends its waiting packets.
TEST(DistributedRun, WhatIsPutBetweenWindowsIsAnEventToCome) {
  in_both([](Process& p) {
    p.run.run_until(kMicroSecond * 10);
    EXPECT_EQ(p.run.next_time(), PicoSeconds::max());
    if (p.rank == 0) p.tell_other(kMicroSecond * 12);
    EXPECT_EQ(p.run.next_time(), kMicroSecond * 12) << "of process " << p.rank;
    p.run.run_until(kMicroSecond * 20);
    EXPECT_EQ(p.run.next_time(), PicoSeconds::max());
    EXPECT_EQ(p.listener.log, p.rank == 1 ? Log{kMicroSecond.count * 12} : Log{});
  });
}

// The receiver has events before and after the message's time. The message must take effect in time
// order, although the window extends beyond its time.
TEST(DistributedRun, ItComesInItsOwnTimeAmongOthers) {
  in_both([](Process& p) {
    p.run.run_until(kMicroSecond * 10);
    if (p.rank == 1) {
      for (const std::int64_t at : {11'400, 11'600, 11'800}) p.listener.expect(kNanoSecond * at);
    }
    if (p.rank == 0) p.tell_other(kNanoSecond * 11'500);
    p.run.run_until(kMicroSecond * 20);
    const Log all{11'400'000, 11'500'000, 11'600'000, 11'800'000};
    EXPECT_EQ(p.listener.log, p.rank == 1 ? all : Log{});
  });
}

TEST(DistributedRun, AnEndBeforeItIsDueLeavesItForTheNextTime) {
  in_both([](Process& p) {
    if (p.rank == 0) p.tell_other(kMicroSecond * 5);
    p.run.run_until(kMicroSecond * 2);
    EXPECT_TRUE(p.listener.log.empty());
    EXPECT_EQ(p.run.next_time(), kMicroSecond * 5);
    p.run.run_until(kMicroSecond * 5);
    EXPECT_EQ(p.listener.log, p.rank == 1 ? Log{kMicroSecond.count * 5} : Log{});
  });
}

TEST(DistributedRun, SettlingLeavesNothingBetweenThem) {
  in_both([](Process& p) {
    if (p.rank == 0) p.tell_other(kMicroSecond * 5);
    p.run.settle();
    EXPECT_EQ(p.run.scheduler(p.rank).next_time(),
              p.rank == 1 ? kMicroSecond * 5 : PicoSeconds::max());
  });
}

TEST(DistributedRun, WhatFailsInOneFailsInBoth) {
  in_both([](Process& p) {
    struct Failing {
      void fail() { throw std::runtime_error("no more"); }
    } failing;
    Event event(Event::calling<&Failing::fail>(failing, 0));
    if (p.rank == 1) p.run.scheduler(1).schedule_at(event, kMicroSecond);
    try {
      p.run.run_until(kMicroSecond * 10);
      ADD_FAILURE() << "process " << p.rank << " went on";
    } catch (const std::runtime_error& failure) {
      EXPECT_EQ(std::string(failure.what()), "no more");
    }
  });
}

}  // namespace
}  // namespace dcc::distributed_run_test
