// Tests behaviour of the register block that the generated tests do not cover: device callbacks,
// latched values, names.
#include "registers/register_block.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "registers/generated/dcc_map.h"
#include "registers/generated/nic_map.h"

namespace dcc::regs {
namespace {

/// A device that records its register accesses.
struct RecordingDevice final : RegisterDevice {
  std::uint32_t read_register(std::uint16_t) const override { return live; }
  void access(RegisterAccess& access) override {
    ++accesses;
    if (!access.write) return access.answer();
    if (access.register_written) written.push_back({access.index, access.stored});
    if (access.window_written()) {
      window_writes.push_back({access.index, access.word, access.value});
    }
  }
  std::uint64_t read_counter(std::uint16_t index) const override { return counter + index; }
  std::uint32_t read_window(std::uint16_t window, std::uint32_t word) const override {
    return window << 24 | word;
  }
  struct WindowWrite {
    std::uint16_t window;
    std::uint32_t word, value;
  };
  int accesses = 0;
  std::uint32_t live = 0;
  std::uint64_t counter = 0;
  std::vector<std::pair<std::uint16_t, std::uint32_t>> written;
  std::vector<WindowWrite> window_writes;
};

class RegisterBlockTest : public ::testing::Test {
 protected:
  std::uint32_t read(std::uint32_t address) {
    std::uint32_t value = 0;
    EXPECT_EQ(block.read(address, value), AccessResult::kOk);
    return value;
  }
  RecordingDevice device;
  RegisterBlock block{dcc_map::kMap, device};
};

using namespace dcc_map;

TEST_F(RegisterBlockTest, DeviceHearsOfEveryAccessOnce) {
  block.write(DCC_CTRL_OFFSET, 0);
  read(DCC_CTRL_OFFSET);
  std::uint32_t value = 7;
  EXPECT_EQ(block.read(0x1, value), AccessResult::kMisaligned);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(block.write(DCC_ID_OFFSET, 1), AccessResult::kReadOnly);
  block.write(DCC_FACTOR_OFFSET, 1);
  EXPECT_EQ(device.accesses, 5);
  EXPECT_EQ(device.window_writes.size(), 1u);
}

TEST_F(RegisterBlockTest, AnInstanceMayImplementReservedBits) {
  block.write(DCC_CTRL_OFFSET, DCC_CTRL_LAW_HIGH_MASK);
  EXPECT_EQ(read(DCC_CTRL_OFFSET) & DCC_CTRL_LAW_HIGH_MASK, 0u);
  block.implement_reserved(kCtrl, DCC_CTRL_LAW_HIGH_MASK);
  block.write(DCC_CTRL_OFFSET, DCC_CTRL_LAW_HIGH_MASK);
  EXPECT_EQ(read(DCC_CTRL_OFFSET) & DCC_CTRL_LAW_HIGH_MASK, DCC_CTRL_LAW_HIGH_MASK);
  EXPECT_EQ(device.written.back().second & DCC_CTRL_LAW_HIGH_MASK, DCC_CTRL_LAW_HIGH_MASK);
}

TEST_F(RegisterBlockTest, DeviceHearsOfEveryWriteWithWriteOnlyBits) {
  EXPECT_EQ(block.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK),
            AccessResult::kOk);
  ASSERT_EQ(device.written.size(), 1u);
  EXPECT_EQ(device.written[0].first, kCtrl);
  EXPECT_EQ(device.written[0].second, DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK);
  EXPECT_EQ(read(DCC_CTRL_OFFSET), DCC_CTRL_ENABLE_MASK) << "the write-only bit must read as 0";
  block.write(DCC_IRQ_STATUS_OFFSET, 7);
  EXPECT_EQ(device.written.size(), 1u) << "W1C is the block's own business";
}

TEST_F(RegisterBlockTest, LiveRegistersAskTheDeviceAndMaskItsBits) {
  device.live = 0xFFFFFFFF;
  EXPECT_EQ(read(DCC_FREE_SLOTS_OFFSET), 0x7FFFu);
  EXPECT_EQ(read(DCC_STATUS_OFFSET), 15u);
  EXPECT_EQ(read(DCC_ID_OFFSET), 0x44434331u);
}

TEST_F(RegisterBlockTest, LowWordLatchesTheHighOne) {
  device.counter = 0x00000001'FFFFFFFF;
  EXPECT_EQ(read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET), 0xFFFFFFFFu);
  // the counter carries into its high word between the two reads
  device.counter = 0x00000002'00000000;
  EXPECT_EQ(read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET + 4), 1u);
  EXPECT_EQ(read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET), 0u);
  EXPECT_EQ(read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET + 4), 2u);
}

