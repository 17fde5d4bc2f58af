// Compares the calculated ideal flow completion time with that of a flow in simulated devices that
// carry no other traffic.
#include "nic/ideal_fct.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "nic/nic_device.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "switch/switch_device.h"

namespace dcc {
namespace {

/// A network in which one flow goes from host 0 to host 1 through a chain of switches.
class Chain {
 public:
  Chain(const std::vector<LinkParameters>& cables, NicParameters nic) {
    SwitchParameters parameters;
    // a buffer without losses where a slow link follows a fast one
    parameters.buffer = Bytes{1} << 40;
    parameters.pfc.enabled = false;
    parameters.ecn.enabled = false;
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i + 1 < cables.size(); ++i) {
      switches_.push_back(
          std::make_unique<SwitchDevice>(scheduler_, pool_, parameters, 2, 1, i, 1000 + rank++));
      RouteTable routes(2);
      routes.set_block(0, 2, 1, 0);  // the port number equals the host number
      switches_.back()->set_routes(routes);
    }
    for (std::uint32_t host = 0; host < 2; ++host) {
      const LinkParameters& cable = host == 0 ? cables.front() : cables.back();
      nic.host = host;
      nic.line_rate = cable.rate;
      nic.link_overhead = cable.overhead;
      nics_.push_back(std::make_unique<NicDevice>(scheduler_, pool_, ledger_, nic, 2000 + host));
    }
    for (std::size_t i = 0; i < cables.size(); ++i) {
      Link& there = wire(cables[i]);
      Link& back = wire(cables[i]);
      if (i == 0) {
        nics_[0]->connect(there);
        back.connect(*nics_[0], 0);
      } else {
        switches_[i - 1]->attach(1, there, cables[i]);
        back.connect(*switches_[i - 1], 1);
      }
      if (i + 1 == cables.size()) {
        nics_[1]->connect(back);
        there.connect(*nics_[1], 0);
      } else {
        switches_[i]->attach(0, back, cables[i]);
        there.connect(*switches_[i], 0);
      }
    }
  }

  /// Sends the flow. Returns the completion time, or nothing if the last ACK did not arrive.
  std::optional<PicoSeconds> send(const IdealFlow& flow, bool acknowledged) {
    ledger_[0].target_bytes = flow.bytes;
    QueuePairConfig there;
    there.remote_host = 1;
    there.rate_cap = flow.rate_cap;
    QueuePairConfig back;
    back.flow = 1;
    nics_[0]->create_queue_pair(0, there);
    nics_[1]->create_queue_pair(0, back);
    nics_[0]->connect_queue_pair(0);
    nics_[1]->connect_queue_pair(0);
    WorkItem item;
    item.bytes = flow.bytes;
    item.message_bytes = flow.message_bytes;
    nics_[0]->transmitter().post(0, item);
    scheduler_.run_until(kSecond * 1'000'000);
    if (ledger_[0].received_bytes != flow.bytes || ledger_[0].retransmits != 0) return std::nullopt;
    return acknowledged ? ledger_[0].last_ack : ledger_[0].last_received;
  }

 private:
  Link& wire(const LinkParameters& parameters) {
    const auto rank = static_cast<std::uint32_t>(links_.size());
    links_.push_back(std::make_unique<Link>(scheduler_, pool_, parameters, rank));
    return *links_.back();
  }

