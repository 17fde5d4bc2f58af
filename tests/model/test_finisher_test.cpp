// Tests the test finisher of machine `virt`: which writes end the run, and with which exit status.
#include "machine/test_finisher.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "driver/memory_map_virt.h"
#include "model_test.h"

namespace dcc::model::test_finisher_test {
namespace {

class TestFinisherTest : public ModelTest {
 protected:
  TestFinisherTest() { initiator.socket.bind(finisher.socket); }
  void write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(initiator.access(tlm::TLM_WRITE_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
  }

  std::vector<std::uint32_t> codes;
  TestFinisher finisher{"finisher", [this](std::uint32_t code) { codes.push_back(code); }};
  Initiator initiator{"initiator"};
};

// Writing 0x5555 ends the run with success, 0x3333 with the status in the upper half (QEMU,
// hw/misc/sifive_test).
TEST_F(TestFinisherTest, PassAndFailureEndTheRun) {
  simulate([&] {
    write(VIRT_TEST_FINISH, 0x5555);
    write(VIRT_TEST_FINISH, 7u << 16 | 0x3333);
    EXPECT_EQ(codes, (std::vector<std::uint32_t>{0, 7}));
  });
}

// QEMU's test finisher accepts accesses of halfwords and words.
TEST_F(TestFinisherTest, HalfwordsEndTheRunAndBytesAreRefused) {
  simulate([&] {
    std::uint32_t value = 0x5555;
    EXPECT_EQ(initiator.access(tlm::TLM_WRITE_COMMAND, VIRT_TEST_FINISH, value, 1),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_TRUE(codes.empty());
    EXPECT_EQ(initiator.access(tlm::TLM_WRITE_COMMAND, VIRT_TEST_FINISH, value, 2),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(codes, (std::vector<std::uint32_t>{0}));
  });
}

TEST_F(TestFinisherTest, OtherWritesHaveNoEffectAndAllWordsReadZero) {
  simulate([&] {
    write(VIRT_TEST_FINISH, 0x7777);  // value with which QEMU resets the machine
    write(VIRT_TEST_FINISH, 0);
    write(VIRT_TEST_FINISH + 4, 0x5555);
    EXPECT_TRUE(codes.empty());
    std::uint32_t value = 1;
    EXPECT_EQ(initiator.access(tlm::TLM_READ_COMMAND, VIRT_TEST_FINISH, value),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value, 0u);
  });
}

}  // namespace
}  // namespace dcc::model::test_finisher_test
