// Tests every TLM socket of the models with a checker of TLM-2.0's base protocol: the responses of
// targets to any generic payload, and the payloads of initiators.
#include "base_protocol.h"

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apb.h"
#include "bus.h"
#include "controller_module.h"
#include "cpu/riscv_cpu.h"
#include "dma_engine.h"
#include "driver/irq_regs.h"
#include "driver/memory_map.h"
#include "host_stub.h"
#include "machine/clint.h"
#include "machine/interrupt_controller.h"
#include "machine/plic.h"
#include "machine/sim_control.h"
#include "machine/test_finisher.h"
#include "machine/uart.h"
#include "machine/uart16550.h"
#include "model_test.h"
#include "ram.h"
#include "registers/generated/dcc_map.h"

namespace dcc::model::base_protocol_test {
namespace {

const sc_core::sc_time kLatency(10, sc_core::SC_NS);

struct Device final : regs::RegisterDevice {
  std::uint32_t read_register(std::uint16_t) const override { return 0; }
  void access(regs::RegisterAccess& access) override {
    if (!access.write) access.answer();
  }
  std::uint64_t read_counter(std::uint16_t) const override { return 0; }
  std::uint32_t read_window(std::uint16_t, std::uint32_t) const override { return 0; }
};

class BaseProtocolTest : public ModelTest {
 protected:
  enum class Streams { kNo, kYes };

  /// Sends payloads of all kinds to a target through a checker. A target without streaming must
  /// refuse a streaming width below the data length. A target without byte enables must refuse byte
  /// enables.
  void check_target(Initiator& initiator, BaseProtocolChecker& checker, Streams streams,
                    bool enables) {
    std::array<unsigned char, 16> data{};
    std::array<unsigned char, 4> lanes{0xFF, 0, 0xFF, 0};
    const auto send = [&](tlm::tlm_command command, std::uint64_t address, unsigned length,
                          unsigned width, unsigned enable_length = 0) {
      data.fill(0);  // writing 0 has no effect outside the device for any register
      tlm::tlm_generic_payload payload;
      payload.set_command(command);
      payload.set_address(address);
      payload.set_data_ptr(data.data());
      payload.set_data_length(length);
      payload.set_streaming_width(width);
      payload.set_byte_enable_ptr(enable_length == 0 ? nullptr : lanes.data());
      payload.set_byte_enable_length(enable_length);
      sc_core::sc_time delay(3, sc_core::SC_NS);
      initiator.socket->b_transport(payload, delay);
      return payload.get_response_status();
    };
    for (const tlm::tlm_command command :
         {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND, tlm::TLM_IGNORE_COMMAND}) {
      for (const std::uint64_t address :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{0xFFC},
            std::uint64_t{0xFFFFFFFC}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        for (const unsigned length : {1u, 2u, 3u, 4u, 8u, 16u}) {
          send(command, address, length, length);
          send(command, address, length, length + 4);
          if (length == 1) continue;
          const auto status = send(command, address, length, length / 2);
          if (streams == Streams::kNo && command != tlm::TLM_IGNORE_COMMAND) {
            EXPECT_LT(status, 0) << checker.name() << " streams " << length << " at " << address;
          }
        }
      }
      const auto status = send(command, 0, 4, 4, 4);
      if (!enables && command != tlm::TLM_IGNORE_COMMAND) {
        EXPECT_EQ(status, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE) << checker.name();
      }
    }
    for (const std::uint64_t address : {0u, 3u, 0xFFFu}) {
      tlm::tlm_generic_payload payload;
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_address(address);
      payload.set_data_ptr(data.data());
      payload.set_data_length(16);
      payload.set_streaming_width(16);
      initiator.socket->transport_dbg(payload);
      tlm::tlm_dmi dmi;
      initiator.socket->get_direct_mem_ptr(payload, dmi);
    }
    EXPECT_GT(checker.transports, 200u) << checker.name();
  }
};

TEST_F(BaseProtocolTest, Targets) {
  struct Case {
    std::string name;
    Streams streams;
    bool enables;
    std::unique_ptr<Initiator> initiator;
    std::unique_ptr<BaseProtocolChecker> checker;
  };
  std::vector<Case> cases;
  const auto add = [&](const char* name, auto& socket, Streams streams = Streams::kNo,
                       bool enables = false) {
    Case one{name, streams, enables,
             std::make_unique<Initiator>((std::string(name) + "_initiator").c_str()),
             std::make_unique<BaseProtocolChecker>((std::string(name) + "_checker").c_str())};
    one.initiator->socket.bind(one.checker->in);
    one.checker->out.bind(socket);
    cases.push_back(std::move(one));
  };
  Ram ram("ram", 0x1000, kLatency), rom("rom", 0x1000, kLatency, true);
  add("ram", ram.socket, Streams::kYes, true);
  add("rom", rom.socket, Streams::kYes, true);
  const auto nothing = [](bool) {};
  Clint clint("clint", nothing, nothing),
      virt_clint("virt_clint", nothing, nothing, MachineKind::kVirt);
  add("clint", clint.socket);
  add("virt_clint", virt_clint.socket);
  Plic plic("plic", kLatency, 2);
  add("plic", plic.socket);
  Uart uart("uart", [](char) {});
  add("uart", uart.socket);
  Uart16550 uart16550(
      "uart16550", [](char) {}, 3'686'400);
  add("uart16550", uart16550.socket);
  SimControl control(
      "control", [](std::uint32_t) {}, [](char) {});
  add("control", control.socket);
  TestFinisher finisher("finisher", [](std::uint32_t) {});
  add("finisher", finisher.socket);
  InterruptController interrupts("interrupts", kLatency);
  add("interrupts", interrupts.socket);
  Device device;
  regs::RegisterBlock block(regs::dcc_map::kMap, device);
  ApbTarget apb("apb", block, kLatency);
  add("apb", apb.apb, Streams::kNo, true);
  ControllerModule controller("controller", {}, [](std::uint32_t, Rate) {});
  add("controller", controller.apb, Streams::kNo, true);
  Ram behind("behind", 0x1000, kLatency);
  Bus bus("bus", kLatency);
  bus.attach(behind.socket, 0, 0x1000, "behind");
  add("bus", bus.in, Streams::kYes, true);
  simulate([&] {
    for (Case& one : cases) check_target(*one.initiator, *one.checker, one.streams, one.enables);
    ram.allow_dmi(false);
    check_target(*cases[0].initiator, *cases[0].checker, Streams::kYes, true);
  });
}

/// A bus with RAM and an interrupt controller, each behind a checker, and a checker between the
/// initiator under test and the bus.
class InitiatorProtocolTest : public ModelTest {
 protected:
  InitiatorProtocolTest() {
    from_initiator.out.bind(bus.in);
    bus.attach(to_ram.in, DCC_RAM_BASE, 0x4000, "ram");
    bus.attach(to_device.in, DCC_INTERRUPT_CONTROLLER_BASE, DCC_INTERRUPT_CONTROLLER_BYTES, "irq");
    to_ram.out.bind(ram.socket);
    to_device.out.bind(device.socket);
  }

