// Tests DCTCP against values calculated step by step: rounds, α, cuts, growth (SIGCOMM 2010,
// section 3.3; RFC 8257).
#include "schemes/dctcp/dctcp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

constexpr PicoSeconds kBaseRtt = kMicroSecond * 4;

AckInfo ack(Psn psn, Psn next, bool ce, Bytes bytes = 1000) {
  AckInfo info;
  info.psn = psn;
  info.next_psn = next;
  info.ce = ce;
  info.newly_acked = bytes;
  return info;
}

class DctcpTest : public testing::Test {
 protected:
  static DctcpParameters rate_form() {
    DctcpParameters p;
    p.form = DctcpParameters::Form::kRate;
    p.r_ai = 500_Mbps;
    p.r_min = 100_Mbps;
    return p;
  }
  FakeHost host_{10'000};  // a NIC of 10 Gb/s, at which 4 µs are 5000 bytes
};

TEST_F(DctcpTest, StartsWithTheBandwidthDelayProduct) {
  Dctcp dctcp(host_, rate_form(), 1000, kBaseRtt);
  dctcp.on_flow_start(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  EXPECT_EQ(host_.window(0), 5000);
}

TEST_F(DctcpTest, CutsByHalfOfAlphaOnceARound) {
  Dctcp dctcp(host_, rate_form(), 1000, kBaseRtt);
  dctcp.on_flow_start(0, {});
  // The first ACK begins the first round, and the ACK of packet 5 ends it. With α = 1 the rate is
  // halved.
  dctcp.on_ack(0, ack(0, 5, true));
  EXPECT_DOUBLE_EQ(host_.mbps(0), 5000);
  EXPECT_EQ(host_.window(0), 2500);
  dctcp.on_ack(0, ack(1, 6, true));
  dctcp.on_ack(0, ack(4, 9, true));
  EXPECT_DOUBLE_EQ(host_.mbps(0), 5000) << "one cut a round";
  // Of the three ACKs since then two were marked: α = 15/16 + 1/16 · 2/3 = 0.97916…
  dctcp.on_ack(0, ack(5, 10, false));
  EXPECT_NEAR(dctcp.view(0).alpha, 0.9375 + 2.0 / 3 / 16, 1e-12);
  // The flow has left the reduced state and a round has ended, so the rate rises: 5000 + 500.
  EXPECT_DOUBLE_EQ(host_.mbps(0), 5500);
  // The next mark cuts the rate by α/2.
  dctcp.on_ack(0, ack(6, 11, true));
  EXPECT_NEAR(host_.mbps(0), 5500 * (1 - (0.9375 + 2.0 / 3 / 16) / 2), kRateStep);
  EXPECT_EQ(dctcp.counters().rate_decreases, 2u);
}

TEST_F(DctcpTest, GrowsOnceARoundUpToTheLine) {
  Dctcp dctcp(host_, rate_form(), 1000, kBaseRtt);
  dctcp.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(9'300'000'000))});
  dctcp.on_ack(0, ack(0, 4, false));
  EXPECT_DOUBLE_EQ(host_.mbps(0), 9800);
  dctcp.on_ack(0, ack(1, 5, false));
  dctcp.on_ack(0, ack(3, 7, false));
  EXPECT_DOUBLE_EQ(host_.mbps(0), 9800);
  dctcp.on_ack(0, ack(4, 8, false));
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
}

TEST_F(DctcpTest, NeverBelowTheMinimum) {
  Dctcp dctcp(host_, rate_form(), 1000, kBaseRtt);
  dctcp.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(150'000'000))});
  dctcp.on_ack(0, ack(0, 4, true));
  EXPECT_DOUBLE_EQ(host_.mbps(0), 100);
}

