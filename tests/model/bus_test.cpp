// Tests the bus: decoding, forwarding, DMI translation, and the error message for an address
// without a target.
#include "bus.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "model_test.h"
#include "ram.h"

namespace dcc::model::bus_test {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;

/// A target that remembers the address of the last access and fills reads with its own byte value.
struct Peripheral final : sc_core::sc_module {
  tlm_utils::simple_target_socket<Peripheral> socket{"socket"};
  explicit Peripheral(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    socket.register_b_transport(this, &Peripheral::b_transport);
    socket.register_transport_dbg(this, &Peripheral::transport_dbg);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    seen.push_back(payload.get_address());
    delay += sc_time(3, SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    seen.push_back(payload.get_address());
    return payload.get_data_length();
  }
  std::vector<std::uint64_t> seen;
};

class BusTest : public ModelTest {
 protected:
  BusTest() {
    bus.attach(ram.socket, 0x8000'0000, 0x1000, "ram");
    bus.attach(device.socket, 0x4000'0000, 0x100, "device");
    bus.attach(high.socket, 0xFFFF'FFFF'FFFF'FF00, 0x100, "high");
    cpu.socket.bind(bus.in);
    dma.socket.bind(bus.in);
    cpu.socket.register_invalidate_direct_mem_ptr(this, &BusTest::invalidated_cpu);
    dma.socket.register_invalidate_direct_mem_ptr(this, &BusTest::invalidated_dma);
  }
  void invalidated_cpu(sc_dt::uint64 start, sc_dt::uint64 end) { cpu_lost.push_back({start, end}); }
  void invalidated_dma(sc_dt::uint64 start, sc_dt::uint64 end) { dma_lost.push_back({start, end}); }

  struct Socket final : sc_core::sc_module {
    explicit Socket(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
    tlm_utils::simple_initiator_socket<BusTest> socket{"socket"};
  };

  tlm::tlm_response_status transport(Socket& from, tlm::tlm_command command, std::uint64_t address,
                                     void* data, unsigned length) {
    prepare(command, address, data, length);
    from.socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_address(), address) << "the initiator's address is put back";
    return payload.get_response_status();
  }
  void prepare(tlm::tlm_command command, std::uint64_t address, void* data, unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

  Bus bus{"bus", sc_time(10, SC_NS)};
  Ram ram{"ram", 0x2000, sc_time(5, SC_NS)};  // bytes of the RAM: twice the mapped size
  Peripheral device{"device"};
  Peripheral high{"high"};
  Socket cpu{"cpu"};
  Socket dma{"dma"};
  tlm::tlm_generic_payload payload;
  sc_time delay;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cpu_lost, dma_lost;
};

TEST_F(BusTest, TargetsSeeAddressesFromTheirOwnStart) {
  simulate([&] {
    std::uint32_t word = 0;
    EXPECT_EQ(transport(cpu, tlm::TLM_READ_COMMAND, 0x4000'0010, &word, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(transport(cpu, tlm::TLM_READ_COMMAND, 0x4000'00FC, &word, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(transport(dma, tlm::TLM_READ_COMMAND, ~std::uint64_t{3}, &word, 4),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(device.seen, (std::vector<std::uint64_t>{0x10, 0xFC}));
    EXPECT_EQ(high.seen, (std::vector<std::uint64_t>{0xFC}));
    EXPECT_EQ(delay, sc_time(3 * 13, SC_NS)) << "the bus's cost and the target's";
    word = 0xCAFE;
    EXPECT_EQ(transport(dma, tlm::TLM_WRITE_COMMAND, 0x8000'0008, &word, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(ram.data()[8], 0xFE);
    EXPECT_EQ(bus.accesses(), 4u);
  });
}

TEST_F(BusTest, WhatIsNotMappedIsAnAddressErrorAndGoesNowhere) {
  simulate([&] {
    std::uint32_t word = 0;
    for (const std::uint64_t address :
         {0x0ull, 0x3FFF'FFFCull, 0x4000'0100ull, 0x7FFF'FFFFull, 0x8000'1000ull,
          0x4000'00FDull,  // an access whose last byte is beyond the device's end
          0x3FFF'FFFEull,  // an access that begins before the device
          0x8000'0FFEull}) {
      EXPECT_EQ(transport(cpu, tlm::TLM_READ_COMMAND, address, &word, 4),
                tlm::TLM_ADDRESS_ERROR_RESPONSE)
          << std::hex << address;
    }
    EXPECT_TRUE(device.seen.empty());
  });
}

TEST_F(BusTest, DescribesEveryAddress) {
  simulate([&] {
    EXPECT_EQ(bus.describe(0x8000'0010), "ram + 0x10");
    EXPECT_EQ(bus.describe(0x4000'0000), "device + 0x0");
    EXPECT_EQ(bus.describe(0x10), "nothing is mapped there; device begins at 0x40000000");
    EXPECT_EQ(bus.describe(0x5000'0000),
              "nothing is mapped there; device ends at 0x400000ff, ram begins at 0x80000000");
  });
}

TEST_F(BusTest, DebugAccessIsTranslatedAndCutAtTheEnd) {
  simulate([&] {
    std::uint8_t bytes[64] = {};
    ram.data()[0xFF0] = 0x5A;
    prepare(tlm::TLM_READ_COMMAND, 0x8000'0FF0, bytes, 64);
    EXPECT_EQ(cpu.socket->transport_dbg(payload), 16u) << "what the bus maps, not what the RAM has";
    EXPECT_EQ(bytes[0], 0x5A);
    EXPECT_EQ(payload.get_data_length(), 64u);
    prepare(tlm::TLM_READ_COMMAND, 0x1000, bytes, 4);
    EXPECT_EQ(cpu.socket->transport_dbg(payload), 0u);
    EXPECT_EQ(bus.accesses(), 0u) << "debug access leaves no trace";
  });
}

TEST_F(BusTest, DirectAccessIsTranslatedCutAndWithdrawnFromAll) {
  simulate([&] {
    tlm::tlm_dmi dmi;
    prepare(tlm::TLM_READ_COMMAND, 0x8000'0123, nullptr, 0);
    ASSERT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0x8000'0000u);
    EXPECT_EQ(dmi.get_end_address(), 0x8000'0FFFu);
    EXPECT_EQ(dmi.get_dmi_ptr(), ram.data());
    EXPECT_EQ(dmi.get_read_latency(), sc_time(15, SC_NS));
    EXPECT_EQ(payload.get_address(), 0x8000'0123u);

    prepare(tlm::TLM_READ_COMMAND, 0x4000'0000, nullptr, 0);
    EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
    prepare(tlm::TLM_READ_COMMAND, 0x100, nullptr, 0);
    EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));

    ram.allow_dmi(false);
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> whole = {{0x8000'0000, 0x8000'0FFF}};
    EXPECT_EQ(cpu_lost, whole);
    EXPECT_EQ(dma_lost, whole);
  });
}

TEST_F(BusTest, RangesThatCannotBeAreRefused) {
  EXPECT_THROW(bus.attach(device.socket, 0x8000'0FFF, 0x10, "late"), std::invalid_argument);
  EXPECT_THROW(bus.attach(device.socket, 0x7FFF'FFF0, 0x11, "early"), std::invalid_argument);
  EXPECT_THROW(bus.attach(device.socket, 0x3000'0000, 0x6000'0000, "around"),
               std::invalid_argument);
  EXPECT_THROW(bus.attach(device.socket, 0x8000'0010, 0x10, "within"), std::invalid_argument);
  EXPECT_THROW(bus.attach(device.socket, 0x100, 0, "empty"), std::invalid_argument);
  EXPECT_THROW(bus.attach(device.socket, ~std::uint64_t{0}, 2, "wrapped"), std::invalid_argument);
  try {
    bus.attach(device.socket, 0x8000'0800, 4, "intruder");
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "bus ranges overlap: intruder at 0x80000800 and ram at 0x80000000");
  }
  EXPECT_EQ(bus.ranges().size(), 3u);
  simulate([] {});
}

TEST_F(BusTest, ObserversSeeEveryAccessWithItsInitiator) {
  std::vector<std::pair<int, std::uint64_t>> seen;
  bus.add_observer([&](const Bus::Access& access) {
    seen.emplace_back(access.initiator, access.payload.get_address());
    EXPECT_EQ(access.range == nullptr, access.payload.get_address() == 0);
    EXPECT_GE(access.end, access.begin);
  });
  simulate([&] {
    std::uint32_t word = 0;
    transport(dma, tlm::TLM_READ_COMMAND, 0x8000'0000, &word, 4);
    transport(cpu, tlm::TLM_READ_COMMAND, 0x0, &word, 4);
    const std::vector<std::pair<int, std::uint64_t>> expected = {{1, 0x8000'0000}, {0, 0x0}};
    EXPECT_EQ(seen, expected);
  });
}

/// An initiator that uses the non-blocking interface: it begins transactions and ends their
/// responses.
struct NonBlocking final : sc_core::sc_module {
  explicit NonBlocking(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    socket.register_nb_transport_bw(this, &NonBlocking::nb_transport_bw);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_time& delay) {
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    answered.push_back(&payload);
    at.push_back(sc_core::sc_time_stamp() + delay);
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    return socket->nb_transport_fw(payload, phase, delay);
  }
  tlm_utils::simple_initiator_socket<NonBlocking> socket{"socket"};
  std::vector<tlm::tlm_generic_payload*> answered;
  std::vector<sc_time> at;
};

struct NonBlockingBusTest : ModelTest {
  NonBlockingBusTest() {
    bus.attach(ram.socket, 0x8000'0000, 0x1000, "ram");
    bus.attach(rom.socket, 0x2000'0000, 0x1000, "rom");
    one.socket.bind(bus.in);
    two.socket.bind(bus.in);
  }
  static void prepare(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                      std::uint64_t address, std::uint32_t& data) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  Bus bus{"bus", sc_time(10, SC_NS)};
  Ram ram{"ram", 0x1000, sc_time(5, SC_NS)}, rom{"rom", 0x1000, sc_time(50, SC_NS), true};
  NonBlocking one{"one"}, two{"two"};
};

TEST_F(NonBlockingBusTest, ResponsesComeBackToTheirInitiatorsWithTheirAddresses) {
  std::vector<Bus::Range> ranges;
  sc_time end;
  bus.add_observer([&](const Bus::Access& access) {
    ranges.push_back(*access.range);
    end = access.end;
    EXPECT_EQ(access.begin, sc_core::SC_ZERO_TIME);
  });
  simulate([&] {
    tlm::tlm_generic_payload slow, quick;
    std::uint32_t read = 1, written = 0x12345678;
    prepare(slow, tlm::TLM_READ_COMMAND, 0x2000'0004, read);
    prepare(quick, tlm::TLM_WRITE_COMMAND, 0x8000'0010, written);
    EXPECT_NE(one.begin(slow), tlm::TLM_COMPLETED);
    EXPECT_NE(two.begin(quick), tlm::TLM_COMPLETED);
    sc_core::wait(sc_time(1, sc_core::SC_US));
    ASSERT_EQ(one.answered.size(), 1u);
    ASSERT_EQ(two.answered.size(), 1u);
    EXPECT_EQ(one.answered[0], &slow);
    EXPECT_EQ(one.at[0], sc_time(60, SC_NS));
    EXPECT_EQ(two.at[0], sc_time(15, SC_NS));
    for (const auto* payload : {&slow, &quick}) EXPECT_TRUE(payload->is_response_ok());
    EXPECT_EQ(slow.get_address(), 0x2000'0004u);
    EXPECT_EQ(quick.get_address(), 0x8000'0010u);
    EXPECT_EQ(read, 0u);
    EXPECT_EQ(std::memcmp(ram.data() + 0x10, &written, 4), 0);
    ASSERT_EQ(ranges.size(), 2u);
    EXPECT_EQ(ranges[0].name, "ram");
    EXPECT_EQ(ranges[1].name, "rom");
    EXPECT_EQ(end, sc_time(60, SC_NS));
    EXPECT_EQ(bus.accesses(), 2u);
  });
}

TEST_F(NonBlockingBusTest, AnAddressWithoutATargetIsAnsweredAtOnce) {
  simulate([&] {
    tlm::tlm_generic_payload payload;
    std::uint32_t word = 0;
    prepare(payload, tlm::TLM_WRITE_COMMAND, 0x7000'0000, word);
    EXPECT_EQ(one.begin(payload), tlm::TLM_COMPLETED);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(payload.get_address(), 0x7000'0000u);
    sc_core::wait(sc_time(1, sc_core::SC_US));
    EXPECT_TRUE(one.answered.empty());
  });
}

}  // namespace
}  // namespace dcc::model::bus_test
