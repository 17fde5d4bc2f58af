// Host memory as a TLM target: RAM or ROM.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <systemc>
#include <tlm>

namespace dcc::model {

/// A memory of `bytes` bytes, zero at the start, with addresses from 0. Bursts of any length and
/// alignment, byte enables and streaming width work as in the TLM-2.0 standard (IEEE 1666, 14.9 and
/// 14.10). An access that reaches outside the memory gets TLM_ADDRESS_ERROR_RESPONSE and moves no
/// data; through transport_dbg it moves the bytes that lie inside. The whole memory is granted for
/// DMI unless switched off. ROM refuses writes through b_transport (TLM_COMMAND_ERROR_RESPONSE) and
/// grants reads only.
class Ram final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Ram> socket{"socket"};

  /// Makes a memory in which every access takes the time `latency`, whatever its length. Throws
  /// std::bad_alloc.
  Ram(const sc_core::sc_module_name& name, std::uint64_t bytes, const sc_core::sc_time& latency,
      bool read_only = false);

  std::uint64_t size() const { return bytes_; }
  /// The bytes of the memory, which loaders and checks may access between two events.
  std::uint8_t* data() { return memory_.get(); }
  const std::uint8_t* data() const { return memory_.get(); }

  /// Allows DMI; false: every access is made by b_transport, where a trace records it; existing DMI
  /// pointers are invalidated.
  void allow_dmi(bool allowed);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void transfer(tlm::tlm_generic_payload& payload);

  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  std::uint64_t bytes_;
  sc_core::sc_time latency_;
  bool read_only_;
  // memory from calloc, since untouched pages then need no memory on the simulating machine
  std::unique_ptr<std::uint8_t, Free> memory_;
  bool dmi_allowed_ = true;
};

}  // namespace dcc::model
