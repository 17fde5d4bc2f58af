// Benchmark of register accesses per second: by a direct call of the controller and through TLM.
#include <benchmark/benchmark.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>

#include "controller.h"
#include "controller/controller_model.h"
#include "driver/dcc_regs.h"
#include "sim/scheduler.h"

namespace dcc::model {
namespace {

struct NoSink final : RateSink {
  void rate_calculated(std::uint32_t, Rate) override {}
};

struct Initiator final : sc_core::sc_module {
  explicit Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
};

/// The controller that all benchmarks of this process share, because SystemC elaborates once per
/// process.
struct Platform {
  Platform() {
    initiator.socket.bind(controller.apb);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  Scheduler scheduler;
  NoSink sink;
  ControllerModel device{scheduler, ControllerConfig{}, 1, sink};
  ApbController controller{"controller", device, [] {}};
  Initiator initiator{"initiator"};
};
Platform& platform() {
  static Platform the_platform;
  return the_platform;
}

void direct_read(benchmark::State& state, std::uint32_t address) {
  ApbController& controller = platform().controller;
  std::uint32_t value = 0;
  for (auto _ : state) {
    if (controller.read32(address, value) != regs::AccessResult::kOk)
      state.SkipWithError("refused");
    benchmark::DoNotOptimize(value);
  }
  state.SetItemsProcessed(state.iterations());
}

void direct_write(benchmark::State& state, std::uint32_t address) {
  ApbController& controller = platform().controller;
  std::uint32_t value = 0;
  for (auto _ : state) {
    if (controller.write32(address, value++ & 7) != regs::AccessResult::kOk) {
      state.SkipWithError("refused");
    }
  }
  state.SetItemsProcessed(state.iterations());
}

void tlm_read(benchmark::State& state) {
  Platform& p = platform();
  tlm::tlm_generic_payload payload;
  std::uint32_t value = 0;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(DCC_CTRL_OFFSET);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  payload.set_streaming_width(4);
  payload.set_byte_enable_ptr(nullptr);
  for (auto _ : state) {
    sc_core::sc_time delay;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    p.initiator.socket->b_transport(payload, delay);
    benchmark::DoNotOptimize(value);
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(direct_read, register, DCC_CTRL_OFFSET);
BENCHMARK_CAPTURE(direct_read, live_register, DCC_FREE_SLOTS_OFFSET);
BENCHMARK_CAPTURE(direct_read, counter, DCC_STAT_CNPS_RECEIVED_LO_OFFSET);
BENCHMARK_CAPTURE(direct_read, slot, DCC_SLOTS_OFFSET + 32 * 77 + 4);
BENCHMARK_CAPTURE(direct_write, parameter, DCC_MARK_SHIFT_OFFSET);
BENCHMARK_CAPTURE(direct_write, table, DCC_DECREASE_OFFSET);
BENCHMARK(tlm_read);

}  // namespace
}  // namespace dcc::model

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
