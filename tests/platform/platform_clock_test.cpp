// Tests the conversion between simulated time and the devices' time, and the events that move when
// time is skipped.
#include "disturb/platform_clock.h"

#include <gtest/gtest.h>

#include <vector>

namespace dcc::vp {
namespace {

struct Diary {
  explicit Diary(PlatformClock& its_clock) : clock(its_clock) {}
  void note() { at.push_back(clock.now()); }
  PlatformClock& clock;
  std::vector<PicoSeconds> at;
};

TEST(PlatformClock, WithoutSkipsThereIsOneTime) {
  Scheduler scheduler;
  PlatformClock clock(scheduler);
  scheduler.run_until(kMicroSecond * 3);
  EXPECT_EQ(clock.now(), kMicroSecond * 3);
  EXPECT_EQ(clock.simulated(kMicroSecond * 2), kMicroSecond * 2);
  EXPECT_EQ(clock.next_kept(), PicoSeconds::max());
}

TEST(PlatformClock, KeptEventsComeAtTheirTimeOthersWithTheDevices) {
  Scheduler scheduler;
  PlatformClock clock(scheduler);
  Diary diary(clock);
  Diary device_diary(clock);
  Event kept = Event::calling<&Diary::note>(diary, 1);
  Event device = Event::calling<&Diary::note>(device_diary, 0);
  clock.keep(kept);
  clock.schedule_at(kept, kMicroSecond * 100);
  scheduler.schedule_at(device, kMicroSecond * 12);
  scheduler.run_until(kMicroSecond * 10);
  EXPECT_EQ(clock.next_kept(), kMicroSecond * 100);
  clock.skip(kMicroSecond * 80);
  EXPECT_EQ(clock.now(), kMicroSecond * 90);
  EXPECT_EQ(clock.next_kept(), kMicroSecond * 100);
  EXPECT_EQ(clock.due(kept), kMicroSecond * 100);
  scheduler.run_until(kMicroSecond * 20);
  EXPECT_EQ(diary.at, std::vector{kMicroSecond * 100});
  EXPECT_EQ(device_diary.at, std::vector{kMicroSecond * 92});
  clock.schedule_at(kept, kMicroSecond * 130);
  EXPECT_EQ(kept.due(), kMicroSecond * 50);
  EXPECT_EQ(clock.skipped(), kMicroSecond * 80);
}

TEST(PlatformClock, MomentsOfTheDevicesHaveTheirPlaceBetweenTheSkips) {
  Scheduler scheduler;
  PlatformClock clock(scheduler);
  scheduler.run_until(kMicroSecond * 10);
  clock.skip(kMicroSecond * 5);
  scheduler.run_until(kMicroSecond * 20);
  clock.skip(kMicroSecond * 7);
  // a time before the skipped interval
  EXPECT_EQ(clock.simulated(kMicroSecond * 10), kMicroSecond * 10);
  EXPECT_EQ(clock.simulated(kMicroSecond * 11), kMicroSecond * 16);
  EXPECT_EQ(clock.simulated(kMicroSecond * 20), kMicroSecond * 25);
  EXPECT_EQ(clock.simulated(kMicroSecond * 21), kMicroSecond * 33);
}

}  // namespace
}  // namespace dcc::vp
