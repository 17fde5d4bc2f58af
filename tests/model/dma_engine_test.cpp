// Tests the NIC's DMA over the bus: by direct memory access if the target allows it, otherwise by
// transport.
#include "dma_engine.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <vector>

#include "model_test.h"

namespace dcc::model::dma_engine_test {
namespace {

/// A memory that allows direct access to a part of its bytes. It counts accesses of both kinds.
class Target final : public sc_core::sc_module {
 public:
  explicit Target(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Target::transport);
    socket.register_get_direct_mem_ptr(this, &Target::direct);
  }

  tlm_utils::simple_target_socket<Target> socket;
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(0x1000);
  std::uint64_t direct_bytes = 0;  // number of bytes for direct access, from address 0
  bool read_only = false;
  int transports = 0;
  int asked = 0;

 private:
  void transport(tlm::tlm_generic_payload& request, sc_core::sc_time&) {
    ++transports;
    const std::uint64_t address = request.get_address();
    if (address + request.get_data_length() > bytes.size()) {
      request.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (request.is_read()) {
      std::memcpy(request.get_data_ptr(), bytes.data() + address, request.get_data_length());
    } else {
      std::memcpy(bytes.data() + address, request.get_data_ptr(), request.get_data_length());
    }
    request.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    ++asked;
    if (direct_bytes == 0) return false;
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_start_address(0);
    dmi.set_end_address(direct_bytes - 1);
    if (read_only) {
      dmi.allow_read();
    } else {
      dmi.allow_read_write();
    }
    return true;
  }
};

class DmaEngineTest : public ModelTest {
 protected:
  DmaEngineTest() { dma.socket.bind(target.socket); }

  /// Writes `n` bytes by DMA and reads them back. True if both succeed and the bytes agree.
  bool goes(std::uint64_t address, std::size_t n) {
    std::vector<std::uint8_t> out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(address + 7 * i + 1);
    std::vector<std::uint8_t> in(n);
    return dma.write(address, out.data(), n) && dma.read(address, in.data(), n) && in == out &&
           std::memcmp(target.bytes.data() + address, out.data(), n) == 0;
  }

  Target target{"target"};
  DmaEngine dma{"dma"};
};

TEST_F(DmaEngineTest, WhatMayBeReachedDirectlyIs) {
  simulate([&] {
    target.direct_bytes = 0x1000;
    EXPECT_TRUE(goes(0, 1));
    EXPECT_TRUE(goes(0xF00, 0x100));
    EXPECT_EQ(target.transports, 0);
    EXPECT_EQ(target.asked, 1);
  });
}

TEST_F(DmaEngineTest, TheRestGoesOverTheBus) {
  simulate([&] {
    target.direct_bytes = 0x800;
    EXPECT_TRUE(goes(0x7FF, 1));
    EXPECT_EQ(target.transports, 0);
    EXPECT_TRUE(goes(0x7FF, 2));  // the second byte is outside the memory
    EXPECT_TRUE(goes(0x800, 1));
    EXPECT_EQ(target.transports, 4);
  });
}

TEST_F(DmaEngineTest, MemoryThatMayOnlyBeReadIsNotWrittenDirectly) {
  simulate([&] {
    target.direct_bytes = 0x1000;
    target.read_only = true;
    EXPECT_TRUE(goes(0x10, 4));
    EXPECT_EQ(target.transports, 2);
  });
}

TEST_F(DmaEngineTest, NothingOutsideMemoryIsReached) {
  simulate([&] {
    for (const std::uint64_t direct : {0u, 0x1000u}) {
      target.direct_bytes = direct;
      dma.allow_dmi(true);  // the engine requests direct access again
      std::uint8_t bytes[2] = {1, 2};
      EXPECT_FALSE(dma.read(0xFFF, bytes, 2));
      EXPECT_FALSE(dma.write(0xFFF, bytes, 2));
      EXPECT_FALSE(dma.write(0x1000, bytes, 1));
      EXPECT_EQ(bytes[0], 1);
      EXPECT_EQ(target.bytes[0xFFF], 0);
    }
  });
}

TEST_F(DmaEngineTest, ATraceSeesEveryTransfer) {
  simulate([&] {
    target.direct_bytes = 0x1000;
    dma.allow_dmi(false);
    EXPECT_TRUE(goes(0x20, 8));
    EXPECT_EQ(target.transports, 2);
    EXPECT_EQ(target.asked, 0);
  });
}

TEST_F(DmaEngineTest, WithdrawnPermissionIsAskedForAgain) {
  simulate([&] {
    target.direct_bytes = 0x1000;
    EXPECT_TRUE(goes(0, 4));
    target.direct_bytes = 0;
    target.socket->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
    EXPECT_TRUE(goes(0, 4));
    EXPECT_EQ(target.transports, 2);
    EXPECT_GE(target.asked, 2);
  });
}

TEST_F(DmaEngineTest, WhatIsNoMemoryIsRefusedWithoutATransaction) {
  simulate([&] {
    dma.add_memory(0x100, 0x200);
    dma.add_memory(0x800, 0x100, false);
    EXPECT_TRUE(goes(0x100, 0x200));
    const int before = target.transports;
    std::uint8_t bytes[4] = {};
    for (const std::uint64_t address : {0xFFu, 0x2FFu, 0x300u, 0x7FEu, 0x8FEu, 0x900u}) {
      EXPECT_FALSE(dma.holds(address, 4, false)) << address;
      EXPECT_FALSE(dma.read(address, bytes, 4)) << address;
      EXPECT_FALSE(dma.write(address, bytes, 4)) << address;
    }
    EXPECT_FALSE(dma.holds(~std::uint64_t{0} - 1, 4, false));
    EXPECT_EQ(target.transports, before) << "a device's register would wait()";
    EXPECT_TRUE(dma.read(0x800, bytes, 4)) << "ROM";
    EXPECT_FALSE(dma.write(0x800, bytes, 4));
  });
}

}  // namespace
}  // namespace dcc::model::dma_engine_test
