// Compares the scheduler with a sorted list as oracle.
#include "sim/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "sim/random.h"

namespace dcc {
namespace {

struct Probe {
  std::vector<std::pair<int, PicoSeconds>>* log;
  Scheduler* scheduler;
  int name;
  Event event;
  Probe(std::vector<std::pair<int, PicoSeconds>>& l, Scheduler& s, int n, std::uint32_t rank)
      : log(&l), scheduler(&s), name(n), event(Event::calling<&Probe::fire>(*this, rank)) {}
  void fire() { log->emplace_back(name, scheduler->now()); }
};

TEST(Scheduler, EqualTimesGoByRankThenByOrderOfScheduling) {
  Scheduler scheduler;
  std::vector<std::pair<int, PicoSeconds>> log;
  Probe late_rank(log, scheduler, 1, 9), first(log, scheduler, 2, 3), second(log, scheduler, 3, 3);
  scheduler.schedule_at(late_rank.event, PicoSeconds(100));
  scheduler.schedule_at(first.event, PicoSeconds(100));
  scheduler.schedule_at(second.event, PicoSeconds(100));
  scheduler.run_until(PicoSeconds(100));
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].first, 2);
  EXPECT_EQ(log[1].first, 3);
  EXPECT_EQ(log[2].first, 1);
}

/// An event that records when it ran and when it was prefetched.
struct Foretold {
  std::vector<int>* happened;
  int name;
  mutable int told = 0;
  Event event;
  Foretold(std::vector<int>& log, int n)
      : happened(&log),
        name(n),
        event(Event::calling<&Foretold::happen, &Foretold::expect>(*this, 0)) {}
  void happen() { happened->push_back(name); }
  void expect() const { ++told; }
};

