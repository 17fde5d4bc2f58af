// Tests pauses with a duration: their end at the switch and their renewal by the switch.
#include "switch/pause_times.h"

#include <gtest/gtest.h>

#include "unit/switch/test_devices.h"

namespace dcc {
namespace {

constexpr unsigned kQuanta = 1000;
const LinkParameters kCable{BitRate(100'000'000'000), kMicroSecond, 20};
const PicoSeconds kPause = kNanoSecond * 5'120;  // 1000 quanta of 512 bits at 100 Gb/s

TEST(PauseTimes, AQuantumIs512BitTimes) {
  EXPECT_EQ(pause_time(kQuanta, kCable.rate), kPause);
  EXPECT_EQ(renewal_time(kQuanta, kCable.rate), kNanoSecond * 2'560);
  EXPECT_EQ(pause_time(65'535, BitRate(10'000'000'000)), kNanoSecond * 3'355'392);
}

struct Counted {
  explicit Counted(Scheduler& clock)
      : scheduler(clock), pauses(clock, Event::calling<&Counted::over>(*this, 1)) {}
  void over() { ended.push_back({scheduler.now(), pauses.take_ended()}); }
  Scheduler& scheduler;
  TimedPauses pauses;
  std::vector<std::pair<PicoSeconds, unsigned>> ended;
};

using Ended = std::vector<std::pair<PicoSeconds, unsigned>>;

TEST(PauseTimes, EachPriorityEndsAtItsOwnTime) {
  Scheduler scheduler;
  Counted end(scheduler);
  end.pauses.received(1u << 3, kPause);
  scheduler.run_until(kMicroSecond);
  // renews the pause of priority 3 and begins one of priority 5
  end.pauses.received(1u << 3 | 1u << 5, kPause);
  scheduler.run_until(kMicroSecond * 2);
  end.pauses.received(1u << 5, kPause);  // resumes priority 3 and renews the pause of priority 5
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(end.ended, (Ended{{kMicroSecond * 2 + kPause, 1u << 5}}));
  end.pauses.received(1u << 0 | 1u << 7, kPause);
  scheduler.run_until(kMilliSecond * 2);
  ASSERT_EQ(end.ended.size(), 2u);
  EXPECT_EQ(end.ended[1], (std::pair{kMilliSecond + kPause, 1u << 0 | 1u << 7}));
}

/// Three hosts at a switch whose pauses have a duration. Host 0 sends to host 1 without end.
struct TimedStar {
  TimedStar() : star(3, parameters(), kCable) {
    star.host[1]->keep = true;
    star.host[0]->blast(1, 1'000);
  }
  static SwitchParameters parameters() {
    SwitchParameters timed;
    timed.pfc.quanta = kQuanta;
    return timed;
  }
  void pause_by(HostId host, unsigned priorities, unsigned quanta) {
    Packet* const frame = star.host[host]->make(host, kPauseFrameBytes);
    frame->kind = PacketKind::kPause;
    frame->pause_classes = static_cast<std::uint16_t>(priorities);
    frame->pause_quanta = quanta;
    star.host[host]->send(frame);
  }
  /// The longest time between two packets at host 1.
  PicoSeconds longest_gap() const {
    PicoSeconds longest{};
    const auto& seen = star.host[1]->seen;
    for (std::size_t i = 1; i < seen.size(); ++i) {
      longest = std::max(longest, seen[i].when - seen[i - 1].when);
    }
    return longest;
  }
  test::TestStar star;
};

TEST(PauseTimes, ASwitchSendsAgainWhenTheTimeIsOver) {
  TimedStar timed;
  timed.star.scheduler.run_until(kMicroSecond * 20);
  timed.pause_by(1, 1, kQuanta);
  timed.star.scheduler.run_until(kMicroSecond * 60);
  const PicoSeconds packet = serialization_time(1'020, kCable.rate);
  EXPECT_GE(timed.longest_gap(), kPause);
  EXPECT_LE(timed.longest_gap(), kPause + packet);
  const PfcPort& port = timed.star.device.pfc(1);
  EXPECT_EQ(port.pause_time(0, kMicroSecond * 60), kPause);
  EXPECT_EQ(port.received_pauses(0, kMicroSecond * 60).ends, 1u);
}

TEST(PauseTimes, ARenewalLengthensAPauseAndAResumeEndsIt) {
  TimedStar timed;
  Scheduler& scheduler = timed.star.scheduler;
  for (const int us : {20, 24, 28}) {
    scheduler.run_until(kMicroSecond * us);
    timed.pause_by(1, 1, kQuanta);
  }
  scheduler.run_until(kMicroSecond * 30);
  timed.pause_by(1, 0, kQuanta);
  scheduler.run_until(kMicroSecond * 60);
  EXPECT_EQ(timed.star.device.pfc(1).pause_time(0, scheduler.now()), kMicroSecond * 10);
}

// A received pause without a duration lasts until it is resumed, even if the switch's own pauses
// have a duration.
TEST(PauseTimes, ASwitchRenewsItsPausesUntilItResumes) {
  TimedStar timed;
  Scheduler& scheduler = timed.star.scheduler;
  scheduler.run_until(kMicroSecond * 20);
  timed.pause_by(1, 1, 0);
  scheduler.run_until(kMilliSecond);
  const PfcPort& input = timed.star.device.pfc(0);
  ASSERT_TRUE(input.has_stopped(0));
  EXPECT_EQ(input.counters().pauses_sent, 1u);
  const std::uint64_t before = timed.star.host[0]->pause_frames;
  scheduler.run_until(kMilliSecond + kPause * 10);
  EXPECT_EQ(timed.star.host[0]->pause_frames - before, 20u);
  timed.pause_by(1, 0, kQuanta);
  timed.star.host[0]->stop();
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_FALSE(input.has_stopped(0));
  const std::uint64_t resumed = timed.star.host[0]->pause_frames;
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(timed.star.host[0]->pause_frames, resumed);
  EXPECT_EQ(timed.star.device.totals().dropped, 0u);
}

}  // namespace
}  // namespace dcc
