// A SystemC platform with the congestion controller: the driver programs it over APB, two
// notifications for a congested flow follow, and the platform prints each rate of the flow.
#include <controller_module.h>
#include <driver/dcc_driver.h>
#include <driver/dcc_tables.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <cstdlib>
#include <systemc>

using namespace sc_core;

struct Software : sc_module {
  tlm_utils::simple_initiator_socket<Software> bus{"bus"};
  dcc::model::ControllerModule& controller;

  SC_HAS_PROCESS(Software);
  Software(sc_module_name name, dcc::model::ControllerModule& hardware)
      : sc_module(name), controller(hardware) {
    SC_THREAD(run);
  }

  uint32_t access(tlm::tlm_command command, uint64_t address, uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_time delay;
    bus->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok())
      SC_REPORT_FATAL("software", payload.get_response_string().c_str());
    return value;
  }

  // The functions through which the driver reaches the hardware.
  hal machine() {
    hal hal{};
    hal.context = this;
    hal.read32 = [](void* self, uint64_t address) {
      return static_cast<Software*>(self)->access(tlm::TLM_READ_COMMAND, address, 0);
    };
    hal.write32 = [](void* self, uint64_t address, uint32_t value) {
      static_cast<Software*>(self)->access(tlm::TLM_WRITE_COMMAND, address, value);
    };
    hal.barrier = [](void*) {};
    hal.time_ns = [](void*) { return static_cast<uint64_t>(sc_time_stamp().to_seconds() * 1e9); };
    return hal;
  }

  void run() {
    const hal hal = machine();
    dcc_controller hardware{};
    dcc_config config{};
    config.timer_restart = 1;
    config.byte_counter = 1;
    config.parameters = DCC_PARAMETERS_RESET;  // parameters for a 100 Gb/s port
    dcc_classes_equal(config.classes);
    dcc_error error = dcc_probe(&hardware, &hal, 0);
    if (error == DCC_OK) error = dcc_configure(&hardware, &config);
    if (error != DCC_OK) SC_REPORT_FATAL("software", dcc_error_text(error));
    dcc_enable(&hardware);
    std::printf("%9.3f us  %u slots, enabled\n", sc_time_stamp().to_seconds() * 1e6,
                hardware.slots);

    wait(100, SC_US);
    controller.cnp(42, 0);
    wait(60, SC_US);
    controller.cnp(42, 0);
  }
};

int sc_main(int, char**) {
  unsigned answers = 0;
  dcc::model::ControllerModule controller("controller", {}, [&](uint32_t flow, dcc::Rate rate) {
    ++answers;
    std::printf("%9.3f us  flow %u: %.1f Mb/s\n", sc_time_stamp().to_seconds() * 1e6, flow,
                rate.raw / 256.0);
  });
  Software software("software", controller);
  software.bus.bind(controller.apb);
  sc_start(500, SC_US);
  return answers >= 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