TEST_F(RegisterBlockTest, CountersAndWindowsGoToTheirPlaces) {
  device.counter = 100;
  EXPECT_EQ(read(DCC_STAT_MISSED_LATENCY_LO_OFFSET), 100u + kStatMissedLatency);
  EXPECT_EQ(read(DCC_DECREASE_OFFSET + 4 * 256), std::uint32_t{kWindowDecrease} << 24 | 256);
  EXPECT_EQ(read(DCC_SLOTS_OFFSET + 32 * 5 + 4 * kSlotsTargetWord),
            std::uint32_t{kWindowSlots} << 24 | (5 * 8 + 2));
  block.write(DCC_FLOOR_OFFSET + 4 * 63, 0xABCD);
  ASSERT_EQ(device.window_writes.size(), 1u);
  EXPECT_EQ(device.window_writes[0].window, kWindowFloor);
  EXPECT_EQ(device.window_writes[0].word, 63u);
  EXPECT_EQ(device.window_writes[0].value, 0xABCDu);
}

TEST_F(RegisterBlockTest, InterruptListenerHearsChangesOnly) {
  std::vector<bool> levels;
  block.set_interrupt_listener([&](bool level) { levels.push_back(level); });
  block.raise(DCC_IRQ_STATUS_TABLE_FULL_MASK);
  EXPECT_TRUE(levels.empty());
  block.write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_TABLE_FULL_MASK | DCC_IRQ_MASK_OVERRUN_MASK);
  block.raise(DCC_IRQ_STATUS_OVERRUN_MASK);
  block.raise(DCC_IRQ_STATUS_TABLE_FULL_MASK);
  block.write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_TABLE_FULL_MASK);
  EXPECT_TRUE(block.interrupt());
  block.reset();
  EXPECT_EQ(levels, (std::vector<bool>{true, false}));
}

TEST_F(RegisterBlockTest, CausesOutsideTheRegisterAreIgnored) {
  block.raise(0xFFFFFFF0);
  EXPECT_EQ(block.value(kIrqStatus), 0u);
}

TEST_F(RegisterBlockTest, PeekIsFreeOfSideEffects) {
  device.counter = 0x11'00000022;
  read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET);
  device.counter = 0x33'00000044;
  std::uint32_t value = 0;
  EXPECT_EQ(block.peek(DCC_STAT_CNPS_RECEIVED_LO_OFFSET, value), AccessResult::kOk);
  EXPECT_EQ(value, 0x44u);
  EXPECT_EQ(block.peek(DCC_STAT_CNPS_RECEIVED_LO_OFFSET + 4, value), AccessResult::kOk);
  EXPECT_EQ(value, 0x33u) << "a debugger sees the counter as it is";
  EXPECT_EQ(read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET + 4), 0x11u) << "and leaves the latch alone";
  EXPECT_EQ(block.peek(0x0FFC, value), AccessResult::kUnmapped);
  EXPECT_EQ(block.value(kIrqStatus), 0u);
  EXPECT_EQ(block.value(kErrorInfo), 0u);
}

TEST_F(RegisterBlockTest, PokeWritesParametersOnly) {
  EXPECT_EQ(block.poke(DCC_CTRL_OFFSET, 0xFF), AccessResult::kOk);
  ASSERT_EQ(device.written.size(), 1u);
  EXPECT_EQ(device.written[0].second & DCC_CTRL_SOFT_RESET_MASK, 0u) << "no command by debugger";
  block.raise(DCC_IRQ_STATUS_OVERRUN_MASK);
  EXPECT_EQ(block.poke(DCC_IRQ_STATUS_OFFSET, 7), AccessResult::kOk);
  EXPECT_EQ(block.value(kIrqStatus), DCC_IRQ_STATUS_OVERRUN_MASK);
  EXPECT_EQ(block.poke(DCC_ID_OFFSET, 0), AccessResult::kReadOnly);
  EXPECT_EQ(block.poke(DCC_MARK_SHIFT_OFFSET, 11), AccessResult::kOutOfRange);
  EXPECT_EQ(block.poke(DCC_MARK_SHIFT_OFFSET + 1, 1), AccessResult::kMisaligned);
  EXPECT_EQ(block.value(kErrorInfo), 0u);
}

