// Tests parameter changes that a second driver makes beside the host's software: one change after
// the other, each register access in the bus's time. An error of the driver ends the run.
#include "disturb/reconfigurer.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <map>
#include <vector>

#include "driver/dcc_regs.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

/// A device of registers that only store values; each access takes 10 ns. With `identified` the
/// registers show a controller's identity.
struct Remembering final : sc_core::sc_module {
  Remembering(const sc_core::sc_module_name& name, bool controller)
      : sc_module(name), identified(controller) {
    words = {{DCC_ID_OFFSET, DCC_ID_RESET},
             {DCC_VERSION_OFFSET, DCC_VERSION_RESET},
             {DCC_CAPS_OFFSET, DCC_CAPS_RESET},
             {DCC_STATUS_OFFSET, DCC_STATUS_READY_MASK},
             {DCC_REGWEN_OFFSET, DCC_REGWEN_RESET}};
    socket.register_b_transport(this, &Remembering::answer);
  }
  void answer(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto& word = *reinterpret_cast<std::uint32_t*>(payload.get_data_ptr());
    const auto address = static_cast<std::uint32_t>(payload.get_address());
    if (payload.is_write()) {
      words[address] = word;
      if (address == DCC_R_AI_OFFSET) steps.push_back({word, sc_core::sc_time_stamp()});
    } else {
      word = identified ? words[address] : 0;
    }
    delay += sc_core::sc_time(10, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  struct Step {
    std::uint32_t r_ai;
    sc_core::sc_time when;
  };
  bool identified;
  std::map<std::uint32_t, std::uint32_t> words;
  std::vector<Step> steps;
  tlm_utils::simple_target_socket<Remembering> socket{"socket"};
};

struct Reconfigured {
  explicit Reconfigured(bool controller)
      : registers("registers", controller),
        reconfigurer(
            "reconfigurer", 0,
            [](sc_core::sc_event& event) { event.notify(sc_core::SC_ZERO_TIME); },
            [this] { ++failures; }) {
    reconfigurer.programmer.apb.bind(registers.socket);
  }
  static dcc_config program(std::uint32_t r_ai) {
    dcc_config config =
        controller_program(config_of(star("nic: {congestion_control: {algorithm: dcc}}\n"
                                          "traffic: [{kind: flow, from: 2, to: 3}]\n")),
                           0, BitRate(100'000'000'000));
    config.parameters.r_ai = r_ai;
    return config;
  }
  Remembering registers;
  int failures = 0;
  Reconfigurer reconfigurer;
};

TEST(Reconfigurer, OneChangeAfterTheOther) {
  Reconfigured r(true);
  r.reconfigurer.reconfigure(Reconfigured::program(10), Reconfigured::program(20));
  r.reconfigurer.reconfigure(Reconfigured::program(20), Reconfigured::program(30));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_EQ(r.reconfigurer.failure(), "");
  EXPECT_EQ(r.failures, 0);
  ASSERT_EQ(r.registers.steps.size(), 2u);
  EXPECT_EQ(r.registers.steps[0].r_ai, 20u);
  EXPECT_EQ(r.registers.steps[1].r_ai, 30u);
  EXPECT_LT(r.registers.steps[0].when, r.registers.steps[1].when);
  EXPECT_GT(r.registers.steps[0].when, sc_core::SC_ZERO_TIME) << "accesses take time";
}

TEST(Reconfigurer, ARefusalIsToldAndKept) {
  Reconfigured r(false);
  r.reconfigurer.reconfigure(Reconfigured::program(10), Reconfigured::program(20));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_EQ(r.reconfigurer.failure().rfind("controller change: ", 0), 0u)
      << r.reconfigurer.failure();
  EXPECT_EQ(r.failures, 1);
  EXPECT_TRUE(r.registers.steps.empty());
}

}  // namespace
}  // namespace dcc::vp
