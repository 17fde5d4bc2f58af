// Runs the tests of every register of both register maps on the register block model.
#include <gtest/gtest.h>

#include "csr_checks.h"
#include "memory_device.h"
#include "registers/generated/dcc_map.h"
#include "registers/generated/nic_map.h"

namespace dcc::regs {
namespace {

class BlockPort final : public CsrPort {
 public:
  explicit BlockPort(const MapInfo& map) : device(map), block(map, device) {}
  bool read(std::uint32_t address, std::uint32_t& value) override {
    return block.read(address, value) == AccessResult::kOk;
  }
  bool write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe) override {
    return block.write(address, value, strobe) == AccessResult::kOk;
  }
  void reset() override { block.reset(); }
  bool interrupt() const override { return block.interrupt(); }

  MemoryDevice device;
  RegisterBlock block;
};

const MapInfo& map_named(const std::string& name) {
  return name == "nic" ? nic_map::kMap : dcc_map::kMap;
}

class CsrOnBlock : public ::testing::TestWithParam<std::string> {
 protected:
  CsrOnBlock() : map(map_named(GetParam())), port(map), instance(default_instance(map)) {}
  const MapInfo& map;
  BlockPort port;
  CsrInstance instance;
};

void expect_clean(const CsrReport& report, std::uint64_t least_accesses) {
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  EXPECT_GE(report.accesses, least_accesses);
}

TEST_P(CsrOnBlock, ResetValues) {
  expect_clean(check_reset_values(map, port, instance), 2 * map.registers.size());
}
TEST_P(CsrOnBlock, AccessKinds) {
  expect_clean(check_access_kinds(map, port, instance), 10 * map.registers.size());
}
TEST_P(CsrOnBlock, Errors) {
  expect_clean(check_errors(map, port, instance), 10 * map.registers.size());
}
TEST_P(CsrOnBlock, Locks) {
  expect_clean(check_locks(map, port, instance),
               map.write_enable == kNoRegister ? 0 : 5 * map.registers.size());
}
TEST_P(CsrOnBlock, Interrupt) { expect_clean(check_interrupt(map, port), 8); }

TEST_P(CsrOnBlock, SmallerInstance) {
  for (std::uint16_t w = 0; w < map.windows.size(); ++w) {
    instance.window_entries[w] = map.windows[w].entries / 2 + 1;
    port.block.set_window_entries(w, instance.window_entries[w]);
  }
  expect_clean(check_access_kinds(map, port, instance), 10 * map.registers.size());
  expect_clean(check_errors(map, port, instance), 10 * map.registers.size());
}

INSTANTIATE_TEST_SUITE_P(Maps, CsrOnBlock, ::testing::Values("dcc", "nic"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace dcc::regs
