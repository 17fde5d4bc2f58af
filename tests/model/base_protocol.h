// A checker of TLM-2.0's base protocol, to be placed between an initiator and a target.
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace dcc::model {

/// Forwards blocking transport, debug transport and DMI requests, and fails the test for every
/// violated rule (IEEE 1666-2011, clauses 11.1, 11.2.5 and 14). Only the blocking interface is
/// checked, because no model of the project uses the non-blocking one.
class BaseProtocolChecker final : public sc_core::sc_module {
 public:
  explicit BaseProtocolChecker(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &BaseProtocolChecker::b_transport);
    in.register_transport_dbg(this, &BaseProtocolChecker::transport_dbg);
    in.register_get_direct_mem_ptr(this, &BaseProtocolChecker::get_direct_mem_ptr);
    out.register_invalidate_direct_mem_ptr(this, &BaseProtocolChecker::invalidate);
  }

  tlm_utils::simple_target_socket<BaseProtocolChecker> in{"in"};
  tlm_utils::simple_initiator_socket<BaseProtocolChecker> out{"out"};
  /// Number of blocking transports so far.
  std::uint64_t transports = 0;

 private:
  /// Attributes of a generic payload that a target must not change.
  struct Attributes {
    explicit Attributes(const tlm::tlm_generic_payload& p)
        : command(p.get_command()),
          address(p.get_address()),
          data(p.get_data_ptr()),
          length(p.get_data_length()),
          width(p.get_streaming_width()),
          enables(p.get_byte_enable_ptr()),
          enable_length(p.get_byte_enable_length()) {}
    bool operator==(const Attributes& o) const {
      return command == o.command && address == o.address && data == o.data && length == o.length &&
             width == o.width && enables == o.enables && enable_length == o.enable_length;
    }
    tlm::tlm_command command;
    std::uint64_t address;
    const unsigned char* data;
    unsigned length, width;
    const unsigned char* enables;
    unsigned enable_length;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++transports;
    const Attributes asked(payload);
    EXPECT_NE(asked.data, nullptr) << name() << ": no data";
    EXPECT_GT(asked.length, 0u) << name() << ": data without a byte";
    EXPECT_GT(asked.width, 0u) << name() << ": streaming width 0";
    if (asked.enables != nullptr) {
      EXPECT_GT(asked.enable_length, 0u) << name() << ": byte enables without a byte";
    }
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE)
        << name() << ": the initiator must reset the response";
    EXPECT_FALSE(payload.is_dmi_allowed()) << name() << ": the initiator must reset the DMI hint";
    const sc_core::sc_time due = sc_core::sc_time_stamp() + delay;
    out->b_transport(payload, delay);
    EXPECT_TRUE(asked == Attributes(payload)) << name() << ": the target changed an attribute";
    EXPECT_NE(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE)
        << name() << ": the target set no response";
    EXPECT_GE(sc_core::sc_time_stamp() + delay, due) << name() << ": local time went back";
    if (payload.is_dmi_allowed()) {
      tlm::tlm_dmi dmi;
      tlm::tlm_generic_payload request;
      request.set_command(asked.command);
      request.set_address(asked.address);
      EXPECT_TRUE(out->get_direct_mem_ptr(request, dmi)) << name() << ": the DMI hint is wrong";
    }
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    const Attributes asked(payload);
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const unsigned bytes = out->transport_dbg(payload);
    EXPECT_LE(bytes, asked.length) << name() << ": more than was asked for";
    EXPECT_TRUE(asked == Attributes(payload)) << name() << ": debug changed an attribute";
    EXPECT_EQ(sc_core::sc_time_stamp(), now) << name() << ": debug took time";
    return bytes;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    const bool granted = out->get_direct_mem_ptr(payload, dmi);
    EXPECT_LE(dmi.get_start_address(), payload.get_address()) << name();
    EXPECT_GE(dmi.get_end_address(), payload.get_address()) << name();
    if (granted) {
      EXPECT_NE(dmi.get_dmi_ptr(), nullptr) << name();
      EXPECT_TRUE(payload.is_write() ? dmi.is_write_allowed() : dmi.is_read_allowed()) << name();
    }
    return granted;
  }
  void invalidate(sc_dt::uint64 start, sc_dt::uint64 end) {
    EXPECT_LE(start, end) << name();
    in->invalidate_direct_mem_ptr(start, end);
  }
};

}  // namespace dcc::model
