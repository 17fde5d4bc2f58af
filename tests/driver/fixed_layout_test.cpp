// Checks the structures that software shares with hardware and platform, byte by byte.
#include "driver/fixed_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "app/boot_block.h"
#include "driver/nic_descriptors.h"

namespace fixed_layout_test {
namespace {

template <class T>
std::vector<int> bytes_of(const T& object) {
  const auto* const raw = reinterpret_cast<const unsigned char*>(&object);
  return std::vector<int>(raw, raw + sizeof object);
}

TEST(NicDescriptors, WorkQueueEntryInMemory) {
  nic_wqe entry{};
  entry.opcode = NIC_WQE_RDMA_WRITE_IMMEDIATE;
  entry.flags = NIC_WQE_SIGNALED;
  entry.qpn = 0x00ABCDEF;
  entry.wr_id = 0x0102030405060708;
  entry.local_address = 0x1112131415161718;
  entry.remote_address = 0x2122232425262728;
  entry.length = 0x31323334;
  entry.immediate = 0x41424344;
  const std::vector<int> expected = {
      0x02, 0x01, 0,    0,    0xEF, 0xCD, 0xAB, 0x00, 0x08, 0x07, 0x06, 0x05, 0x04,
      0x03, 0x02, 0x01, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0x28, 0x27,
      0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31, 0x44, 0x43, 0x42,
      0x41, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
      0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};
  EXPECT_EQ(bytes_of(entry), expected);
}

TEST(NicDescriptors, CompletionQueueEntryInMemory) {
  nic_cqe entry{};
  entry.wr_id = 0x0102030405060708;
  entry.timestamp_ns = 0x1112131415161718;
  entry.byte_len = 0x21222324;
  entry.immediate = 0x31323334;
  entry.qpn = 0x414243;
  entry.status = NIC_CQE_RETRY_EXCEEDED;
  entry.opcode = NIC_CQE_RECEIVE_IMMEDIATE;
  entry.phase = 1;
  const std::vector<int> expected = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,
                                     0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
                                     0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31,
                                     0x43, 0x42, 0x41, 0x00, 0x03, 0x02, 0x00, 0x01};
  EXPECT_EQ(bytes_of(entry), expected);
}

TEST(BootBlock, MagicReadsInMemoryOrder) {
  boot_block block{};
  boot_layout(&block);
  EXPECT_EQ(std::memcmp(&block, "BCCD", 4), 0);
}

TEST(BootBlock, ArraysFollowEachOtherWithoutOverlap) {
  for (const std::uint32_t flows : {0u, 1u, 8u, 1024u, 16384u}) {
    boot_block block{};
    block.tx_count = flows;
    block.rx_count = flows / 2;
    block.queue_pairs = flows + flows / 2;
    block.nic.send_ring_entries = boot_ring_entries(4 * flows);
    block.nic.completion_ring_entries = boot_ring_entries(8 * flows);
    boot_layout(&block);
    const std::uint64_t begins[] = {block.tx_offset, block.rx_offset, block.tx_result_offset,
                                    block.rx_result_offset, block.scratch_offset};
    const std::uint64_t sizes[] = {block.tx_count * sizeof(boot_tx_flow),
                                   block.rx_count * sizeof(boot_rx_flow),
                                   block.tx_count * sizeof(boot_tx_result),
                                   block.rx_count * sizeof(boot_rx_result), block.scratch_bytes};
    std::uint64_t end = sizeof(boot_block);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(begins[i] % BOOT_ALIGNMENT, 0u);
      EXPECT_GE(begins[i], end) << flows << " flows, array " << i;
      EXPECT_LT(begins[i], end + BOOT_ALIGNMENT);
      end = begins[i] + sizes[i];
    }
    EXPECT_EQ(block.total_bytes, end);
  }
}

TEST(BootBlock, AThousandFlowsAndTheirRingsFitTheDefaultRam) {
  boot_block block{};
  block.tx_count = 1024;
  block.rx_count = 1024;
  block.queue_pairs = 2048;
  block.nic.send_ring_entries = 4096;
  block.nic.completion_ring_entries = 8192;
  boot_layout(&block);
  EXPECT_LT(BOOT_BLOCK_ADDRESS + block.total_bytes, BOOT_RAM_BASE + (4u << 20));
}

TEST(BootBlock, RingLengthsAreThePowersOfTwoTheNicAccepts) {
  EXPECT_EQ(boot_ring_entries(0), 2u);
  EXPECT_EQ(boot_ring_entries(3), 4u);
  EXPECT_EQ(boot_ring_entries(4096), 4096u);
  EXPECT_EQ(boot_ring_entries(4097), 8192u);
  EXPECT_EQ(boot_ring_entries(UINT32_MAX), 32768u);
}

}  // namespace
}  // namespace fixed_layout_test
