// A small memory-mapped device of aligned 32-bit registers, or of bytes, as a TLM target.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace dcc::model {

/// Takes care of the payload: aligned words only (others get TLM_ADDRESS_ERROR_RESPONSE), no byte
/// enables, no DMI. With kHalves, aligned halfwords as well, extended by zeros. With registers of a
/// byte, accesses of 1, 2 and 4 bytes all mean the one
/// register at their address; its value is extended by zeros. An access happens at its own time:
/// local time of the initiator is waited out first. Debug reads show registers without side
/// effects; debug writes are refused.
class WordTarget : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<WordTarget> socket{"socket"};

  enum class Registers { kWords, kHalves, kBytes };

  explicit WordTarget(const sc_core::sc_module_name& name,
                      const sc_core::sc_time& latency = sc_core::SC_ZERO_TIME,
                      Registers registers = Registers::kWords);

 protected:
  /// Read or write a register. Return TLM_ADDRESS_ERROR_RESPONSE if there is no such register,
  /// TLM_COMMAND_ERROR_RESPONSE if the register does not allow this direction.
  virtual tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) = 0;
  virtual tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) = 0;
  /// Reads a register without side effects; false: no such register.
  virtual bool peek(std::uint32_t offset, std::uint32_t& value) const = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload);

  bool has_valid_size(const tlm::tlm_generic_payload& payload) const;

  sc_core::sc_time latency_;
  Registers registers_;
};

}  // namespace dcc::model
