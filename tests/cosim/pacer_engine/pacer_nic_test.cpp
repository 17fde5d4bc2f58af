// A NIC whose pacer schedules its packets sends the same packets at the same picoseconds with the
// pacer's model, with its RTL, and with both in lock-step.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "controller/lockstep_report.h"
#include "nic/pacer/pacer_model.h"
#include "pacer_engine_lockstep.h"
#include "pacer_engine_rtl.h"
#include "unit/nic/nic_pair.h"

namespace dcc::test {
namespace {

constexpr PicoSeconds kCycle{4000};  // clock period at 250 MHz
constexpr std::uint32_t kFlows = 40;

using MakePacer = std::unique_ptr<PacerEngine> (*)(const PacerSettings&, unsigned fault);

/// Two NICs with two classes of flows. Rates change and at times exceed the link rate, priorities
/// are paused, and packets are lost.
class Network final : public NicPair, public PacketSink {
 public:
  Network(MakePacer make, unsigned fault) : NicPair(2 * kFlows) {
    join(*this);
    Transmitter& transmitter = nic[0]->transmitter();
    pacer_ = make(transmitter.pacer_settings(PacerShape{}, kCycle), fault);
    transmitter.set_pacer(*pacer_, PacerShape{}, kCycle);
    for (Qpn qpn = 0; qpn < kFlows; ++qpn) {
      QueuePairConfig there;
      there.remote_host = 1;
      there.remote_qpn = there.flow = qpn;
      there.priority = static_cast<std::uint8_t>(qpn % 2 == 0 ? 1 : 4);
      QueuePairConfig back = there;
      back.remote_host = 0;
      back.flow = kFlows + qpn;
      nic[0]->create_queue_pair(qpn, there);
      nic[1]->create_queue_pair(qpn, back);
      nic[0]->connect_queue_pair(qpn);
      nic[1]->connect_queue_pair(qpn);
    }
  }
  ~Network() {
    nic[0].reset();
    nic[1].reset();
  }

  void run(PicoSeconds duration) {
    Transmitter& transmitter = nic[0]->transmitter();
    std::mt19937_64 random(11);
    while (scheduler.now() < duration) {
      const Qpn qpn = random() % kFlows;
      WorkItem item;
      item.bytes = static_cast<Bytes>(1 + random() % 20'000);
      transmitter.post(qpn, item);
      const auto crowded = scheduler.now().count / kMicroSecond.count / 16 % 2 == 1;
      const std::uint64_t mbps = 20 + random() % (crowded ? 30'000 : 3'000);
      transmitter.set_rate(random() % kFlows, Rate::from(BitRate{mbps * 1'000'000}));
      if (random() % 16 == 0) transmitter.on_pause(random() % 3 == 0 ? 1u << 4 : 0);
      scheduler.run_until(scheduler.now() +
                          PicoSeconds(static_cast<std::int64_t>(random() % 300'000)));
    }
  }
  void receive(Packet* packet, int port) override {
    if (packet->kind == PacketKind::kData) seen.emplace_back(scheduler.now().count, packet->flow);
    if (seen.size() % 211 == 7) {
      pool.free(packet);
      return;
    }
    nic[port]->receive(packet, 0);
  }

  std::vector<std::pair<std::int64_t, std::uint32_t>> seen;

 private:
  std::unique_ptr<PacerEngine> pacer_;
};

std::unique_ptr<PacerEngine> model(const PacerSettings& settings, unsigned) {
  return std::make_unique<PacerModel>(PacerShape{}, settings);
}
std::unique_ptr<PacerEngine> rtl(const PacerSettings& settings, unsigned fault) {
  RtlPacerOptions options;
  options.fault = fault;
  return make_rtl_pacer(settings, options);
}
std::unique_ptr<PacerEngine> lockstep(const PacerSettings& settings, unsigned fault) {
  return make_lockstep_pacer(rtl(settings, fault), settings, {"host 0 pacer", 9});
}

TEST(PacerNic, ModelRtlAndLockstepSendTheSamePackets) {
  Network by_model(model, 0), by_rtl(rtl, 0), by_both(lockstep, 0);
  for (Network* const network : {&by_model, &by_rtl, &by_both}) network->run(kMicroSecond * 80);
  EXPECT_GT(by_model.seen.size(), 400u);
  EXPECT_EQ(by_model.seen, by_rtl.seen);
  EXPECT_EQ(by_model.seen, by_both.seen);
}

TEST(PacerNic, AFaultEndsTheRunWithHostTimeAndFlow) {
  for (unsigned fault = 1; fault <= kPacerFaults; ++fault) {
    Network network(lockstep, fault);
    try {
      network.run(kMicroSecond * 80);
      ADD_FAILURE() << "fault " << fault << " is not found";
    } catch (const LockstepMismatch& difference) {
      EXPECT_NE(std::string(difference.what()).find("host 0 pacer: model and RTL differ"),
                std::string::npos);
      EXPECT_NE(std::string(difference.what()).find("decision for flow "), std::string::npos)
          << difference.what();
    }
    Network spoilt(rtl, fault), sound(model, 0);
    spoilt.run(kMicroSecond * 80);
    sound.run(kMicroSecond * 80);
    EXPECT_NE(spoilt.seen, sound.seen);
  }
}

}  // namespace
}  // namespace dcc::test
