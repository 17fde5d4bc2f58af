// Tests the trace line of a bus access: initiator, time, register name, and the reason for a
// refusal.
#include "bus_trace.h"

#include "model_test.h"
#include "ram.h"
#include "word_target.h"

namespace dcc::model::bus_trace_test {
namespace {

/// A device whose register 0 is read-write, register 4 read-only, and register 8 write-only.
class Device final : public WordTarget {
 public:
  Device() : WordTarget("device", sc_core::sc_time(10, sc_core::SC_NS)) {}

 private:
  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override {
    value = 0x1234;
    if (offset > 8) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return offset == 8 ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  }
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t) override {
    return offset == 4 ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  }
  std::optional<std::uint32_t> peek(std::uint32_t) const override { return std::nullopt; }
};

struct Seen {
  std::string path, target, name, response;
  bool write;
  PicoSeconds begin, end;
};

class BusTraceTest : public ModelTest {
 protected:
  BusTraceTest() {
    bus_.attach(device_.socket, 0x1000, 0x100, "device");
    cpu_.socket.bind(bus_.in);
    dma_.socket.bind(bus_.in);
    trace_.add_namer([](std::uint64_t address) {
      return address == 0x1000 ? std::string("device.CTRL") : std::string();
    });
  }
  std::string response(tlm::tlm_command command, std::uint64_t address, unsigned bytes = 4) {
    std::uint32_t word = 0;
    cpu_.access(command, address, word, bytes);
    return seen_.back().response;
  }
  std::vector<Seen> seen_;
  Device device_;
  Bus bus_{"bus", sc_core::SC_ZERO_TIME};
  Initiator cpu_{"cpu"};
  Initiator dma_{"dma"};
  BusTrace trace_{
      bus_, {"host0.cpu"}, [this](const regs::AccessRecord& r) {
        seen_.push_back({r.path, r.target, r.name, r.response, r.write, r.begin, r.end});
      }};
};

TEST_F(BusTraceTest, WhoWhenAndWhat) {
  simulate([this] {
    sc_core::wait(1, sc_core::SC_US);
    std::uint32_t word = 0;
    cpu_.access(tlm::TLM_READ_COMMAND, 0x1000, word);
    dma_.access(tlm::TLM_WRITE_COMMAND, 0x1008, word);
    ASSERT_EQ(seen_.size(), 2u);
    EXPECT_EQ(seen_[0].path, "host0.cpu");
    EXPECT_EQ(seen_[0].target, "device");
    EXPECT_EQ(seen_[0].name, "device.CTRL");
    EXPECT_EQ(seen_[0].response, "ok");
    EXPECT_FALSE(seen_[0].write);
    EXPECT_EQ(seen_[0].begin, kMicroSecond);
    EXPECT_EQ(seen_[0].end, kMicroSecond + kNanoSecond * 10);
    EXPECT_EQ(seen_[1].path, "bus") << "an initiator without a name";
    EXPECT_EQ(seen_[1].name, "device + 0x8") << "no namer knows it";
    EXPECT_TRUE(seen_[1].write);
  });
}

TEST_F(BusTraceTest, WhyItWasRefused) {
  simulate([this] {
    EXPECT_EQ(response(tlm::TLM_READ_COMMAND, 0x5000), "unmapped");
    EXPECT_EQ(response(tlm::TLM_READ_COMMAND, 0x1002), "misaligned");
    EXPECT_EQ(response(tlm::TLM_READ_COMMAND, 0x1000, 2), "narrow");
    EXPECT_EQ(response(tlm::TLM_READ_COMMAND, 0x1010), "unmapped") << "no such register";
    EXPECT_EQ(response(tlm::TLM_READ_COMMAND, 0x1008), "write_only");
    EXPECT_EQ(response(tlm::TLM_WRITE_COMMAND, 0x1004), "read_only");
  });
}

}  // namespace
}  // namespace dcc::model::bus_trace_test
