// Tests the contents of a host's RAM for its application: flows, buffers that do not overlap, and
// an error if they do not fit.
#include "software/boot_image.h"

#include <gtest/gtest.h>

#include <cstring>

#include "small_platform.h"

namespace dcc::vp {
namespace {

constexpr std::size_t kRam = 4 << 20;
constexpr std::size_t kBlock = BOOT_BLOCK_ADDRESS - BOOT_RAM_BASE;

std::string native(const std::string& payload, const std::string& rest = "") {
  return "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 1us}}\n"
         "nic: {payload: " +
         payload +
         "}\nhost: {driver: native}\nseed: 5\nduration: 2ms\n"
         "traffic:\n"
         "  - {kind: flow, from: 1, to: 0, bytes: 200KB, message: 64KiB, start: 3us}\n"
         "  - {kind: flow, from: 1, to: 2, message: 4KiB, start: 4us, stop: 9us}\n"
         "  - {kind: flow, from: 0, to: 1, bytes: 100B, start: 5us}\n" +
         rest;
}

template <class T>
T at(const std::vector<std::uint8_t>& ram, std::size_t offset) {
  T value{};
  std::memcpy(&value, ram.data() + offset, sizeof value);
  return value;
}

std::vector<std::uint8_t> image(const Planned& p, HostId host) {
  std::vector<std::uint8_t> ram(kRam, 0xEE);
  write_boot_block(p.config, p.plan, host, BitRate(100'000'000'000), ram.data(), ram.size());
  return ram;
}

TEST(BootImage, ListsWhatAHostSendsAndReceives) {
  const Planned p(native("real"));
  const auto ram = image(p, 1);
  const auto block = at<boot_block>(ram, kBlock);
  EXPECT_EQ(block.magic, BOOT_MAGIC);
  EXPECT_EQ(block.host_id, 1u);
  EXPECT_EQ(block.tx_count, 2u);
  EXPECT_EQ(block.rx_count, 1u);
  EXPECT_EQ(block.end_ns, 2'000'000u);
  EXPECT_EQ(block.verify_bytes, 0u) << "the native driver looks at every byte";
  const auto first = at<boot_tx_flow>(ram, kBlock + block.tx_offset);
  EXPECT_EQ(first.bytes, 200'000u);
  EXPECT_EQ(first.message_bytes, 65'536u);
  EXPECT_EQ(first.start_ns, 3'000u);
  EXPECT_EQ(first.stop_ns, BOOT_NEVER);
  const auto second = at<boot_tx_flow>(ram, kBlock + block.tx_offset + sizeof(boot_tx_flow));
  EXPECT_EQ(second.bytes, 0u);
  EXPECT_EQ(second.stop_ns, 9'000u);
  const auto received = at<boot_rx_flow>(ram, kBlock + block.rx_offset);
  EXPECT_EQ(received.id, 2u);
  EXPECT_EQ(received.message_bytes, 100u) << "a flow shorter than a message";
  EXPECT_EQ(received.slot_bytes, boot_align(100)) << "room for what comes, not for a whole message";
}

TEST(BootImage, BothEndsOfAFlowAgree) {
  const Planned p(native("real"));
  const auto sender = image(p, 1);
  const auto receiver = image(p, 0);
  const auto tx = at<boot_tx_flow>(sender, kBlock + at<boot_block>(sender, kBlock).tx_offset);
  const auto rx = at<boot_rx_flow>(receiver, kBlock + at<boot_block>(receiver, kBlock).rx_offset);
  EXPECT_EQ(tx.id, rx.id);
  EXPECT_EQ(tx.remote_address, rx.local_address);
  EXPECT_EQ(tx.remote_qpn, rx.qpn);
  EXPECT_EQ(tx.qpn, rx.remote_qpn);
  EXPECT_EQ(tx.seed, rx.seed) << "of the pattern that is verified";
  EXPECT_EQ(tx.slots, rx.slots);
  EXPECT_EQ(tx.slot_bytes, rx.slot_bytes);
}

TEST(BootImage, RealBuffersFollowEachOtherBehindTheBlock) {
  const Planned p(native("real"));
  const BufferPlan buffers(p.config, p.plan);
  const std::uint64_t begin = BOOT_BLOCK_ADDRESS + BufferPlan::block_bytes(p.config, p.plan, 1);
  const auto size = [&](std::uint32_t flow) {
    return std::uint64_t{buffers.slot_bytes(flow)} * BufferPlan::kSlots;
  };
  EXPECT_GE(buffers.at_sender(0), begin);
  EXPECT_GE(buffers.at_sender(1), buffers.at_sender(0) + size(0));
  EXPECT_GE(buffers.at_receiver(2), buffers.at_sender(1) + size(1));
  EXPECT_EQ(buffers.end(1), buffers.at_receiver(2) + size(2));
}

TEST(BootImage, VirtualPayloadSharesOneBuffer) {
  const Planned p(native("virtual"));
  const BufferPlan buffers(p.config, p.plan);
  EXPECT_EQ(buffers.at_sender(0), buffers.at_sender(1));
  EXPECT_EQ(buffers.at_sender(0), buffers.at_receiver(2));
  const auto ram = image(p, 1);
  EXPECT_EQ(at<boot_block>(ram, kBlock).flags & BOOT_PAYLOAD_REAL, 0u);
}

TEST(BootImage, WhatDoesNotFitIsRefusedWithTheSizes) {
  const Planned p(native("real"));
  std::vector<std::uint8_t> ram(kBlock + 64 * 1024);
  try {
    write_boot_block(p.config, p.plan, 1, BitRate(100'000'000'000), ram.data(), ram.size());
    FAIL() << "it cannot fit";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("host 1: its flows' rings and buffers need"),
              std::string::npos)
        << error.what();
  }
  for (const std::uint8_t byte : ram) ASSERT_EQ(byte, 0) << "nothing may be written";
}

TEST(BootImage, ReadsTheResultBack) {
  const Planned p(native("virtual"));
  auto ram = image(p, 1);
  auto block = at<boot_block>(ram, kBlock);
  block.result.messages_verified = 77;
  block.result.state = BOOT_STATE_DONE;
  std::memcpy(ram.data() + kBlock, &block, sizeof block);
  const boot_result result = read_boot_result(ram.data());
  EXPECT_EQ(result.messages_verified, 77u);
  EXPECT_EQ(result.state, std::uint32_t{BOOT_STATE_DONE});
}

}  // namespace
}  // namespace dcc::vp
