// A small memory-mapped device of aligned 32-bit registers, or of bytes, as a TLM target.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm>

namespace dcc::model {

/// Base of small devices, which handles the TLM payload for them. It allows aligned words only
/// (other accesses get TLM_ADDRESS_ERROR_RESPONSE), no byte enables and no DMI. With kHalves,
/// aligned halfwords are allowed as well, zero-extended. With byte registers, accesses of 1, 2 and
/// 4 bytes all access the one byte register at their address, whose value is zero-extended. The
/// target first waits until the initiator's local time has come. Debug reads show registers without
/// side effects; debug writes are refused.
class WordTarget : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<WordTarget> socket{"socket"};

  enum class Registers { kWords, kHalves, kBytes };

  explicit WordTarget(const sc_core::sc_module_name& name,
                      const sc_core::sc_time& latency = sc_core::SC_ZERO_TIME,
                      Registers registers = Registers::kWords);

 protected:
  /// Functions that read or write a register. They return TLM_ADDRESS_ERROR_RESPONSE if the offset
  /// has no register, and TLM_COMMAND_ERROR_RESPONSE if the register does not allow this direction.
  /// The default of read() has no side effects.
  virtual tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value);
  virtual tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) = 0;
  /// Reads a register without side effects; nothing: the offset has no register.
  virtual std::optional<std::uint32_t> peek(std::uint32_t offset) const = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload);

  bool has_valid_size(const tlm::tlm_generic_payload& payload) const;

  sc_core::sc_time latency_;
  Registers registers_;
};

}  // namespace dcc::model
