// Tests PFC pauses with a duration between two NICs. The pausing NIC renews them, and the paused
// NIC ends them.
#include "switch/pause_times.h"

#include <gtest/gtest.h>

#include "unit/nic/nic_pair_test.h"

namespace dcc {
namespace {

class TimedPausePair : public test::PairTest {
 public:
  static constexpr unsigned kQuanta = 2000;

  void build_timed() {
    parameters.pause_quanta = kQuanta;
    build();
    lasts = pause_time(kQuanta, parameters.line_rate);
  }
  PicoSeconds paused() const { return nic[0]->transmitter().paused_time(); }
  PicoSeconds lasts;
};

TEST_F(TimedPausePair, AStormIsRenewedUntilItEnds) {
  build_timed();
  post(100'000'000);
  scheduler.run_until(kMicroSecond * 10);
  nic[1]->storm(1);
  scheduler.run_until(kMicroSecond * 10 + lasts * 10);
  EXPECT_EQ(nic[0]->transmitter().allowed(), 0xFEu);
  EXPECT_EQ(count(PacketKind::kPause), 20);
  EXPECT_EQ(nic[1]->counters().pauses_sent, 1u);
  EXPECT_EQ(nic[1]->counters().pause_frames_sent, 21u);  // one of the frames is still on the wire
  nic[1]->storm(0);
  scheduler.run_until(scheduler.now() + lasts * 10);
  EXPECT_EQ(nic[0]->transmitter().allowed(), 0xFFu);
  EXPECT_EQ(nic[1]->counters().pause_frames_sent, 22u);
  EXPECT_LT(paused(), lasts * 10 + kMicroSecond);
}

TEST_F(TimedPausePair, APauseThatIsNotRenewedEndsByItself) {
  build_timed();
  bool lose = false;
  on_wire = [&lose](Packet& packet) { return packet.kind != PacketKind::kPause || !lose; };
  post(100'000'000);
  scheduler.run_until(kMicroSecond * 10);
  nic[1]->storm(1);
  scheduler.run_until(kMicroSecond * 13);
  lose = true;
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(nic[0]->transmitter().allowed(), 0xFFu);
  EXPECT_EQ(paused(), lasts);
  for (const Packet& packet : seen) {
    if (packet.kind != PacketKind::kPause) continue;
    EXPECT_EQ(packet.pause_quanta, kQuanta);
  }
  const std::size_t sent = seen_data();
  scheduler.run_until(kMilliSecond + kMicroSecond * 10);
  EXPECT_GT(seen_data(), sent + 50);
}

TEST_F(TimedPausePair, WithoutATimeAPauseIsSentOnce) {
  build();
  post(1'000);
  nic[1]->storm(1);
  scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(count(PacketKind::kPause), 1);
  EXPECT_EQ(nic[0]->transmitter().allowed(), 0xFEu);
  EXPECT_EQ(seen.back().pause_quanta, 0u);
}

}  // namespace
}  // namespace dcc
