// Tests WordTarget: it accepts aligned words only, at their own time. Debug reads may have any
// length, and debug writes are refused.
#include "word_target.h"

#include "model_test.h"

namespace dcc::model::word_target_test {
namespace {

/// A device whose register 0 is read-write and register 4 read-only. No other register exists.
class Two final : public WordTarget {
 public:
  Two() : WordTarget("two", sc_core::sc_time(5, sc_core::SC_NS)) {}
  std::uint32_t word = 0xA1B2C3D4;
  sc_core::sc_time written_at;

 private:
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override {
    if (offset == 4) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (offset != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    word = value;
    written_at = sc_core::sc_time_stamp();
    return tlm::TLM_OK_RESPONSE;
  }
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override {
    if (offset > 4) return std::nullopt;
    return offset == 0 ? word : 0x44332211;
  }
};

class WordTargetTest : public ModelTest {
 protected:
  WordTargetTest() { bus_.socket.bind(target_.socket); }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  unsigned bytes = 4) {
    return bus_.access(command, address, value_, bytes);
  }
  std::uint32_t value_ = 0;
  Two target_;
  Initiator bus_{"bus"};
};

TEST_F(WordTargetTest, WordsAndTheAnswersOfTheDevice) {
  simulate([this] {
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 0), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(value_, 0xA1B2C3D4u);
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 2), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "misaligned";
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 0, 2), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "narrow";
    EXPECT_EQ(target_.word, 0xA1B2C3D4u);
    EXPECT_EQ(access(tlm::TLM_IGNORE_COMMAND, 0), tlm::TLM_OK_RESPONSE);
  });
}

TEST_F(WordTargetTest, AnAccessWaitsOutWhatItsInitiatorIsAhead) {
  simulate([this] {
    tlm::tlm_generic_payload payload;
    std::uint32_t word = 9;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(0);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay(30, sc_core::SC_NS);
    bus_.socket->b_transport(payload, delay);
    EXPECT_EQ(target_.written_at, sc_core::sc_time(30, sc_core::SC_NS));
    EXPECT_EQ(delay, sc_core::sc_time(5, sc_core::SC_NS)) << "its own latency is left";
    EXPECT_FALSE(payload.is_dmi_allowed());
    unsigned char enable = 0xFF;
    payload.set_byte_enable_ptr(&enable);
    payload.set_byte_enable_length(1);
    bus_.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  });
}

TEST_F(WordTargetTest, DebugReadsBytesAnywhereAndWritesNothing) {
  simulate([this] {
    unsigned char bytes[8] = {};
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(2);
    payload.set_data_ptr(bytes);
    payload.set_data_length(8);
    EXPECT_EQ(bus_.socket->transport_dbg(payload), 6u) << "the registers end at 8";
    EXPECT_EQ(bytes[0], 0xB2);
    EXPECT_EQ(bytes[2], 0x11);
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(bus_.socket->transport_dbg(payload), 0u);
    EXPECT_EQ(target_.word, 0xA1B2C3D4u);
  });
}

}  // namespace
}  // namespace dcc::model::word_target_test
