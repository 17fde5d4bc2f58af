// Compares the generated APB register blocks with the register map and with the model.
#include <gtest/gtest.h>

#include <random>

#include "memory_device.h"
#include "registers/generated/dcc_map.h"
#include "registers/generated/nic_map.h"
#include "regs_dut.h"

namespace dcc::regs {
namespace {

const MapInfo& map_named(const std::string& name) {
  return name == "nic" ? nic_map::kMap : dcc_map::kMap;
}

class RtlPort final : public CsrPort {
 public:
  explicit RtlPort(RegsDut& dut) : dut_(dut) {}
  bool read(std::uint32_t address, std::uint32_t& value) override {
    const ApbOutcome outcome = dut_.transfer(false, address, 0, 0);
    value = outcome.rdata;
    return !outcome.slverr;
  }
  bool write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe) override {
    return !dut_.transfer(true, address, value, strobe).slverr;
  }
  void reset() override { dut_.reset(); }
  bool interrupt() const override { return dut_.irq(); }

 private:
  RegsDut& dut_;
};

class RegsRtl : public ::testing::TestWithParam<std::string> {
 protected:
  static void expect_clean(const CsrReport& report) {
    for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
    EXPECT_GT(report.accesses, 6u);
  }
  const MapInfo& map = map_named(GetParam());
  std::unique_ptr<RegsDut> dut = make_regs_dut(GetParam(), 1);
  RtlPort port{*dut};
  CsrInstance instance = verilated_instance(map);
};

TEST_P(RegsRtl, CsrResetValues) {
  for (int seed = 1; seed <= 5; ++seed) {
    dut = make_regs_dut(GetParam(), seed);  // the seed determines registers without a reset
    RtlPort seeded(*dut);
    expect_clean(check_reset_values(map, seeded, instance));
  }
}
TEST_P(RegsRtl, CsrAccessKinds) { expect_clean(check_access_kinds(map, port, instance)); }
TEST_P(RegsRtl, CsrErrors) { expect_clean(check_errors(map, port, instance)); }
TEST_P(RegsRtl, CsrLocks) {
  const CsrReport report = check_locks(map, port, instance);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  EXPECT_EQ(report.accesses > 100, map.write_enable != kNoRegister);
}
TEST_P(RegsRtl, CsrInterrupt) { expect_clean(check_interrupt(map, port)); }
TEST_P(RegsRtl, CsrWithSlowWindows) {
  dut->environment.window_wait = 3;
  expect_clean(check_access_kinds(map, port, instance));
  expect_clean(check_errors(map, port, instance));
}

/// Draws addresses: mostly those of registers, sometimes addresses next to a register, now and then
/// any address.
class AddressSource {
 public:
  AddressSource(const MapInfo& map, const CsrInstance& instance) : map_(map), instance_(instance) {}
  std::uint32_t next(std::mt19937& random) {
    const std::uint32_t kind = random() % 16;
    std::uint32_t address = 0;
    if (kind < 8) {
      address = map_.registers[random() % map_.registers.size()].offset;
    } else if (kind < 10) {
      address = map_.counters[random() % map_.counters.size()].offset + random() % 2 * 4;
    } else if (kind < 15 && map_.windows.size() > 0) {
      const std::size_t w = random() % map_.windows.size();
      const WindowInfo& window = map_.windows[w];
      const std::uint32_t words = window.stride / 4;
      // The address may lie slightly beyond the end of the window.
      address = window.offset + random() % (instance_.window_entries[w] * words + 4) * 4;
    } else {
      address = random() & (map_.size - 1);
    }
    if (random() % 16 == 0) address ^= random() % 8;
    return address & (map_.size - 1);
  }

 private:
  const MapInfo& map_;
  const CsrInstance& instance_;
};

/// A random value that is often legal: each field is at or next to an end of its range, or
/// arbitrary.
std::uint32_t some_value(const MapInfo& map, std::uint32_t address, std::mt19937& random) {
  for (const RegisterInfo& info : map.registers) {
    if (info.offset != address || random() % 4 == 0) continue;
    std::uint32_t value = 0;
    for (const FieldInfo& field : info.fields) {
      const std::uint32_t near = static_cast<std::uint32_t>(random() % 3);
      const std::uint32_t any = static_cast<std::uint32_t>(random());
      const std::uint32_t choices[] = {field.min, field.max, field.min + near, field.max - near,
                                       any};
      value |= (choices[random() % 5] & field.top()) << field.lsb;
    }
    return value;
  }
  return random() % 3 == 0 ? static_cast<std::uint32_t>(random()) & 0x1FFFF
                           : static_cast<std::uint32_t>(random());
}

void compare_outputs(const MapInfo& map, RegsDut& dut, const RegisterBlock& model,
                     std::uint16_t written, std::uint32_t value, const std::string& where) {
  ASSERT_EQ(dut.irq(), model.interrupt()) << where;
  for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
    if (i == map.interrupt_mask || i == map.interrupt_test) continue;
    const RegisterInfo& info = map.registers[i];
    for (std::size_t f = 0; f < info.fields.size(); ++f) {
      const FieldInfo& field = info.fields[f];
      if (field.access == Access::kReadWrite) {
        ASSERT_EQ(dut.to_hardware(i, static_cast<int>(f)), field.of(model.value(i)))
            << where << ": reg2hw of " << info.name << "." << field.name;
      } else if (field.access == Access::kWriteOnly) {
        ASSERT_EQ(dut.to_hardware(i, static_cast<int>(f)), i == written ? field.of(value) : 0)
            << where << ": pulse of " << info.name << "." << field.name;
      }
    }
    if (info.strobe) {
      ASSERT_EQ(dut.to_hardware(i, -1), i == written ? 1u : 0u) << where << ": " << info.name;
    }
  }
}

