#include "fabric/route_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

namespace dcc {
namespace {

std::vector<int> listed(PortSet ports) {
  std::vector<int> list;
  for (const int port : ports) list.push_back(port);
  return list;
}

TEST(RouteTable, ABlockDividesExactlyAtEveryEdge) {
  std::mt19937 noise(1);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t per_block = noise() % 3 == 0 ? 1 + noise() % 5 : 1 + noise() % 40'000;
    const std::uint32_t blocks = 1 + noise() % std::max(1u, 1'000'000 / per_block);
    const HostId low = noise() % (RouteTable::kMaxHosts - per_block * blocks + 1);
    RouteTable table(RouteTable::kMaxHosts);
    table.set_block(low, blocks, per_block, 3);
    const auto prefetch_port = [&](std::uint32_t offset) {
      ASSERT_EQ(listed(table.ports(low + offset)),
                std::vector<int>{static_cast<int>(3 + offset / per_block)})
          << offset << " by " << per_block;
    };
    for (int i = 0; i < 20; ++i) {
      const std::uint32_t block = noise() % blocks;
      prefetch_port(block * per_block);
      prefetch_port(block * per_block + per_block - 1);
    }
    prefetch_port(blocks * per_block - 1);
    if (low > 0) {
      EXPECT_TRUE(table.ports(low - 1).empty());
    }
    EXPECT_TRUE(table.ports(low + blocks * per_block).empty());
  }
}

TEST(RouteTable, RangesAreFoundWhateverTheirNumber) {
  std::mt19937 noise(2);
  for (int round = 0; round < 500; ++round) {
    const HostId hosts = 1 + noise() % 60;
    RouteTable table(hosts);
    std::vector<std::vector<int>> expected(hosts);
    for (HostId host = noise() % 3; host < hosts; host += 1 + noise() % 9) {
      std::vector<std::uint16_t> ports;
      for (std::uint16_t port = 0; port < 6; ++port) {
        if (noise() % 2 == 0) ports.push_back(port);
      }
      table.from(host, PortSet(ports.data(), static_cast<std::uint32_t>(ports.size())));
      for (HostId h = host; h < hosts; ++h) expected[h].assign(ports.begin(), ports.end());
    }
    const RouteTable copy = table;  // a copy of the table, as a switch holds it
    for (HostId host = 0; host < hosts; ++host) {
      EXPECT_EQ(listed(table.ports(host)), expected[host]);
      EXPECT_EQ(listed(copy.ports(host)), expected[host]);
    }
    EXPECT_TRUE(table.ports(hosts).empty());
    EXPECT_TRUE(table.ports(0xFFFFFFFF).empty());
  }
}

TEST(RouteTable, HostsThatShareTheirPortsAreKeptOnce) {
  RouteTable table(1'000);
  const std::uint16_t odd[] = {1, 3, 5};
  for (HostId host = 0; host < 1'000; ++host) table.from(host, PortSet(odd, 3));
  EXPECT_LT(table.bytes(), 100u);
  table = RouteTable(1'000);
  for (HostId host = 0; host < 1'000; host += 100) {
    table.from(host, host % 200 == 0 ? PortSet(odd, 3) : PortSet::consecutive(7, 2));
  }
  EXPECT_EQ(listed(table.ports(801)), (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(listed(table.ports(999)), (std::vector<int>{7, 8}));
  EXPECT_LT(table.bytes(), 16 * 16 + 100u) << "one list, sixteen ranges";
}

TEST(RouteTable, PlacesStandForNumbers) {
  RouteTable table(4);
  table.set_block(0, 4, 1, 0);
  table.renumber(std::make_shared<const std::vector<HostId>>(std::vector<HostId>{2, 0, 3, 1}));
  EXPECT_EQ(listed(table.ports(0)), std::vector<int>{2});
  EXPECT_EQ(listed(table.ports(3)), std::vector<int>{1});
  EXPECT_TRUE(table.ports(4).empty());
}

TEST(RouteTable, RefusesWhatCannotBe) {
  EXPECT_THROW(RouteTable(RouteTable::kMaxHosts + 1), std::invalid_argument);
  RouteTable table(8);
  EXPECT_THROW(table.set_block(4, 5, 1, 0), std::invalid_argument);
  EXPECT_THROW(table.set_block(0, 0, 1, 0), std::invalid_argument);
  table.from(2, PortSet::consecutive(0, 1));
  EXPECT_THROW(table.from(2, PortSet::consecutive(1, 1)), std::invalid_argument);
  const std::uint16_t falling[] = {3, 2};
  EXPECT_THROW(table.from(3, PortSet(falling, 2)), std::invalid_argument);
  EXPECT_THROW(
      table.renumber(std::make_shared<const std::vector<HostId>>(std::vector<HostId>{0, 1})),
      std::invalid_argument);
}

}  // namespace
}  // namespace dcc
