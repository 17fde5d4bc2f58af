// Tests the RAM model: bursts, byte enables, streaming, bounds, DMI, debug access.
#include "ram.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "model_test.h"

namespace dcc::model::ram_test {
namespace {

class RamTest : public ModelTest {
 protected:
  RamTest() { initiator.socket.bind(ram.socket); }

  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address,
                                     std::vector<std::uint8_t>& data, unsigned width = 0,
                                     std::vector<std::uint8_t> enables = {}) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(width == 0 ? static_cast<unsigned>(data.size()) : width);
    payload.set_byte_enable_ptr(enables.empty() ? nullptr : enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    initiator.socket->b_transport(payload, delay);
    return payload.get_response_status();
  }

  static constexpr std::uint64_t kBytes = 4096;
  Ram ram{"ram", kBytes, sc_core::sc_time(7, sc_core::SC_NS)};
  Initiator initiator{"initiator"};
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
};

TEST_F(RamTest, BurstsOfAnyLengthAndAlignmentComeBack) {
  simulate([&] {
    for (const unsigned length : {1u, 2u, 3u, 4u, 5u, 64u, 1000u}) {
      std::vector<std::uint8_t> out(length);
      std::iota(out.begin(), out.end(), static_cast<std::uint8_t>(length));
      std::vector<std::uint8_t> in(length);
      EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, 11 + length, out), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 11 + length, in), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(in, out);
    }
    EXPECT_EQ(delay, sc_core::sc_time(7 * 14, sc_core::SC_NS));
  });
}

TEST_F(RamTest, IsZeroAtTheStart) {
  for (std::uint64_t i = 0; i < kBytes; ++i) ASSERT_EQ(ram.data()[i], 0) << i;
  simulate([] {});
}

TEST_F(RamTest, AccessesThatReachOutsideMoveNothing) {
  simulate([&] {
    std::vector<std::uint8_t> data(8, 0xAA);
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, kBytes - 8, data), tlm::TLM_OK_RESPONSE);
    for (const std::uint64_t address : {kBytes - 7, kBytes, kBytes + 1, ~std::uint64_t{0} - 3}) {
      data.assign(8, 0x55);
      EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, address, data), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, address, data), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    for (std::uint64_t i = kBytes - 8; i < kBytes; ++i) EXPECT_EQ(ram.data()[i], 0xAA);
    std::vector<std::uint8_t> none;
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0, none), tlm::TLM_BURST_ERROR_RESPONSE);
  });
}

TEST_F(RamTest, ByteEnablesSelectAndRepeat) {
  simulate([&] {
    std::vector<std::uint8_t> data = {1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, 100, data, 0, {0xFF, 0x00, 0x00}),
              tlm::TLM_OK_RESPONSE);
    const std::vector<std::uint8_t> expected = {1, 0, 0, 4, 0, 0, 7, 0};
    EXPECT_EQ(std::vector<std::uint8_t>(ram.data() + 100, ram.data() + 108), expected);
    data.assign(8, 0x99);
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 100, data, 0, {0x00, 0xFF}), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(data, (std::vector<std::uint8_t>{0x99, 0, 0x99, 4, 0x99, 0, 0x99, 0}));
  });
}

TEST_F(RamTest, AStreamWritesTheSamePlaceAgainAndAgain) {
  simulate([&] {
    std::vector<std::uint8_t> data = {1, 2, 3, 4, 5, 6, 7, 8};
    // The bounds check uses the width of the access: an access to the last two bytes of memory
    // succeeds.
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, kBytes - 2, data, 2), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ram.data()[kBytes - 2], 7);
    EXPECT_EQ(ram.data()[kBytes - 1], 8);
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, kBytes - 2, data, 2), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(data, (std::vector<std::uint8_t>{7, 8, 7, 8, 7, 8, 7, 8}));
  });
}

TEST_F(RamTest, DirectAccessSpansTheWholeMemoryUntilItIsSwitchedOff) {
  simulate([&] {
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(initiator.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_TRUE(dmi.is_read_write_allowed());
    EXPECT_EQ(dmi.get_start_address(), 0u);
    EXPECT_EQ(dmi.get_end_address(), kBytes - 1);
    EXPECT_EQ(dmi.get_dmi_ptr(), ram.data());
    std::vector<std::uint8_t> data(4);
    transport(tlm::TLM_READ_COMMAND, 0, data);
    EXPECT_TRUE(payload.is_dmi_allowed());
    ram.allow_dmi(false);
    EXPECT_FALSE(initiator.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_FALSE(dmi.is_read_allowed());
    transport(tlm::TLM_READ_COMMAND, 0, data);
    EXPECT_FALSE(payload.is_dmi_allowed());
  });
}

TEST_F(RamTest, DebugAccessTakesNoTimeAndStopsAtTheEnd) {
  simulate([&] {
    std::vector<std::uint8_t> data(16, 0x77);
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(kBytes - 4);
    payload.set_data_ptr(data.data());
    payload.set_data_length(16);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 4u);
    EXPECT_EQ(ram.data()[kBytes - 1], 0x77);
    payload.set_address(kBytes);
    EXPECT_EQ(initiator.socket->transport_dbg(payload), 0u);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
  });
}

}  // namespace
}  // namespace dcc::model::ram_test
