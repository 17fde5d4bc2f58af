// Tests the APB target: responses, byte enables, protection, debug access, timing.
#include "apb.h"

#include <cstring>

#include "model_test.h"
#include "registers/generated/dcc_map.h"

namespace dcc::model::apb_test {
namespace {

namespace map = regs::dcc_map;

/// A device whose counters and windows have recognisable contents.
struct FakeDevice final : regs::RegisterDevice {
  std::uint32_t read_register(std::uint16_t index) const override { return 0xA000u + index; }
  void access(regs::RegisterAccess& access) override {
    if (!access.write) return access.answer();
    if (access.window_written() || access.register_written) ++writes;
  }
  std::uint64_t read_counter(std::uint16_t) const override { return counter; }
  std::uint32_t read_window(std::uint16_t, std::uint32_t word) const override { return word; }
  std::uint64_t counter = 0x1122334455667788;
  int writes = 0;
};

class ApbTest : public ModelTest {
 protected:
  ApbTest() {
    target.add_observer([this](const ApbTransfer& t) { seen.push_back(t); });
    socket.bind(target.apb);
  }

  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, void* data,
                                     unsigned length, unsigned char* enables = nullptr,
                                     unsigned enable_length = 0) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(enable_length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  tlm::tlm_response_status read(std::uint32_t address, std::uint32_t& value) {
    return transport(tlm::TLM_READ_COMMAND, address, &value, 4);
  }
  tlm::tlm_response_status write(std::uint32_t address, std::uint32_t value) {
    return transport(tlm::TLM_WRITE_COMMAND, address, &value, 4);
  }

  FakeDevice device;
  regs::RegisterBlock block{map::kMap, device};
  ApbTarget target{"target", block, sc_core::sc_time(12, sc_core::SC_NS)};
  Initiator initiator{"initiator"};
  tlm_utils::simple_initiator_socket<Initiator>& socket = initiator.socket;
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
  std::vector<ApbTransfer> seen;
};

TEST_F(ApbTest, EveryErrorHasItsResponse) {
  simulate([&] {
    std::uint32_t value = 0;
    EXPECT_EQ(read(DCC_ID_OFFSET, value), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value, 0x44434331u);
    EXPECT_EQ(read(0x018, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(read(0x002, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(write(DCC_ID_OFFSET, 1), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(write(DCC_MARK_SHIFT_OFFSET, 11), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(write(DCC_MARK_SHIFT_OFFSET, 10), tlm::TLM_OK_RESPONSE);
    std::uint32_t two[2] = {};
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0, two, 8), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, 0x1'0000'0000, two, 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    ASSERT_EQ(seen.size(), 6u);
    EXPECT_EQ(seen[4].result, regs::AccessResult::kOutOfRange);
    EXPECT_EQ(seen[4].data, 11u);
    EXPECT_TRUE(seen[4].write);
    EXPECT_EQ(block.name_of(seen[4].address), "dcc.MARK_SHIFT");
    EXPECT_EQ(device.writes, 1);
  });
}

TEST_F(ApbTest, ByteEnablesBecomeStrobes) {
  simulate([&] {
    unsigned char enables[4] = {TLM_BYTE_ENABLED, TLM_BYTE_ENABLED, TLM_BYTE_DISABLED,
                                TLM_BYTE_ENABLED};
    std::uint32_t value = 7;
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, DCC_F_OFFSET, &value, 4, enables, 4),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(seen.back().pstrb, 0xB);
    enables[2] = TLM_BYTE_ENABLED;
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, DCC_F_OFFSET, &value, 4, enables, 4),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(seen.back().pstrb, 0xF);
    // A byte enable array that is shorter than the data is repeated.
    unsigned char even[2] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, DCC_F_OFFSET, &value, 4, even, 2),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(seen.back().pstrb, 0x5);
    // A half-word write drives two byte lanes. A half-word read returns two bytes of a word.
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, DCC_F_OFFSET, &value, 2),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(seen.back().pstrb, 0x3);
    value = 0xFFFFFFFF;
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, DCC_ID_OFFSET, &value, 2), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value, 0xFFFF4331u);
    // Refused writes changed only the registers that record errors.
    EXPECT_EQ(block.value(map::kF), 7u);
    EXPECT_EQ(device.writes, 1);
  });
}

TEST_F(ApbTest, ProtectionReachesTheObserver) {
  simulate([&] {
    std::uint32_t value = 0;
    read(DCC_ID_OFFSET, value);
    EXPECT_EQ(seen.back().pprot, 0);
    ApbProtection protection(0b101);
    payload.set_extension(&protection);
    EXPECT_EQ(read(DCC_ID_OFFSET, value), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(seen.back().pprot, 0b101);
    payload.clear_extension(&protection);
  });
}

TEST_F(ApbTest, LocalTimeIsWaitedOutAndLatencyAdded) {
  int synchronised = 0;
  sc_core::sc_time at;
  target.set_synchronise([&] {
    ++synchronised;
    at = sc_core::sc_time_stamp();
  });
  simulate([&] {
    std::uint32_t value = 0;
    delay = sc_core::sc_time(1, sc_core::SC_US);
    read(DCC_ID_OFFSET, value);
    EXPECT_EQ(at, sc_core::sc_time(1, sc_core::SC_US));
    EXPECT_EQ(delay, sc_core::sc_time(12, sc_core::SC_NS));
    EXPECT_EQ(synchronised, 1);
  });
}

TEST_F(ApbTest, DebugAccessLeavesNoTrace) {
  simulate([&] {
    std::uint32_t value = 0;
    const std::uint32_t low = DCC_STAT_CNPS_RECEIVED_LO_OFFSET;
    read(low, value);
    EXPECT_EQ(value, 0x55667788u);
    device.counter = 0x99;
    unsigned char bytes[7] = {};
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(low + 1);  // debug accesses have any alignment and length
    payload.set_data_ptr(bytes);
    payload.set_data_length(7);
    EXPECT_EQ(socket->transport_dbg(payload), 7u);
    EXPECT_EQ(bytes[0], 0);
    read(low + 4, value);
    EXPECT_EQ(value, 0x11223344u) << "a debug read moved the latch";

    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(0x0FFC);
    payload.set_data_ptr(bytes);
    payload.set_data_length(4);
    EXPECT_EQ(socket->transport_dbg(payload), 0u);
    EXPECT_EQ(block.value(map::kIrqStatus), 0u) << "a debug read raised an error";

    std::uint32_t words[2] = {3, 9};  // values of the registers F and G
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(DCC_F_OFFSET);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(words));
    payload.set_data_length(8);
    EXPECT_EQ(socket->transport_dbg(payload), 8u);
    EXPECT_EQ(block.value(map::kF), 3u);
    EXPECT_EQ(block.value(map::kG), 9u);
    EXPECT_EQ(seen.size(), 2u);
  });
}

TEST_F(ApbTest, DirectAccessIsSeenToo) {
  simulate([&] {
    std::uint32_t value = 0;
    EXPECT_EQ(target.write32(DCC_F_OFFSET, 4), regs::AccessResult::kOk);
    EXPECT_EQ(target.read32(DCC_F_OFFSET, value), regs::AccessResult::kOk);
    EXPECT_EQ(value, 4u);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].pstrb, regs::kAllBytes);
    EXPECT_EQ(seen[1].data, 4u);
  });
}

}  // namespace
}  // namespace dcc::model::apb_test
