// Tests the platform's use of the controller's driver: programmed registers, and the message if the
// controller refuses a value.
#include "software/apb_programmer.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <map>
#include <utility>

#include "build/platform.h"
#include "build/translate.h"
#include "controller.h"
#include "controller_module.h"
#include "model/base_protocol.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

/// A bus without targets, on which every access is an address error.
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

/// A device that reads as zero everywhere, so it lacks the controller's identity.
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

/// Calls a function from a SystemC process.
struct Process final : sc_core::sc_module {
  Process(const sc_core::sc_module_name& name, std::function<void()> what)
      : sc_module(name), call(std::move(what)) {
    SC_HAS_PROCESS(Process);
    SC_THREAD(run);
  }
  void run() { call(); }
  std::function<void()> call;
};

// Checks the programmer's socket with the checker of TLM-2.0's base protocol, while the driver
// programs a whole controller.
TEST(ApbProgrammer, KeepsTheBaseProtocol) {
  model::ControllerModule controller("controller", {}, [](std::uint32_t, Rate) {});
  model::BaseProtocolChecker checker("checker");
  ApbProgrammer programmer("programmer", 0, true);
  programmer.apb.bind(checker.in);
  checker.out.bind(controller.apb);
  const dcc_config from =
      controller_program(config_of(star("nic: {congestion_control: {algorithm: dcc}}\n"
                                        "traffic: [{kind: flow, from: 2, to: 3}]\n")),
                         0, BitRate(100'000'000'000));
  std::uint64_t brought_up = 0;
  Process process("process", [&] {
    programmer.bring_up(from);
    brought_up = checker.transports;
    dcc_config to = from;
    to.parameters.r_ai *= 2;
    programmer.reconfigure(from, to);
    programmer.set_weight(46, 512);
  });
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_GT(brought_up, 100u);
  EXPECT_GT(checker.transports, brought_up + 2);
}

}  // namespace
}  // namespace dcc::vp