TEST_F(DctcpTest, ExponentSparesWhoHasADeadline) {
  DctcpParameters p = rate_form();
  p.d2tcp_exponent = Ratio(2);
  Dctcp far(host_, p, 1000, kBaseRtt);
  p.d2tcp_exponent = Ratio(1);
  FakeHost other{10'000};
  Dctcp plain(other, p, 1000, kBaseRtt);
  for (Dctcp* one : {&far, &plain}) {
    one->on_flow_start(0, {0, 0, {}, Rate::from(BitRate(8'000'000'000))});
    one->on_ack(0, ack(0, 1, false));  // the rate becomes 8500 Mb/s
    one->on_ack(0, ack(1, 2, false));  // the rate becomes 9000 Mb/s and α 15/16
    one->on_ack(0, ack(2, 3, true));   // α becomes 225/256 + 1/16 = 0.94140625
  }
  const double alpha = 225.0 / 256 + 1.0 / 16;
  EXPECT_NEAR(other.mbps(0), 9000 * (1 - alpha / 2), kRateStep);
  EXPECT_NEAR(host_.mbps(0), 9000 * (1 - alpha * alpha / 2), kRateStep);
}

TEST_F(DctcpTest, ExponentNeedNotBeWhole) {
  const double alpha = 225.0 / 256 + 1.0 / 16;
  for (const Ratio exponent :
       {Ratio(1, 4), Ratio(3, 4), Ratio(3, 2), Ratio(4, 3), Ratio(33, 10), Ratio(4)}) {
    DctcpParameters p = rate_form();
    p.d2tcp_exponent = exponent;
    FakeHost host{10'000};
    Dctcp dctcp(host, p, 1000, kBaseRtt);
    dctcp.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(8'000'000'000))});
    dctcp.on_ack(0, ack(0, 1, false));
    dctcp.on_ack(0, ack(1, 2, false));
    dctcp.on_ack(0, ack(2, 3, true));
    EXPECT_NEAR(host.mbps(0), 9000 * (1 - std::pow(alpha, exponent.value()) / 2), kRateStep)
        << exponent.value();
  }
}

// The window is 9000 Mb/s · 4 us = 4500 bytes, of which three quarters are 3375 bytes. So 997 000
// bytes need 295.4 round trips of 5 us, or 1477 us.
TEST_F(DctcpTest, WhoWouldMissItsDeadlineYieldsLess) {
  const double alpha = 225.0 / 256 + 1.0 / 16;
  const double needed = 997'000.0 / 3375 * 5;
  const auto after_a_cut = [&](PicoSeconds deadline, bool by_deadline, Bytes bytes = 1'000'000) {
    DctcpParameters p = rate_form();
    p.d2tcp_deadlines = by_deadline;
    FakeHost host{10'000};
    Dctcp dctcp(host, p, 1000, kBaseRtt);
    FlowStart start;
    start.initial_rate = Rate::from(BitRate(8'000'000'000));
    start.bytes = bytes;
    start.deadline = deadline;
    host.advance(dctcp, kMicroSecond * 10);
    dctcp.on_flow_start(0, start);
    for (Psn psn = 0; psn < 3; ++psn) {
      AckInfo info = ack(psn, psn + 1, psn == 2);
      info.rtt = kMicroSecond * 5;
      dctcp.on_ack(0, info);
    }
    return host.mbps(0);
  };
  const auto cut_by = [&](double d) { return 9000 * (1 - std::pow(alpha, d) / 2); };
  const PicoSeconds in_a_millisecond = kMicroSecond * 1010;
  EXPECT_NEAR(after_a_cut(in_a_millisecond, true), cut_by(needed / 1000), kRateStep);
  EXPECT_NEAR(after_a_cut(in_a_millisecond, false), cut_by(1), kRateStep) << "DCTCP";
  EXPECT_NEAR(after_a_cut(kMilliSecond * 100, true), cut_by(0.5), kRateStep) << "far off";
  EXPECT_NEAR(after_a_cut(kMicroSecond * 50, true), cut_by(2), kRateStep) << "near";
  EXPECT_NEAR(after_a_cut(kMicroSecond * 10, true), cut_by(1), kRateStep) << "passed";
  EXPECT_NEAR(after_a_cut(PicoSeconds::max(), true), cut_by(1), kRateStep) << "none";
  EXPECT_NEAR(after_a_cut(in_a_millisecond, true, 0), cut_by(1), kRateStep) << "of unknown size";
}

TEST_F(DctcpTest, RefusesBoundsOfTheExponentThatLeaveNothing) {
  DctcpParameters p;
  p.d2tcp_most = Ratio(1, 4);
  EXPECT_THROW(p.check(1500), ParameterError);
}

TEST_F(DctcpTest, WindowFormAddsAPacketAWindow) {
  DctcpParameters p;
  p.initial_window = 4000;
  Dctcp dctcp(host_, p, 1000, kBaseRtt);
  dctcp.on_flow_start(0, {});
  EXPECT_EQ(host_.window(0), 4000);
  // Each ACK increases the window by MTU²/window: 4000 + 1000·1000/4000, then + 1000·1000/4250, and
  // so on.
  dctcp.on_ack(0, ack(0, 4, false));
  EXPECT_EQ(host_.window(0), 4250);
  dctcp.on_ack(0, ack(1, 5, false));
  EXPECT_EQ(host_.window(0), 4485);
  // α is still 1, so a mark halves the window of 4485.29… to 2242 bytes.
  dctcp.on_ack(0, ack(2, 6, true));
  EXPECT_EQ(host_.window(0), 2242);
}

TEST_F(DctcpTest, WindowFormStopsAtFourBandwidthDelayProducts) {
  DctcpParameters p;
  p.initial_window = 20'000;
  Dctcp dctcp(host_, p, 1000, kBaseRtt);
  dctcp.on_flow_start(0, {});
  // The window is limited to 4 · 10 Gb/s · 4 us = 20 000 bytes plus a packet.
  for (std::uint32_t psn = 0; psn < 400; psn += 20)
    dctcp.on_ack(0, ack(psn, psn + 20, false, 5000));
  EXPECT_EQ(host_.window(0), 21'000);
}

}  // namespace
}  // namespace dcc
