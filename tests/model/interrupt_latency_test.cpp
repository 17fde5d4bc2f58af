// Tests the measurement of interrupt latencies: which request a trap or a claim ends, with both
// interrupt controllers.
#include "machine/interrupt_latency.h"

#include <cstdint>
#include <memory>
#include <string>

#include "driver/irq_regs.h"
#include "driver/memory_map_virt.h"
#include "machine/interrupt_controller.h"
#include "machine/plic.h"
#include "model_test.h"

namespace dcc::model::interrupt_latency_test {
namespace {

using riscv::Cause;

class InterruptLatencyTest : public ModelTest {
 protected:
  InterruptLatency& meter(MachineKind machine, unsigned harts = 1) {
    meter_ = std::make_unique<InterruptLatency>(machine, harts, [this] { return now_; });
    return *meter_;
  }
  void at(std::int64_t ns) { now_ = kNanoSecond * ns; }
  InterruptLatency::Source source(const std::string& name) const {
    for (const InterruptLatency::Source& one : meter_->sources()) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << "no source " << name;
    return {};
  }
  /// Checks the latencies of an interrupt source (number, minimum and maximum in ns) and its
  /// withdrawn and waiting requests.
  void expect(const std::string& name, std::uint64_t taken, std::uint64_t least,
              std::uint64_t greatest, std::uint64_t withdrawn = 0, std::uint64_t waiting = 0) {
    const InterruptLatency::Source found = source(name);
    EXPECT_EQ(found.ns.count(), taken) << name;
    EXPECT_EQ(found.ns.min(), least) << name;
    EXPECT_EQ(found.ns.max(), greatest) << name;
    EXPECT_EQ(found.withdrawn, withdrawn) << name;
    EXPECT_EQ(found.waiting, waiting) << name;
  }

  PicoSeconds now_{};
  std::unique_ptr<InterruptLatency> meter_;
};

TEST_F(InterruptLatencyTest, ATimerIsServedByTheNextTrapOfItsHart) {
  InterruptLatency& m = meter(MachineKind::kDcc, 2);
  at(100);
  m.line_changed(0, Cause::kMachineTimer, true);
  m.line_changed(1, Cause::kMachineTimer, true);
  m.taken(0, Cause::kMachineSoftware, kNanoSecond * 150);
  m.taken(1, Cause::kMachineTimer, kNanoSecond * 170);
  m.taken(0, Cause::kMachineTimer, kNanoSecond * 400);
  // no new request, since the line has stayed high
  m.taken(0, Cause::kMachineTimer, kNanoSecond * 900);
  expect("timer", 2, 70, 300);
  at(1000);
  m.line_changed(0, Cause::kMachineTimer, false);
  m.line_changed(0, Cause::kMachineTimer, true);
  m.line_changed(0, Cause::kMachineTimer, false);
  at(2000);
  m.line_changed(1, Cause::kMachineTimer, true);
  at(3000);
  m.line_changed(1, Cause::kMachineTimer, true);  // no new request, since the line was already high
  expect("timer", 2, 70, 300, 1, 1);
  m.taken(1, Cause::kMachineTimer, kNanoSecond * 3500);
  expect("timer", 3, 70, 1500, 1, 0);
  at(4000);
  m.line_changed(0, Cause::kMachineTimer, true);
  // the CPU may report a trap up to a cycle before its request
  m.taken(0, Cause::kMachineTimer, kNanoSecond * 3999);
  expect("timer", 4, 0, 1500, 1, 0);
  expect("software", 0, 0, 0);
  simulate([] {});
}

TEST_F(InterruptLatencyTest, OfSeveralSourcesEachEndsWithTheTrapThatServesIt) {
  InterruptLatency& m = meter(MachineKind::kDcc);
  InterruptController controller("controller", sc_core::SC_ZERO_TIME);
  Initiator bus("bus");
  bus.socket.bind(controller.socket);
  controller.set_request_observer(&m);
  std::uint32_t all = ~0u, source = 0;
  simulate([&] {
    at(100);
    // the source is not enabled yet, so no request begins
    controller.set_level(IRQ_SOURCE_UART, true);
    bus.access(tlm::TLM_WRITE_COMMAND, IRQ_ENABLE_OFFSET, all);
    at(200);
    controller.set_level(IRQ_SOURCE_NIC, true);
    m.taken(0, Cause::kMachineExternal, kNanoSecond * 250);
    at(260);
    // the request begins after the trap handler did
    controller.set_level(IRQ_SOURCE_CONTROLLER, true);
    at(300);
    for (int i = 0; i < 3; ++i) bus.access(tlm::TLM_READ_COMMAND, IRQ_CLAIM_OFFSET, source);
    expect("uart", 1, 150, 150);
    expect("nic", 1, 50, 50);
    expect("controller", 1, 40, 40);
    at(400);
    source = IRQ_SOURCE_UART;  // the UART's line is still high, so completion begins a new request
    bus.access(tlm::TLM_WRITE_COMMAND, IRQ_COMPLETE_OFFSET, source);
    expect("uart", 1, 150, 150, 0, 1);
    at(450);
    controller.set_level(IRQ_SOURCE_UART, false);
    expect("uart", 1, 150, 150, 1, 0);
    // the source is in service, so no request is withdrawn
    controller.set_level(IRQ_SOURCE_NIC, false);
    expect("nic", 1, 50, 50);
  });
}

TEST_F(InterruptLatencyTest, AClaimByTheOtherHartEndsARequest) {
  InterruptLatency& m = meter(MachineKind::kVirt, 2);
  Plic plic("plic", sc_core::SC_ZERO_TIME, 2);
  Initiator bus("bus");
  bus.socket.bind(plic.socket);
  plic.set_request_observer(&m);
  std::uint32_t value = 7;
  simulate([&] {
    const auto write = [&](std::uint32_t offset, std::uint32_t word) {
      bus.access(tlm::TLM_WRITE_COMMAND, offset, word);
    };
    write(VIRT_PLIC_PRIORITY + 4 * VIRT_IRQ_UART, 1);
    write(VIRT_PLIC_ENABLE + 0x80, 1u << VIRT_IRQ_UART);
    at(1000);
    plic.set_level(VIRT_IRQ_UART, true);
    plic.set_level(VIRT_IRQ_UART, false);  // the PLIC keeps the request pending
    m.taken(0, Cause::kMachineExternal, kNanoSecond * 1100);
    m.taken(1, Cause::kMachineExternal, kNanoSecond * 1500);
    at(1600);
    bus.access(tlm::TLM_READ_COMMAND, VIRT_PLIC_CLAIM + 0x1000, value);
    EXPECT_EQ(value, unsigned{VIRT_IRQ_UART});
    expect("uart", 1, 500, 500);
    // the source is in service, so the request begins at completion
    plic.set_level(VIRT_IRQ_UART, true);
    at(2000);
    write(VIRT_PLIC_CLAIM + 0x1000, VIRT_IRQ_UART);
    at(2300);
    // a claim by polling, without a trap
    bus.access(tlm::TLM_READ_COMMAND, VIRT_PLIC_CLAIM + 0x1000, value);
    expect("uart", 2, 300, 500);
  });
}

}  // namespace
}  // namespace dcc::model::interrupt_latency_test
