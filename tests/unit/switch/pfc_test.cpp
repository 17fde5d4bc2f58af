#include "switch/pfc.h"

#include <gtest/gtest.h>

#include "switch/switch_parameters.h"

namespace dcc {
namespace {

TEST(Pfc, HeadroomIsTheRoundTripAndThePacketsInProgress) {
  // The headroom of a link of 100 Gb/s and 1 us in each direction is 25 000 bytes, three packets of
  // 1100 bytes, and the pause frame.
  const LinkParameters link{BitRate(100'000'000'000), kMicroSecond, 20};
  EXPECT_EQ(headroom_for(link, 1'080), 25'000 + 1 + 3 * 1'100 + 84);
  LinkParameters faster = link;
  faster.rate = BitRate(400'000'000'000);
  EXPECT_EQ(headroom_for(faster, 1'080) - headroom_for(link, 1'080), 75'000);
}

TEST(Pfc, HeadroomInCellsHoldsPacketsOfEverySize) {
  const LinkParameters link{BitRate(100'000'000'000), kMicroSecond, 20};
  SwitchParameters parameters;
  parameters.largest_packet = 1'080;
  EXPECT_EQ(parameters.headroom_of(link), headroom_for(link, 1'080));
  for (const Bytes cell : {80, 208, 256}) {
    parameters.cell = cell;
    const Bytes wire = headroom_for(link, 1'080);
    for (Bytes size = 64; size <= 1'080; ++size) {
      const Bytes packets = wire / (size + link.overhead);
      EXPECT_GE(parameters.headroom_of(link), packets * ((size + cell - 1) / cell * cell)) << size;
    }
  }
  parameters.cell = 1;
  parameters.pfc.response = kNanoSecond * 800;
  EXPECT_EQ(parameters.headroom_of(link), headroom_for(link, 1'080) + 10'000);
  parameters.pfc.headroom = 5'000;
  EXPECT_EQ(parameters.headroom_of(link), 5'000) << "what is written is in cells already";
}

TEST(Pfc, AlphaIsInProportionToThePortsRateWhereThereIsAReference) {
  LinkParameters link{BitRate(400'000'000'000), kMicroSecond, 20};
  PfcParameters parameters;
  parameters.alpha = Ratio(1, 8);
  EXPECT_EQ(alpha_for(link, parameters), 8192u);
  parameters.reference_rate = BitRate(100'000'000'000);
  EXPECT_EQ(alpha_for(link, parameters), 32'768u);
  link.rate = BitRate(25'000'000'000);
  EXPECT_EQ(alpha_for(link, parameters), 2048u);
  // The threshold is never zero, since a class with threshold zero could never send.
  link.rate = BitRate(1'000);
  EXPECT_EQ(alpha_for(link, parameters), 1u);
  link.rate = BitRate(400'000'000'000);
  parameters.reference_rate = BitRate(1'000'000);
  EXPECT_EQ(alpha_for(link, parameters), 64u << 16);
}

TEST(Pfc, OneFrameTellsTheStateOfAllClasses) {
  PfcPort port;
  EXPECT_FALSE(port.frame_due());
  port.stop(3);
  port.stop(5);
  port.release(3);
  EXPECT_TRUE(port.frame_due());
  EXPECT_TRUE(port.has_stopped(5));
  EXPECT_FALSE(port.has_stopped(3));
  Packet frame;
  port.write_frame(frame);
  EXPECT_EQ(frame.kind, PacketKind::kPause);
  EXPECT_EQ(frame.wire_bytes, 64u);
  EXPECT_EQ(frame.pause_classes, 1u << 5);
  EXPECT_FALSE(port.frame_due());
  EXPECT_EQ(port.counters().pauses_sent, 2u);
  EXPECT_EQ(port.counters().resumes_sent, 1u);
}

TEST(Pfc, PauseTimeIsMeasuredByClassAndForThePort) {
  PfcPort port;
  Packet frame;
  const auto receive = [&](unsigned classes, int us) {
    frame.pause_classes = static_cast<std::uint16_t>(classes);
    port.receive_frame(frame, kMicroSecond * us);
  };
  receive(0b0001, 10);
  receive(0b0011, 15);
  receive(0b0011, 16);  // a repeated pause changes nothing
  receive(0b0010, 20);
  receive(0b0000, 30);
  receive(0b0000, 40);  // a repeated resume changes nothing
  receive(0b0100, 100);
  EXPECT_EQ(port.paused(), 0b0100);
  EXPECT_EQ(port.pause_time(0, kMicroSecond * 110), kMicroSecond * 10);
  EXPECT_EQ(port.pause_time(1, kMicroSecond * 110), kMicroSecond * 15);
  EXPECT_EQ(port.pause_time(2, kMicroSecond * 110), kMicroSecond * 10);
  EXPECT_EQ(port.pause_time(7, kMicroSecond * 110), PicoSeconds(0));
  EXPECT_EQ(port.pause_time(kMicroSecond * 110), kMicroSecond * 30);
  EXPECT_EQ(port.counters().pauses_received, 3u);
  EXPECT_EQ(port.counters().resumes_received, 2u);
}

}  // namespace
}  // namespace dcc
