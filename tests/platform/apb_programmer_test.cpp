// The platform as a user of the driver: programmed registers, and the message if the controller
// refuses a value.
#include "software/apb_programmer.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <map>

#include "build/platform.h"
#include "controller.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

/// An empty bus: every access is an address error.
struct Nothing final : sc_core::sc_module {
  explicit Nothing(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Nothing::answer);
  }
  void answer(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  tlm_utils::simple_target_socket<Nothing> socket{"socket"};
};

std::string failure(ApbProgrammer& programmer) {
  try {
    programmer.bring_up({});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "brought up";
}

TEST(ApbProgrammer, ARefusedAccessNamesTheRegister) {
  Nothing nothing("nothing");
  ApbProgrammer programmer("programmer");
  programmer.apb.bind(nothing.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(failure(programmer).rfind("controller refused a read of register 0x", 0), 0u);
}

/// A device that reads as zero everywhere, so it has no controller's identity.
struct Zeros final : sc_core::sc_module {
  explicit Zeros(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Zeros::answer);
  }
  void answer(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (payload.is_read()) std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);
    writes += payload.is_write() ? 1 : 0;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  int writes = 0;
  tlm_utils::simple_target_socket<Zeros> socket{"socket"};
};

TEST(ApbProgrammer, WhatIsNoControllerIsNotProgrammed) {
  Zeros zeros("zeros");
  ApbProgrammer programmer("programmer");
  programmer.apb.bind(zeros.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(failure(programmer).rfind("controller bring-up: ", 0), 0u);
  EXPECT_EQ(zeros.writes, 0);
}

}  // namespace
}  // namespace dcc::vp