TEST_P(RegsRtl, RandomTransfersBesideTheModel) {
  std::mt19937 random(20240607);
  MemoryDevice device(map);
  RegisterBlock model(map, device);
  for (std::uint16_t w = 0; w < map.windows.size(); ++w) {
    model.set_window_entries(w, instance.window_entries[w]);
  }
  dut->reset();
  AddressSource addresses(map, instance);
  const bool locks = map.write_enable != kNoRegister;
  std::vector<int> results(locks ? 7 : 6);
  for (int n = 0; n < 60'000; ++n) {
    if (locks && n % 512 == 0) {  // a reset, which alone releases locks
      dut->reset();
      model.reset();
    }
    if (random() % 8 == 0) {
      for (std::size_t i = 0; i < device.registers.size(); ++i) {
        device.registers[i] = dut->environment.live[i] = static_cast<std::uint32_t>(random());
      }
      for (std::size_t i = 0; i < device.counters.size(); ++i) {
        device.counters[i] = dut->environment.counters[i] =
            std::uint64_t{random()} << 32 | static_cast<std::uint32_t>(random());
      }
      dut->environment.window_wait = static_cast<int>(random() % 4);
    }
    if (random() % 16 == 0) {
      dut->environment.causes = static_cast<std::uint32_t>(random()) & ~map.error_cause;
      model.raise(dut->environment.causes);
      dut->idle();
      dut->environment.causes = 0;
    }
    for (std::uint32_t i = random() % 3; i > 0; --i) dut->idle();

    const bool write = random() % 2 != 0;
    const std::uint32_t address = addresses.next(random);
    const std::uint32_t value = some_value(map, address & ~3u, random);
    const std::uint8_t strobe = random() % 8 == 0 ? random() % 16 : kAllBytes;
    const std::string where = "transfer " + std::to_string(n) + ", " + (write ? "write" : "read") +
                              " of " + model.name_of(address);
    device.last_index = kNoRegister;
    std::uint32_t wanted = 0;
    const AccessResult result =
        write ? model.write(address, value, strobe) : model.read(address, wanted);
    const ApbOutcome got = dut->transfer(write, address, value, strobe);
    ++results.at(static_cast<std::size_t>(result));
    ASSERT_EQ(got.slverr, result != AccessResult::kOk) << where << ": " << to_string(result);
    ASSERT_EQ(write ? 0 : got.rdata, wanted) << where;
    if (result != AccessResult::kOk) {
      ASSERT_EQ(got.wait_states, 0) << where << ": a refused access waits for nothing";
    }
    ASSERT_NO_FATAL_FAILURE(
        compare_outputs(map, *dut, model, device.last_index, device.last_value, where));
    if (n % 64 == 0) {
      dut->idle();  // write strobes last one cycle
      ASSERT_NO_FATAL_FAILURE(compare_outputs(map, *dut, model, kNoRegister, 0, where + " + 1"));
    }
  }
  for (const int count : results) EXPECT_GT(count, 100) << "an outcome was hardly seen";
  EXPECT_EQ(dut->environment.windows, device.windows);
}

TEST_P(RegsRtl, SettingWinsOverClearing) {
  dut->reset();
  const RegisterInfo& status = map.registers[map.interrupt_status];
  const std::uint32_t cause = map.error_cause == 1 ? 2 : 1;
  dut->environment.causes = cause;
  dut->idle();
  // the cause stays active while software clears it
  dut->transfer(true, status.offset, cause, kAllBytes);
  dut->environment.causes = 0;
  EXPECT_EQ(dut->transfer(false, status.offset, 0, 0).rdata, cause);
  dut->transfer(true, status.offset, cause, kAllBytes);
  EXPECT_EQ(dut->transfer(false, status.offset, 0, 0).rdata, 0u);
}

TEST_P(RegsRtl, RefusedWritesNeverReachTheWindows) {
  dut->reset();
  for (std::size_t w = 0; w < map.windows.size(); ++w) {
    const WindowInfo& window = map.windows[w];
    EXPECT_TRUE(dut->transfer(true, window.offset, 1, 0x7).slverr);
    EXPECT_TRUE(dut->transfer(true, window.offset + 1, 1, kAllBytes).slverr);
    EXPECT_EQ(dut->take_window_writes(), 0) << window.name;
    EXPECT_EQ(dut->transfer(true, window.offset, 1, kAllBytes).slverr, !window.writable);
    EXPECT_EQ(dut->take_window_writes(), window.writable ? 1 : 0) << window.name;
  }
}

std::vector<std::string> blocks() {
  std::vector<std::string> names = {"dcc", "nic"};
#ifdef DCC_HAVE_REGS_NETLIST
  names.push_back("dcc_gates");
#endif
  return names;
}

INSTANTIATE_TEST_SUITE_P(Maps, RegsRtl, ::testing::ValuesIn(blocks()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace dcc::regs