  Scheduler scheduler_;
  PacketPool pool_;
  FlowLedger ledger_{2};
  std::vector<std::unique_ptr<SwitchDevice>> switches_;
  std::vector<std::unique_ptr<NicDevice>> nics_;
  std::vector<std::unique_ptr<Link>> links_;
};

NicParameters nic_parameters() {
  NicParameters nic;
  nic.recovery.timeout = PicoSeconds(
      INT64_MAX / 4);  // a timeout that never expires, since ACKs of a slow chain come late
  return nic;
}

std::vector<LinkParameters> backwards(const std::vector<LinkParameters>& links) {
  return {links.rbegin(), links.rend()};
}

TEST(IdealFct, EqualsTheTimeOfRandomChainsOfDevices) {
  RandomStream random(7, "chains");
  const auto draw = [&](std::uint64_t least, std::uint64_t most) {
    return least + random.below(most - least + 1);
  };
  for (int round = 0; round < 600; ++round) {
    std::vector<LinkParameters> cables(draw(1, 6));
    for (LinkParameters& cable : cables) {
      // Draws rates at which a byte takes a whole number of picoseconds, and other rates.
      cable.rate = BitRate(draw(0, 1) == 0 ? draw(1, 16) * 25'000'000'000
                                           : draw(1'000, 4'000'000) * 100'003);
      cable.delay = PicoSeconds(static_cast<std::int64_t>(draw(0, 3'000'000)));
      cable.overhead = static_cast<Bytes>(draw(0, 40));
    }
    NicParameters nic = nic_parameters();
    nic.mtu = static_cast<std::uint32_t>(draw(1, 4096));
    nic.ack = static_cast<AckMode>(draw(0, 2));
    nic.line_rate = cables.front().rate;
    nic.link_overhead = cables.front().overhead;
    IdealFlow flow;
    flow.bytes = static_cast<Bytes>(draw(1, draw(0, 1) == 0 ? nic.mtu : 400 * nic.mtu));
    if (draw(0, 2) > 0) flow.message_bytes = static_cast<Bytes>(draw(1, 20 * nic.mtu));
    if (flow.message_bytes != 0 && flow.bytes / flow.message_bytes > 5'000) continue;
    if (draw(0, 3) == 0) {
      flow.rate_cap = Rate::from(BitRate(1 + nic.line_rate.bits_per_second * draw(1, 120) / 100));
    }
    SCOPED_TRACE("round " + std::to_string(round) + ": " + std::to_string(cables.size()) +
                 " links, MTU " + std::to_string(nic.mtu) + ", " + std::to_string(flow.bytes) +
                 " bytes, messages of " + std::to_string(flow.message_bytes) + ", cap " +
                 std::to_string(flow.rate_cap.raw));
    const auto taken = Chain(cables, nic).send(flow, nic.ack != AckMode::kNone);
    ASSERT_TRUE(taken);
    const auto alone = ideal_fct(flow, nic, cables, backwards(cables));
    ASSERT_TRUE(alone);
    ASSERT_EQ(alone->count, taken->count);
  }
}

TEST(IdealFct, IsPacedByTheWireWhereTheLineRateHasNoExactForm) {
  // In units of 24.8 Mb/s the rate is 3.000. Pacing by that rounded rate would delay packet 5000 by
  // 4.8 ms.
  std::vector<LinkParameters> cable(1);
  cable[0].rate = BitRate(3'001'000);
  IdealFlow flow;
  flow.bytes = 5'000'000;
  NicParameters nic = nic_parameters();
  nic.line_rate = cable[0].rate;
  const auto taken = Chain(cable, nic).send(flow, true);
  const PicoSeconds full = serialization_time(1062 + 20, cable[0].rate);
  const PicoSeconds first = serialization_time(1078 + 20, cable[0].rate);
  const PicoSeconds ack = serialization_time(66 + 20, cable[0].rate);
  EXPECT_EQ(taken->count, (first + full * 4999 + ack + cable[0].delay * 2).count);
}

TEST(IdealFct, WaitsForAcksThatAreSlowerThanDataOnAnotherReturnPath) {
  // Ten data packets take 1 ms each in one direction. ACKs of 86 bytes take 6.88 ms each in the
  // other direction.
  std::vector<LinkParameters> there(1), back(1);
  there[0].rate = BitRate(8'656'000);
  back[0].rate = BitRate(100'000);
  there[0].delay = back[0].delay = PicoSeconds{};
  NicParameters nic = nic_parameters();
  nic.line_rate = there[0].rate;
  IdealFlow flow;
  flow.bytes = 10'000;
  flow.message_bytes = 1'000;
  const auto alone = ideal_fct(flow, nic, there, back);
  ASSERT_TRUE(alone);
  const PicoSeconds data = serialization_time(1078 + 20, there[0].rate);
  const PicoSeconds ack = serialization_time(66 + 20, back[0].rate);
  EXPECT_EQ(alone->count, (data + ack * 10).count);
  nic.ack = AckMode::kPerMessage;
  EXPECT_EQ(ideal_fct(flow, nic, there, back)->count, alone->count);
  flow.message_bytes = 10'000;
  const PicoSeconds middle = serialization_time(1062 + 20, there[0].rate);
  EXPECT_EQ(ideal_fct(flow, nic, there, back)->count, (data + middle * 9 + ack).count);
}

TEST(IdealFct, FetchesRealPayloadFirst) {
  std::vector<LinkParameters> cable(1);
  NicParameters nic = nic_parameters();
  nic.payload = NicParameters::Payload::kReal;
  IdealFlow flow;
  flow.bytes = 100;
  flow.with_immediate = true;
  const auto alone = ideal_fct(flow, nic, cable, cable);
  const PicoSeconds fetch = serialization_time(100, nic.dma.rate) + nic.dma.latency;
  const PicoSeconds data = PicoSeconds((62 + 100 + 16 + 4 + 20) * 80);
  const PicoSeconds ack = PicoSeconds((66 + 20) * 80);
  EXPECT_EQ(alone->count, (fetch + data + ack + cable[0].delay * 2).count);
  flow.bytes = 100'000;  // the DMA is faster than the link, so it adds its latency once
  const Bytes wire = 100 * (1062 + 20) + 16 + 4;
  EXPECT_EQ(ideal_fct(flow, nic, cable, cable)->count,
            (serialization_time(1000, nic.dma.rate) + nic.dma.latency + PicoSeconds(wire * 80) +
             ack + cable[0].delay * 2)
                .count);
}

TEST(IdealFct, TakesConstantTimeAndIsEmptyBeyondTheRangeOfTime) {
  std::vector<LinkParameters> cable(6);
  NicParameters nic = nic_parameters();
  IdealFlow flow;
  flow.bytes = Bytes{1} << 44;
  flow.message_bytes = 1;
  const auto alone = ideal_fct(flow, nic, cable, cable);
  ASSERT_TRUE(alone);  // 102 wire bytes at 80 ps per byte, plus the delay of all links
  EXPECT_EQ(alone->count, ((Bytes{1} << 44) + 5) * 102 * 80 + 6 * 86 * 80 + 12 * 1'000'000);
  cable[3].rate = BitRate(1'000'000);
  EXPECT_FALSE(ideal_fct(flow, nic, cable, cable));
}

}  // namespace
}  // namespace dcc
