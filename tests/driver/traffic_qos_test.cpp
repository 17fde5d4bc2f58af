// Tests the QoS control loop inside the traffic application.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "app/qos_manager.h"
#include "app/traffic_app.h"
#include "driver/dcc_regs.h"
#include "traffic_fixture.h"

namespace traffic_qos_test {
namespace {

using dcc::test::kBlock;
using dcc::test::TrafficAppTest;

class TrafficQos : public TrafficAppTest {
 protected:
  TrafficQos() {
    give_controller();
    block.flags |= BOOT_PAYLOAD_REAL;
    auto hook = machine.on_write;
    machine.on_write = [this, hook](std::uint64_t a, std::uint32_t v) {
      if (a == DCC_BASE + DCC_CTRL_OFFSET) machine.reg(a) = v & ~DCC_CTRL_SOFT_RESET_MASK;
      hook(a, v);
    };
    block.end_ns = 20'000'000;
    block.qos.tenant_count = 2;
    block.qos.tenants[0] = {46, 256};
    block.qos.tenants[1] = {10, 256};
    block.qos.report_ns = QOS_REPORT_NS;
    block.qos.update_ns = QOS_UPDATE_NS;
    block.qos.local_meter = UINT32_MAX;
  }
  void add_peer(boot_qos_peer peer) {
    peers.push_back(peer);
    block.qos.peer_count = static_cast<std::uint32_t>(peers.size());
  }
  traffic_error run_with_peers() {
    write_block();
    if (!peers.empty()) {
      std::memcpy(machine.ram(kBlock + block.qos.peers_offset), peers.data(),
                  peers.size() * sizeof peers[0]);
    }
    return traffic_app_run(&app, machine.machine(), kBlock);
  }
  boot_qos_area& area() { return machine.in_ram<boot_qos_area>(kBlock + block.qos.area_offset); }
  std::uint32_t factor(std::uint32_t dscp) {
    return machine.reg(DCC_BASE + DCC_FACTOR_ENTRY_OFFSET(dscp)) & 0xFFFF;
  }
  std::vector<boot_qos_peer> peers;
};

TEST_F(TrafficQos, OneHostWithAllPartsLoadsFactorsByFlows) {
  block.qos.roles = BOOT_QOS_METER | BOOT_QOS_MANAGER | BOOT_QOS_AGENT;
  block.qos.meter_count = 1;
  block.qos.local_meter = 0;
  nic.message_ns = 10'000;
  for (int i = 0; i < 5; ++i) add_flow(0).dscp = i == 0 ? 46 : 10;
  // The loopback NIC gives every flow the same rate, whatever the flow's factor is. The weights are
  // 1 : 4.
  ASSERT_EQ(run_with_peers(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(area().report_out.begin, 19u) << "one a millisecond";
  EXPECT_EQ(area().manager.updates, 9u);
  EXPECT_EQ(area().report_out.entries[0].active_flows, 1u);
  EXPECT_EQ(area().report_out.entries[1].active_flows, 4u);
  EXPECT_EQ(area().report_out.entries[0].bytes + area().report_out.entries[1].bytes,
            std::uint64_t{4096} * result().messages_received - 4096 * 5 * 100)
      << "all but the last millisecond's";
  EXPECT_EQ(factor(10), 256u);
  EXPECT_GT(factor(46), 4u * 256) << "four times for the flows, and more for what it lacks";
  EXPECT_EQ(factor(46), area().manager.states[0].weight_q8_8);
}

TEST_F(TrafficQos, AMeterWritesItsReportsToTheManager) {
  block.qos.roles = BOOT_QOS_METER;
  add_flow(0).dscp = 46;
  const std::uint64_t there = BOOT_RAM_BASE + (7 << 20);
  add_peer({100, 9, 101, 48, 6, BOOT_QOS_SEND_REPORTS, 0, there});
  add_peer({102, 9, 103, 48, 6, BOOT_QOS_PASSIVE, 0, 0});
  ASSERT_EQ(run_with_peers(), TRAFFIC_OK) << result().text;
  const auto& arrived = machine.in_ram<qos_report>(there);
  EXPECT_EQ(arrived.begin, 19u);
  EXPECT_EQ(arrived.end, 19u);
  EXPECT_EQ(arrived.entries[0].dscp, 46u);
  EXPECT_GT(arrived.entries[0].bytes, 18'000u * 4096);
  EXPECT_EQ(nic.queue_pairs().at(100).remote_qpn, 101u);
  EXPECT_EQ(nic.queue_pairs().at(100).dscp, 48u);
  EXPECT_EQ(nic.queue_pairs().count(102), 1u);
}

TEST_F(TrafficQos, AManagerWritesCommandsAndAnAgentLoadsThem) {
  block.qos.roles = BOOT_QOS_MANAGER | BOOT_QOS_AGENT;
  block.qos.meter_count = 2;
  add_flow(4096);
  const std::uint64_t there = BOOT_RAM_BASE + (7 << 20);
  add_peer({100, 9, 101, 48, 6, BOOT_QOS_SEND_COMMANDS, 0, there});
  write_block();
  // Two remote meters write their reports to the addresses in the boot block.
  for (std::uint32_t n = 1; n < 19; ++n) {
    machine.at(n * 1'000'000 + 100'000, [this, n] {
      for (std::uint32_t meter = 0; meter < 2; ++meter) {
        qos_report r{};
        r.begin = r.end = n;
        r.count = 2;
        r.entries[0] = {1'000'000ull * n, 46, 1};
        r.entries[1] = {1'000'000ull * n, 10, 4};
        machine.in_ram<qos_report>(boot_qos_report_address(&block, meter)) = r;
      }
    });
  }
  ASSERT_EQ(run_with_peers(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(factor(46), 4u * 256);
  EXPECT_EQ(factor(10), 256u);
  const auto& arrived = machine.in_ram<qos_command>(there);
  EXPECT_EQ(arrived.begin, area().manager.commands);
  EXPECT_EQ(arrived.entries[0].dscp, 46);
  EXPECT_EQ(arrived.entries[0].weight_q8_8, 4 * 256);
}

TEST_F(TrafficQos, AFailedWriteIsReported) {
  block.qos.roles = BOOT_QOS_METER;
  add_peer({100, 9, 101, 48, 6, BOOT_QOS_SEND_REPORTS, 0, BOOT_RAM_BASE});
  nic.fail_status = NIC_CQE_REMOTE_ERROR;
  EXPECT_EQ(run_with_peers(), TRAFFIC_ERROR_MESSAGE_FAILED);
}

TEST_F(TrafficQos, ImpossibleLoopsAreRefused) {
  struct Case {
    const char* words;
    std::function<void()> spoil;
  };
  const auto sound = [&] {
    block.flags |= BOOT_PAYLOAD_REAL | BOOT_HAS_CONTROLLER;
    block.qos.roles = BOOT_QOS_METER | BOOT_QOS_MANAGER | BOOT_QOS_AGENT;
    block.qos.meter_count = 1;
    block.qos.local_meter = 0;
    block.qos.tenant_count = 2;
    block.qos.tenants[1].dscp = 10;
    block.qos.report_ns = QOS_REPORT_NS;
    block.qos.update_ns = QOS_UPDATE_NS;
    block.qos.peer_count = 0;
  };
  const std::vector<Case> cases = {
      {"real payload", [&] { block.flags &= ~1u; }},
      {"multiple", [&] { block.qos.report_ns = 0; }},
      {"multiple", [&] { block.qos.update_ns = QOS_REPORT_NS * 3 / 2; }},
      {"multiple", [&] { block.qos.update_ns = 0; }},
      {"local meter", [&] { block.qos.local_meter = 1; }},
      {"tenant", [&] { block.qos.tenants[1].dscp = 46; }},
      {"tenant", [&] { block.qos.tenant_count = 17; }},
      {"meters",
       [&] {
         block.qos.meter_count = 65;
         block.qos.roles = BOOT_QOS_MANAGER;
         block.qos.local_meter = UINT32_MAX;
       }},
      {"peers", [&] { block.qos.peer_count = 1000; }},
  };
  for (const Case& c : cases) {
    sound();
    c.spoil();
    const traffic_error error = run_with_peers();
    EXPECT_TRUE(error == TRAFFIC_ERROR_QOS || error == TRAFFIC_ERROR_LAYOUT) << c.words;
    EXPECT_NE(std::string(result().text).find(c.words), std::string::npos) << result().text;
  }
}

}  // namespace
}  // namespace traffic_qos_test
