// Tests the delay and the jitter of a link.
#include "wire/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dcc {
namespace {

class Arrivals final : public PacketSink {
 public:
  Arrivals(Scheduler &scheduler, PacketPool &pool) : scheduler_(scheduler), pool_(pool) {}
  void receive(Packet *packet, int) override {
    times.push_back(scheduler_.now());
    psns.push_back(packet->psn);
    pool_.free(packet);
  }
  std::vector<PicoSeconds> times;
  std::vector<Psn> psns;

 private:
  Scheduler &scheduler_;
  PacketPool &pool_;
};

class OneWay : public testing::Test {
 protected:
  OneWay() : far(scheduler, pool), link(scheduler, pool, parameters, 1) { link.connect(far, 0); }

  void send_at(PicoSeconds when, std::uint32_t wire_bytes) {
    scheduler.run_until(when);
    Packet *const packet = pool.allocate();
    packet->wire_bytes = wire_bytes;
    packet->psn = next++;
    link.send(packet);
  }

  Scheduler scheduler;
  PacketPool pool;
  Arrivals far;
  LinkParameters parameters{BitRate(100'000'000'000), kMicroSecond, 20};
  Link link;
  Psn next = 0;
};

TEST_F(OneWay, JitterIsDrawnForEachPacketAndNoneOvertakes) {
  const PicoSeconds most = kNanoSecond * 30;
  link.set_jitter(most, RandomStream(5, "jitter", 2));
  RandomStream draws(5, "jitter", 2);
  std::vector<PicoSeconds> expected;
  PicoSeconds last{};
  int held_back = 0;
  for (int i = 0; i < 2000; ++i) {
    const PicoSeconds when = PicoSeconds(10'000) * i;  // 105 bytes with overhead take 8.4 ns
    send_at(when, 85);
    const PicoSeconds drawn = when + PicoSeconds(8'400) + kMicroSecond +
                              PicoSeconds(static_cast<std::int64_t>(draws.below(30'001)));
    held_back += drawn < last ? 1 : 0;
    last = std::max(last, drawn);
    expected.push_back(last);
  }
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(far.times, expected);
  EXPECT_GT(held_back, 100);
  EXPECT_TRUE(std::is_sorted(far.psns.begin(), far.psns.end()));
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(OneWay, WithoutJitterArrivalIsSerialisationAndDelay) {
  link.set_jitter(PicoSeconds(0), RandomStream(5, "jitter", 2));
  send_at(PicoSeconds(0), 85);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(far.times, (std::vector<PicoSeconds>{PicoSeconds(1'008'400)}));
}

TEST_F(OneWay, AFailureLosesWhatIsUnderWayAndWhatIsSentUntilItIsRepaired) {
  send_at(PicoSeconds(0), 85);
  send_at(kMicroSecond, 85);
  scheduler.run_until(PicoSeconds(1'008'400));  // at this time the first packet has arrived
  link.fail();
  EXPECT_EQ(pool.in_use(), 0);
  send_at(kMicroSecond * 2, 85);
  link.repair();
  send_at(kMicroSecond * 3, 85);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(far.psns, (std::vector<Psn>{0, 3}));
  EXPECT_EQ(link.counters().lost, 2u);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(OneWay, AnotherRateIsForWhatIsSentThen) {
  send_at(PicoSeconds(0), 85);
  link.set_rate(BitRate(25'000'000'000));
  send_at(PicoSeconds(8'400), 85);
  link.set_rate(BitRate(30'000'000'000));  // a byte takes a fractional number of picoseconds
  send_at(PicoSeconds(100'000), 85);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(far.times, (std::vector<PicoSeconds>{PicoSeconds(1'008'400), PicoSeconds(1'042'000),
                                                 PicoSeconds(1'128'000)}));
}

}  // namespace
}  // namespace dcc