TEST_F(RegisterBlockTest, NeitherSoftwareNorDebuggerWritesWhatIsLocked) {
  EXPECT_EQ(block.write(DCC_REGWEN_OFFSET, ~DCC_REGWEN_TABLES_MASK), AccessResult::kOk);
  EXPECT_TRUE(device.written.empty()) << "locks are the block's own business";
  EXPECT_EQ(block.write(DCC_FLOOR_OFFSET, 1), AccessResult::kLocked);
  EXPECT_EQ(read(DCC_ERROR_INFO_OFFSET), DCC_FLOOR_OFFSET | 6u << 24 | 1u << 31);
  EXPECT_EQ(block.poke(DCC_FLOOR_OFFSET, 1), AccessResult::kLocked);
  EXPECT_TRUE(device.window_writes.empty());
  EXPECT_EQ(block.write(DCC_R_AI_OFFSET, 7), AccessResult::kOk) << "parameters are not";
  EXPECT_EQ(block.poke(DCC_REGWEN_OFFSET, 0), AccessResult::kOk);
  EXPECT_EQ(read(DCC_REGWEN_OFFSET), DCC_REGWEN_PARAMETERS_MASK | DCC_REGWEN_CTRL_MASK)
      << "a debugger locks nothing";
  block.write(DCC_REGWEN_OFFSET, 0);
  EXPECT_EQ(block.write(DCC_R_AI_OFFSET, 8), AccessResult::kLocked);
  EXPECT_EQ(block.poke(DCC_R_AI_OFFSET, 8), AccessResult::kLocked);
  EXPECT_EQ(block.write(DCC_CTRL_OFFSET, DCC_CTRL_SOFT_RESET_MASK), AccessResult::kLocked);
  EXPECT_EQ(read(DCC_R_AI_OFFSET), 7u);
  EXPECT_EQ(block.write(DCC_IRQ_MASK_OFFSET, 0), AccessResult::kOk);
  block.reset();
  EXPECT_EQ(read(DCC_REGWEN_OFFSET), 7u);
  EXPECT_EQ(block.write(DCC_R_AI_OFFSET, 9), AccessResult::kOk);
}

TEST_F(RegisterBlockTest, ParametersAndSizesOfTheInstance) {
  block.set_parameter(kCaps, 0x1234);
  block.set_window_entries(kWindowSlots, 7);
  block.reset();
  EXPECT_EQ(read(DCC_CAPS_OFFSET), 0x1214u) << "bits without a field read as 0";
  std::uint32_t value = 0;
  EXPECT_EQ(block.read(DCC_SLOTS_OFFSET + 7 * 32 - 4, value), AccessResult::kOk);
  EXPECT_EQ(block.read(DCC_SLOTS_OFFSET + 7 * 32, value), AccessResult::kUnmapped);
}

TEST_F(RegisterBlockTest, NamesLeadToAddressesAndBack) {
  const std::pair<const char*, std::uint32_t> names[] = {
      {"dcc.CTRL", DCC_CTRL_OFFSET},
      {"dcc.STAT_CNPS_RECEIVED_LO", DCC_STAT_CNPS_RECEIVED_LO_OFFSET},
      {"dcc.STAT_MISSED_LATENCY_HI", DCC_STAT_MISSED_LATENCY_LO_OFFSET + 4},
      {"dcc.factor[46]", DCC_FACTOR_OFFSET + 4 * 46},
      {"dcc.decrease[256]", DCC_DECREASE_OFFSET + 4 * 256},
      {"dcc.slots[3].RATE", DCC_SLOTS_OFFSET + 32 * 3 + 4},
      {"dcc.slots[16383].DUE", 0xFFFFC},
  };
  for (const auto& [name, address] : names) {
    EXPECT_EQ(block.find(name), address) << name;
    EXPECT_EQ(block.find(std::string_view(name).substr(4)), address) << name;
    EXPECT_EQ(block.name_of(address), name);
  }
  EXPECT_EQ(block.name_of(0xFFC), "dcc+0x0ffc");
  for (const char* nonsense :
       {"", "ctrl", "dcc.", "dcc.CTRLX", "nic.CTRL", "factor", "factor[", "factor[]", "factor[64]",
        "factor[1].X", "factor[99999999999]", "slots[3]", "slots[3].", "slots[3].NO",
        "slots[16384].RATE", "STAT_CNPS_RECEIVED", "decay_hi[-1]"}) {
    EXPECT_FALSE(block.find(nonsense).has_value()) << nonsense;
  }
}

TEST(RegisterMaps, NicAndControllerDecodeApart) {
  RecordingDevice device;
  RegisterBlock nic(nic_map::kMap, device);
  std::uint32_t value = 0;
  EXPECT_EQ(nic.read(NIC_ID_OFFSET, value), AccessResult::kOk);
  EXPECT_EQ(value, 0x4E494331u);
  EXPECT_EQ(nic.read(0x1000, value), AccessResult::kUnmapped) << "the NIC has no windows";
  EXPECT_EQ(nic.write(NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE), AccessResult::kOk);
  EXPECT_EQ(device.written.back().second, 1u);
  EXPECT_EQ(nic.write(NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CHANGE_CLASS), AccessResult::kOk);
  EXPECT_EQ(nic.write(NIC_QP_CMD_OFFSET, 0), AccessResult::kOutOfRange);
}

}  // namespace
}  // namespace dcc::regs
