// Tests the QoS control loop in the boot block: roles, peers, and the manager's results.
#include "software/boot_qos.h"

#include <gtest/gtest.h>

#include <cstring>

#include "small_platform.h"
#include "software/boot_image.h"

namespace dcc::vp::boot_qos_test {
namespace {

constexpr std::size_t kBlock = BOOT_BLOCK_ADDRESS - BOOT_RAM_BASE;

/// Configuration in which host 3 runs the QoS manager, hosts 1 and 2 send, and host 0 receives.
const std::string kLoop =
    "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
    "host: {driver: native}\n"
    "nic: {payload: real, congestion_control: {algorithm: dcc, policy: proportional}}\n"
    "dscp: {46: {weight: 2, tenant: gold}, 10: {tenant: lead}}\n"
    "tenants: [{name: gold, weight: 2}, {name: lead, weight: 0.5}]\n"
    "qos: {manager: 3}\n"
    "traffic:\n"
    "  - {kind: flow, from: 1, to: 0, dscp: 46}\n"
    "  - {kind: flow, from: 2, to: 0, dscp: 10}\n";

boot_block header(const Planned& p, HostId host) {
  boot_block block{};
  fill_qos_header(p.config, p.plan, host, block);
  return block;
}

TEST(BootQos, EveryHostHasItsRole) {
  const Planned p(kLoop);
  EXPECT_EQ(header(p, 0).qos.roles, std::uint32_t{BOOT_QOS_METER});
  EXPECT_EQ(header(p, 1).qos.roles, std::uint32_t{BOOT_QOS_AGENT});
  EXPECT_EQ(header(p, 3).qos.roles, std::uint32_t{BOOT_QOS_MANAGER});
  EXPECT_EQ(header(p, 3).qos.peer_count, 3u) << "one meter, two agents";
  EXPECT_EQ(header(p, 3).qos.local_meter, UINT32_MAX);
  EXPECT_EQ(header(p, 3).qos.meter_count, 1u);
}

TEST(BootQos, TenantsAreByClassWithTheirWeights) {
  const Planned p(kLoop);
  const boot_qos qos = header(p, 3).qos;
  ASSERT_EQ(qos.tenant_count, 2u);
  EXPECT_EQ(qos.tenants[0].dscp, 46u);
  EXPECT_EQ(qos.tenants[0].weight_q8_8, 512u);
  EXPECT_EQ(qos.tenants[1].dscp, 10u);
  EXPECT_EQ(qos.tenants[1].weight_q8_8, 128u);
}

TEST(BootQos, NothingWithoutAManager) {
  const Planned p(star("traffic: [{kind: flow, from: 1, to: 0}]\n"));
  EXPECT_EQ(header(p, 0).qos.roles, 0u);
  EXPECT_EQ(header(p, 0).qos.peer_count, 0u);
}

TEST(BootQos, ReportsGoToTheManagerCommandsToTheAgents) {
  const Planned p(kLoop);
  const auto block_of = [&](HostId host) {
    boot_block block = header(p, host);
    boot_layout(&block);
    return block;
  };
  const auto meter = qos_peers(p.config, p.plan, 0, block_of);
  ASSERT_EQ(meter.size(), 1u);
  EXPECT_EQ(meter[0].use, BOOT_QOS_SEND_REPORTS);
  EXPECT_EQ(meter[0].remote_host, 3u);
  const boot_block manager_block = block_of(3);
  EXPECT_EQ(meter[0].address, boot_qos_report_address(&manager_block, 0));
  const auto agent = qos_peers(p.config, p.plan, 1, block_of);
  ASSERT_EQ(agent.size(), 1u);
  EXPECT_EQ(agent[0].use, BOOT_QOS_PASSIVE);
  const auto manager = qos_peers(p.config, p.plan, 3, block_of);
  ASSERT_EQ(manager.size(), 3u);
  EXPECT_EQ(manager[0].use, BOOT_QOS_PASSIVE) << "the meter writes to it";
  EXPECT_EQ(manager[1].use, BOOT_QOS_SEND_COMMANDS);
  EXPECT_EQ(manager[1].remote_host, 1u);
  EXPECT_EQ(manager[2].remote_host, 2u);
  EXPECT_EQ(manager[1].remote_qpn, agent[0].qpn);
}

TEST(BootQos, ReadsWhatTheManagerHasDone) {
  const Planned p(kLoop);
  std::vector<std::uint8_t> ram(4 << 20);
  write_boot_block(p.config, p.plan, 3, BitRate(100'000'000'000), ram.data(), ram.size());
  boot_block block{};
  std::memcpy(&block, ram.data() + kBlock, sizeof block);
  boot_qos_area area{};
  area.manager.updates = 12;
  area.manager.commands = 5;
  area.manager.tenants[0].dscp = 46;
  area.manager.states[0].flows = 3;
  area.manager.states[0].weight_q8_8 = 640;
  area.manager.states[0].integral_q16 = -32768;
  std::memcpy(ram.data() + kBlock + block.qos.area_offset, &area, sizeof area);
  const QosResult result = read_qos_result(p.config, ram.data());
  EXPECT_EQ(result.manager, 3u);
  EXPECT_EQ(result.updates, 12u);
  EXPECT_EQ(result.commands, 5u);
  ASSERT_EQ(result.tenants.size(), 2u);
  EXPECT_EQ(result.tenants[0].name, "gold");
  EXPECT_EQ(result.tenants[0].flows, 3u);
  EXPECT_DOUBLE_EQ(result.tenants[0].factor, 2.5);
  EXPECT_DOUBLE_EQ(result.tenants[0].correction, -0.5);
  EXPECT_EQ(result.tenants[1].name, "lead");
}

}  // namespace
}  // namespace dcc::vp::boot_qos_test