  BaseProtocolChecker from_initiator{"from_initiator"}, to_ram{"to_ram"}, to_device{"to_device"};
  Bus bus{"bus", kLatency};
  Ram ram{"ram", 0x4000, kLatency};
  InterruptController device{"device", kLatency};
};

TEST_F(InitiatorProtocolTest, DmaEngine) {
  DmaEngine dma("dma");
  dma.socket.bind(from_initiator.in);
  simulate([&] {
    std::vector<std::uint8_t> bytes(64, 7);
    for (const bool direct : {true, false}) {
      dma.allow_dmi(direct);
      ram.allow_dmi(direct);
      EXPECT_TRUE(dma.write(DCC_RAM_BASE + 1, bytes.data(), 63));
      EXPECT_TRUE(dma.read(DCC_RAM_BASE + 0x100, bytes.data(), 64));
      EXPECT_FALSE(dma.read(DCC_RAM_BASE - 4, bytes.data(), 4));
    }
    EXPECT_GE(from_initiator.transports, 3u);
    EXPECT_GE(to_ram.transports, 2u);
  });
}

TEST_F(InitiatorProtocolTest, HostStub) {
  HostStub stub("stub", [](const hal& h) {
    auto* const word = static_cast<std::uint32_t*>(hal_memory(&h, DCC_RAM_BASE, 4));
    *word = 5;
    hal_write32(&h, DCC_RAM_BASE + 8, 6);
    hal_write32(&h, DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET, 0);
    return static_cast<int>(*word + hal_read32(&h, DCC_RAM_BASE + 8));
  });
  stub.socket.bind(from_initiator.in);
  simulate([&] {
    sc_core::wait(sc_core::sc_time(10, sc_core::SC_US));
    EXPECT_EQ(stub.exit_code(), 11) << stub.failure();
    EXPECT_GE(from_initiator.transports, 2u);
    EXPECT_GE(to_device.transports, 1u);
  });
}

TEST_F(InitiatorProtocolTest, RiscvCpu) {
  RiscvCpuConfig config;
  config.ram_base = DCC_RAM_BASE;
  config.ram_bytes = 0x4000;
  RiscvCpu cpu("cpu", config);
  cpu.socket.bind(from_initiator.in);
  cpu.set_program(DCC_RAM_BASE, nullptr);
  const std::array<std::uint32_t, 8> program{
      0x80002E37,  // instruction lui t3, 0x80002
      // instruction lui t0 with the interrupt controller's address
      DCC_INTERRUPT_CONTROLLER_BASE | 0x2B7,
      0x0042A303,  // instruction lw t1, 4(t0)
      0x0062A223,  // instruction sw t1, 4(t0)
      0x006E2023,  // instruction sw t1, 0(t3)
      0x006E00A3,  // instruction sb t1, 1(t3)
      0x006E232F,  // instruction amoadd.w t1, t1, (t3)
      0x0000006F   // instruction j to itself
  };
  std::memcpy(ram.data(), program.data(), sizeof program);
  ram.allow_dmi(false);  // RAM accesses by transport as well as by DMI
  simulate([&] {
    sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));
    EXPECT_GE(to_device.transports, 2u);
    EXPECT_GE(to_ram.transports, 4u);
    EXPECT_GT(cpu.instructions(), 7u) << cpu.failure();
  });
}

}  // namespace
}  // namespace dcc::model::base_protocol_test
