// Tests the machine timer (CLINT): rise and fall of its interrupt line, 64-bit registers accessed
// in halves, refused accesses.
#include "machine/clint.h"

#include <string>
#include <utility>
#include <vector>

#include "driver/memory_map.h"
#include "model_test.h"

namespace dcc::model::clint_test {
namespace {

class ClintTest : public ModelTest {
 protected:
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint32_t offset,
                                  std::uint32_t& value, unsigned bytes = 4) {
    return bus_.access(command, offset, value, bytes);
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
  }
  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, value), tlm::TLM_OK_RESPONSE);
    return value;
  }
  static void wait_ns(double ns) { sc_core::wait(ns, sc_core::SC_NS); }

  Initiator bus_{"bus"};
  bool timer_ = false;
  bool software_ = false;
  int timer_changes_ = 0;
  Clint clint_{"clint",
               [this](bool high) {
                 timer_ = high;
                 ++timer_changes_;
               },
               [this](bool high) { software_ = high; }};
};

TEST_F(ClintTest, LineRisesExactlyAtTheComparedNanosecond) {
  bus_.socket.bind(clint_.socket);
  simulate([this] {
    wait_ns(100);
    write(DCC_CLINT_MTIMECMP, 250);
    EXPECT_FALSE(timer_) << "the upper half is still at its maximum";
    write(DCC_CLINT_MTIMECMP + 4, 0);
    wait_ns(149.5);
    EXPECT_FALSE(timer_);
    wait_ns(0.5);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(timer_);
    EXPECT_EQ(read(DCC_CLINT_MTIME), 250u);
    write(DCC_CLINT_MTIMECMP, 300);
    EXPECT_FALSE(timer_) << "a later alarm takes the line back at once";
    wait_ns(51);
    EXPECT_TRUE(timer_);
    EXPECT_EQ(timer_changes_, 3);
  });
}

TEST_F(ClintTest, AlarmInThePastIsImmediateAndWithdrawable) {
  bus_.socket.bind(clint_.socket);
  simulate([this] {
    wait_ns(1000);
    write(DCC_CLINT_MTIMECMP + 4, 0);
    EXPECT_FALSE(timer_) << "mtimecmp is still 2^32 - 1";
    write(DCC_CLINT_MTIMECMP, 0);
    EXPECT_TRUE(timer_);
    write(DCC_CLINT_MTIMECMP, 0xFFFFFFFF);
    EXPECT_FALSE(timer_);
  });
}

TEST_F(ClintTest, TimeCanBeMoved) {
  bus_.socket.bind(clint_.socket);
  simulate([this] {
    write(DCC_CLINT_MTIMECMP, 5000);
    write(DCC_CLINT_MTIMECMP + 4, 1);
    write(DCC_CLINT_MTIME + 4, 1);
    write(DCC_CLINT_MTIME, 4000);
    wait_ns(10);
    EXPECT_EQ(read(DCC_CLINT_MTIME), 4010u);
    EXPECT_EQ(read(DCC_CLINT_MTIME + 4), 1u);
    EXPECT_FALSE(timer_);
    wait_ns(991);
    EXPECT_TRUE(timer_);
  });
}

TEST_F(ClintTest, SoftwareInterruptFollowsBitZero) {
  bus_.socket.bind(clint_.socket);
  simulate([this] {
    write(DCC_CLINT_MSIP, 0xFFFFFFFF);
    EXPECT_TRUE(software_);
    EXPECT_EQ(read(DCC_CLINT_MSIP), 1u);
    write(DCC_CLINT_MSIP, 0xFFFFFFFE);
    EXPECT_FALSE(software_);
  });
}

TEST_F(ClintTest, RefusesWhatIsNotARegister) {
  bus_.socket.bind(clint_.socket);
  simulate([this] {
    std::uint32_t value = 0;
    for (const std::uint32_t offset : {0x4u, 0x4008u, 0xBFF4u, 0xC000u}) {
      EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, offset, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, DCC_CLINT_MTIME, value, 2),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, DCC_CLINT_MTIME + 1, value),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_F(ClintTest, TicksOfMachineVirtAreTenMegahertz) {
  bool timer = false;
  Clint clint(
      "virt", [&timer](bool high) { timer = high; }, [](bool) {}, MachineKind::kVirt);
  Initiator idle("idle");
  bus_.socket.bind(clint.socket);
  idle.socket.bind(clint_.socket);
  simulate([this, &timer] {
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(timer) << "mtimecmp is zero after reset";
    EXPECT_EQ(read(DCC_CLINT_MTIMECMP), 0u);
    wait_ns(250);
    EXPECT_EQ(read(DCC_CLINT_MTIME), 2u);
    write(DCC_CLINT_MTIMECMP, 5);
    EXPECT_FALSE(timer);
    wait_ns(249.5);
    EXPECT_FALSE(timer);
    wait_ns(0.5);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(timer);
    EXPECT_EQ(read(DCC_CLINT_MTIME), 5u);
    EXPECT_EQ(read(DCC_CLINT_MSIP + 4), 0u) << "another hart's";
    std::uint32_t value = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 0xC000, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_F(ClintTest, EachHartHasItsLines) {
  std::vector<std::string> seen;
  std::vector<Clint::Lines> lines;
  for (const char* const hart : {"0", "1", "2"}) {
    const auto line = [&seen, hart](const char* name) {
      return [&seen, name, hart](bool high) {
        seen.push_back(name + std::string(hart) + (high ? "+" : "-"));
      };
    };
    lines.push_back({line("timer"), line("software")});
  }
  Clint clint("several", std::move(lines), MachineKind::kDcc);
  Initiator idle("idle");
  bus_.socket.bind(clint.socket);
  idle.socket.bind(clint_.socket);
  simulate([&] {
    write(DCC_CLINT_MSIP + 8, 1);
    write(DCC_CLINT_MTIMECMP + 16 + 4, 0);
    write(DCC_CLINT_MTIMECMP + 16, 300);
    write(DCC_CLINT_MTIMECMP + 8 + 4, 0);
    write(DCC_CLINT_MTIMECMP + 8, 200);
    EXPECT_EQ(read(DCC_CLINT_MTIMECMP + 16), 300u);
    EXPECT_EQ(read(DCC_CLINT_MTIMECMP), 0xFFFFFFFFu);
    EXPECT_EQ(seen, (std::vector<std::string>{"software2+"}));
    wait_ns(200);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(seen, (std::vector<std::string>{"software2+", "timer1+"}));
    wait_ns(100);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    write(DCC_CLINT_MTIMECMP + 8, 5000);
    EXPECT_EQ(seen, (std::vector<std::string>{"software2+", "timer1+", "timer2+", "timer1-"}));
    std::uint32_t value = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, DCC_CLINT_MSIP + 12, value),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, DCC_CLINT_MTIMECMP + 24, value),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

}  // namespace
}  // namespace dcc::model::clint_test
