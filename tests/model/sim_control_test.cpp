// Tests the simulation control registers: both act on writes, and neither can be read.
#include "machine/sim_control.h"

#include "driver/memory_map.h"
#include "model_test.h"

namespace dcc::model::sim_control_test {
namespace {

class SimControlTest : public ModelTest {
 protected:
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint32_t offset,
                                  std::uint32_t value, unsigned bytes = 4) {
    return bus_.access(command, offset, value, bytes);
  }

  std::vector<std::uint32_t> codes_;
  std::string console_;
  Initiator bus_{"bus"};
  SimControl control_{"control", [this](std::uint32_t code) { codes_.push_back(code); },
                      [this](char c) { console_ += c; }};
};

TEST_F(SimControlTest, WritesEndTheProgramAndPrint) {
  bus_.socket.bind(control_.socket);
  simulate([this] {
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, DCC_SIM_CONTROL_PUTCHAR, 'o'), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, DCC_SIM_CONTROL_PUTCHAR, 'k'), tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(codes_.empty());
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, DCC_SIM_CONTROL_EXIT, 0xFFFFFFFF),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(console_, "ok");
    EXPECT_EQ(codes_, std::vector<std::uint32_t>{0xFFFFFFFF});
  });
}

TEST_F(SimControlTest, RefusesReadsBytesAndWhatIsNotThere) {
  bus_.socket.bind(control_.socket);
  simulate([this] {
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, DCC_SIM_CONTROL_EXIT, 0),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, DCC_SIM_CONTROL_PUTCHAR, 0),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 8, 0), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 8, 0), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, DCC_SIM_CONTROL_EXIT, 0, 2),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_TRUE(codes_.empty());
    EXPECT_EQ(console_, "");
  });
}

}  // namespace
}  // namespace dcc::model::sim_control_test
