// A hart with 64 KiB of RAM and one scratch device, for directed tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <vector>

#include "encode.h"
#include "riscv/hart.h"

namespace dcc::riscv::test {

inline constexpr std::uint32_t kRam = 0x80000000;
inline constexpr std::uint32_t kRamBytes = 0x10000;
inline constexpr std::uint32_t kHandler = kRam + 0x1000;
// a device of 16 bytes; all other addresses outside RAM fault
inline constexpr std::uint32_t kDevice = 0x10000000;

class HartFixture : public ::testing::Test, public MemoryBus {
 protected:
  HartFixture() : memory_(kRamBytes), hart_(*this) {
    hart_.reset(kRam);
    hart_.set_ram({memory_.data(), kRam, kRamBytes});
    hart_.write_csr(csr::kMtvec, kHandler);
  }

  bool load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) override {
    ++device_loads_;
    if (address - kDevice >= 16) return false;
    std::memcpy(&value, device_ + (address - kDevice), size);
    if (on_access_) on_access_();
    return true;
  }
  bool store(std::uint32_t address, std::uint32_t size, std::uint32_t value) override {
    if (address - kDevice >= 16) return false;
    std::memcpy(device_ + (address - kDevice), &value, size);
    if (on_access_) on_access_();
    return true;
  }
  bool fetch(std::uint32_t address, std::uint32_t& halfword) override {
    std::memcpy(&halfword, memory_.data() + (address - kRam), 2);
    return true;
  }

  /// Writes 32-bit instructions to RAM.
  void put(std::uint32_t address, std::initializer_list<Word> words) {
    for (const Word w : words) {
      std::memcpy(memory_.data() + (address - kRam), &w, 4);
      address += 4;
    }
  }
  void put16(std::uint32_t address, std::initializer_list<Word> halfwords) {
    for (const Word h : halfwords) {
      std::memcpy(memory_.data() + (address - kRam), &h, 2);
      address += 2;
    }
  }
  std::uint32_t word(std::uint32_t address) const {
    std::uint32_t w = 0;
    std::memcpy(&w, memory_.data() + (address - kRam), 4);
    return w;
  }
  std::uint32_t csr(std::uint32_t number) const {
    std::uint32_t value = 0;
    EXPECT_TRUE(hart_.read_csr(number, value)) << number;
    return value;
  }
  /// Runs `n` instructions from the present pc on.
  Stop run(std::uint64_t n) { return hart_.run(n); }

  /// Returns from user mode to machine mode by one of two traps.
  void leave_user() {
    if (hart_.privilege() != Privilege::kUser) return;
    put(kRam + 0xF00, {kEcall});
    hart_.set_pc(kRam + 0xF00);
    run(1);
    ASSERT_EQ(hart_.privilege(), Privilege::kMachine);
  }
  void expect_trap(Cause cause, std::uint32_t epc, std::uint32_t value) {
    EXPECT_EQ(csr(csr::kMcause), static_cast<std::uint32_t>(cause));
    EXPECT_EQ(csr(csr::kMepc), epc);
    EXPECT_EQ(csr(csr::kMtval), value);
    EXPECT_EQ(hart_.pc(), kHandler);
  }

  std::vector<std::uint8_t> memory_;
  std::uint8_t device_[16] = {};
  int device_loads_ = 0;
  std::function<void()> on_access_;
  Hart hart_;
};

}  // namespace dcc::riscv::test