// The scheduler prefetches each event of an overflow bucket once, some events ahead and in the
// order of time, even if events are cancelled, moved or added meanwhile. It does not prefetch
// events of a short list.
TEST(Scheduler, PrefetchesForTheEventsOfAnOverflowBucket) {
  for (const int size : {3, 16, 17, 100}) {
    Scheduler scheduler;
    std::vector<int> happened;
    std::vector<std::unique_ptr<Foretold>> crowd;
    for (int i = 0; i < size; ++i) {
      crowd.push_back(std::make_unique<Foretold>(happened, i));
      scheduler.schedule_at(crowd.back()->event, PicoSeconds(5'000 + (i * 37) % size));
    }
    Foretold late(happened, -1);
    std::vector<int> wanted(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) wanted[static_cast<std::size_t>((i * 37) % size)] = i;
    ASSERT_EQ(scheduler.first(), &crowd[static_cast<std::size_t>(wanted[0])]->event);
    // The test cancels the second event, moves the last event to the front, and adds one event.
    scheduler.cancel(crowd[static_cast<std::size_t>(wanted[1])]->event);
    scheduler.schedule_at(crowd[static_cast<std::size_t>(wanted.back())]->event,
                          PicoSeconds(4'999));
    scheduler.schedule_at(late.event, PicoSeconds(5'001));
    std::vector<int> order{wanted.back(), wanted[0], -1};
    for (std::size_t i = 2; i + 1 < wanted.size(); ++i) order.push_back(wanted[i]);
    scheduler.run_until(PicoSeconds(6'000));
    EXPECT_EQ(happened, order) << size;
    const bool is_crowd = size > 16;
    for (std::size_t i = 2; i + 1 < wanted.size(); ++i) {
      EXPECT_EQ(crowd[static_cast<std::size_t>(wanted[i])]->told, is_crowd ? 1 : 0) << size;
    }
    EXPECT_TRUE(scheduler.empty());
  }
}

TEST(Scheduler, DestroyedEventIsWithdrawn) {
  Scheduler scheduler;
  std::vector<std::pair<int, PicoSeconds>> log;
  {
    Probe probe(log, scheduler, 1, 0);
    scheduler.schedule_at(probe.event, PicoSeconds(5));
  }
  EXPECT_TRUE(scheduler.empty());
  scheduler.run_until(PicoSeconds(10));
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(scheduler.now(), PicoSeconds(10));
}

TEST(Scheduler, SchedulerMayDieBeforeItsEvents) {
  std::vector<std::pair<int, PicoSeconds>> log;
  auto scheduler = std::make_unique<Scheduler>();
  Probe near(log, *scheduler, 1, 0), far(log, *scheduler, 2, 0);
  scheduler->schedule_at(near.event, PicoSeconds(50'000));
  scheduler->schedule_at(far.event, kSecond);
  scheduler.reset();
  EXPECT_FALSE(near.event.is_scheduled());
  EXPECT_FALSE(far.event.is_scheduled());
}

/// Schedules, moves, cancels and runs random events at distances below 2^most_bits picoseconds.
void match_a_sorted_list(int most_bits) {
  std::mt19937_64 random(42);
  Scheduler scheduler;
  std::vector<std::pair<int, PicoSeconds>> log;
  constexpr int kProbes = 200;
  std::vector<std::unique_ptr<Probe>> probes;
  std::vector<std::uint32_t> ranks;
  for (int i = 0; i < kProbes; ++i) {
    ranks.push_back(static_cast<std::uint32_t>(random() % 5));
    probes.push_back(std::make_unique<Probe>(log, scheduler, i, ranks.back()));
  }
  struct Pending {
    std::int64_t when;
    std::uint32_t rank;
    std::uint64_t sequence;
    int name;
    bool operator<(const Pending& o) const {
      return std::tie(when, rank, sequence) < std::tie(o.when, o.rank, o.sequence);
    }
  };
  std::vector<Pending> expected;
  std::uint64_t sequence = 0;
  const auto forget = [&](int name) {
    expected.erase(std::remove_if(expected.begin(), expected.end(),
                                  [&](const Pending& p) { return p.name == name; }),
                   expected.end());
  };
  for (int step = 0; step < 200'000; ++step) {
    const int name = static_cast<int>(random() % kProbes);
    const auto what = random() % 10;
    if (what < 6) {
      const int magnitude = static_cast<int>(random() % static_cast<unsigned>(most_bits + 1));
      const auto distance = static_cast<std::int64_t>(random() % (std::uint64_t{1} << magnitude));
      forget(name);
      const PicoSeconds when = scheduler.now() + PicoSeconds(distance);
      expected.push_back({when.count, ranks[static_cast<std::size_t>(name)], sequence++, name});
      scheduler.schedule_at(probes[static_cast<std::size_t>(name)]->event, when);
    } else if (what < 7) {
      forget(name);
      scheduler.cancel(probes[static_cast<std::size_t>(name)]->event);
    } else if (!expected.empty()) {
      const auto first = std::min_element(expected.begin(), expected.end());
      ASSERT_EQ(scheduler.next_time(), PicoSeconds(first->when));
      log.clear();
      scheduler.run(*scheduler.first());
      ASSERT_EQ(log.size(), 1u);
      ASSERT_EQ(log[0].first, first->name) << "step " << step;
      ASSERT_EQ(log[0].second.count, first->when);
      expected.erase(first);
    } else {
      ASSERT_TRUE(scheduler.empty());
      ASSERT_EQ(scheduler.next_time(), PicoSeconds::max());
    }
  }
}

// Distances from zero to seconds use the current bucket, the calendar, and the heap of distant
// events.
TEST(Scheduler, MatchesASortedListUnderRandomSchedulingMovingAndCancelling) {
  match_a_sorted_list(41);
}

// About a hundred events fall into three buckets, far more than the list of the current bucket
// holds.
TEST(Scheduler, MatchesASortedListWhenBucketsAreCrowded) { match_a_sorted_list(11); }

// Tests of parallel schedulers.

/// Devices that schedule their own events, at once or soon, and two kinds of events that act on all
/// devices in turn. The devices run on one scheduler or are divided among several. The behaviour of
/// a device depends only on its own past.
class SideBySide {
 public:
  static constexpr unsigned kDevices = 5;
  static constexpr PicoSeconds kWindow{37};

  SideBySide(std::uint64_t seed, unsigned schedulers) : schedulers_(schedulers) {
    for (auto& scheduler : schedulers_) scheduler = std::make_unique<Scheduler>();
    notes_.resize(schedulers);
    for (unsigned d = 0; d < kDevices; ++d) {
      devices_.push_back(std::make_unique<Device>(*this, d, RandomStream(seed, "device", d)));
    }
    for (unsigned s = 0; s < schedulers; ++s) {
      for (unsigned kind = 0; kind < 2; ++kind) {
        dividers_.push_back(std::make_unique<Divider>(*this, s, kind));
        dividers_.back()->plan(PicoSeconds(0));
      }
    }
  }

  /// Returns all actions in one order, recorded from a single scheduler or merged from several.
  std::vector<unsigned> run(PicoSeconds end) {
    std::vector<unsigned> all;
    for (PicoSeconds now{}; now < end; now += kWindow) {
      std::vector<Note> window;
      for (std::size_t s = 0; s < schedulers_.size(); ++s) {
        if (schedulers_.size() == 1) {
          schedulers_[s]->run_until(now + kWindow);
        } else {
          schedulers_[s]->run_placed_until(now + kWindow);
        }
        EXPECT_EQ(schedulers_[s]->place(), nullptr);
        window.insert(window.end(), notes_[s].begin(), notes_[s].end());
        notes_[s].clear();
      }
      std::stable_sort(window.begin(), window.end(),
                       [](const Note& a, const Note& b) { return a.place < b.place; });
      for (const Note& note : window) all.push_back(note.what);
    }
    return all;
  }

 private:
  static constexpr unsigned kEvents = 6;  // number of events per device
  struct Note {
    EventPlace place;
    unsigned what;
  };
  struct Device;
  struct Own {
    Own(Device& d, std::uint32_t rank)
        : device(d), event(Event::calling<&Own::happen>(*this, rank)) {}
    void happen() { device.act(); }
    Device& device;
    Event event;
  };
  struct Device {
    Device(SideBySide& w, unsigned n, const RandomStream& r) : world(w), number(n), random(r) {
      for (unsigned e = 0; e < kEvents; ++e) {
        own.push_back(std::make_unique<Own>(*this, e * kDevices + (n + 3 * e) % kDevices));
      }
    }
    void act() {
      world.note(number, number + kDevices * acts++);
      for (std::uint64_t more = random.below(4); more > 0; --more) {
        Event& event = own[random.below(kEvents)]->event;
        const bool at_once = random.below(3) == 0;
        const auto delay = static_cast<std::int64_t>(random.below(12));
        if (event.is_scheduled()) continue;
        world.scheduler_of(number).schedule_in(event, PicoSeconds(at_once ? 0 : delay));
      }
    }
    SideBySide& world;
    unsigned number;
    RandomStream random;
    unsigned acts = 0;
    std::vector<std::unique_ptr<Own>> own;
  };
  /// Runs the parts of a shared event that act on the devices of one scheduler.
  struct Divider {
    Divider(SideBySide& w, unsigned s, unsigned k)
        : world(w),
          scheduler(s),
          kind(k),
          event(Event::calling<&Divider::happen>(*this, 1000 + k)) {}
    bool acts_on(PicoSeconds time, unsigned part) const {
      return (mix64(static_cast<std::uint64_t>(2 * time.count + kind)) >> part) % 4 == 0 &&
             &world.scheduler_of(part % kDevices) == world.schedulers_[scheduler].get();
    }
    void plan(PicoSeconds from) {
      for (PicoSeconds time = from + PicoSeconds(5);; time += PicoSeconds(5)) {
        for (unsigned part = 0; part < kParts; ++part) {
          if (!acts_on(time, part)) continue;
          world.schedulers_[scheduler]->schedule_at(event, time);
          return;
        }
      }
    }
    void happen() {
      Scheduler& its = *world.schedulers_[scheduler];
      for (unsigned part = 0; part < kParts; ++part) {
        if (!acts_on(its.now(), part)) continue;
        its.begin_part(part);
        world.devices_[part % kDevices]->act();
      }
      plan(its.now());
    }
    static constexpr unsigned kParts = 12;
    SideBySide& world;
    unsigned scheduler;
    unsigned kind;
    Event event;
  };

  Scheduler& scheduler_of(unsigned device) { return *schedulers_[device % schedulers_.size()]; }
  void note(unsigned device, unsigned what) {
    const std::size_t s = device % schedulers_.size();
    const EventPlace* const place = schedulers_[s]->place();
    notes_[s].push_back({place != nullptr ? *place : EventPlace{}, what});
  }

  std::vector<std::unique_ptr<Scheduler>> schedulers_;
  std::vector<std::vector<Note>> notes_;  // actions of the current window, by scheduler
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Divider>> dividers_;
};

TEST(Scheduler, PlacesPutTogetherWhatSeveralDidAsOneWouldHave) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto one = SideBySide(seed, 1).run(PicoSeconds(2000));
    ASSERT_GT(one.size(), 2000u);
    for (const unsigned schedulers : {2u, 3u, 5u}) {
      ASSERT_EQ(SideBySide(seed, schedulers).run(PicoSeconds(2000)), one)
          << seed << ", " << schedulers << " schedulers";
    }
  }
}

}  // namespace
}  // namespace dcc
