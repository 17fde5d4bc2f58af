// APB4 over the TLM-2.0 generic payload, and the target that connects a register block to APB.
//
// Mapping (project policy; the standard leaves PSLVERR's causes to the completer):
//   PADDR    address
//   PWRITE   command
//   PSTRB    byte enables of a write, one bit for each lane; no byte enables mean all lanes. A
//   write shorter than a
//            word drives the lanes of its bytes only
//   PPROT    extension ApbProtection; 0 if absent. Every value is accepted; traces show it
//   PSLVERR  response status:
//     unmapped, misaligned  TLM_ADDRESS_ERROR_RESPONSE
//     read-only             TLM_COMMAND_ERROR_RESPONSE
//     narrow write          TLM_BYTE_ENABLE_ERROR_RESPONSE
//     out of range          TLM_GENERIC_ERROR_RESPONSE
//   APB has no bursts: more than a word, or a streaming width below the length, is
//   TLM_BURST_ERROR_RESPONSE and reaches no register. A read
//   shorter than a word reads the whole word, side effects included, and returns its low bytes.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "registers/register_block.h"

namespace dcc::model {

/// Value of PPROT for an access: [0] privileged, [1] non-secure, [2] instruction.
class ApbProtection final : public tlm::tlm_extension<ApbProtection> {
 public:
  explicit ApbProtection(std::uint8_t bits = 0) : pprot(bits) {}
  std::uint8_t pprot;

  tlm::tlm_extension_base* clone() const override { return new ApbProtection(pprot); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    pprot = static_cast<const ApbProtection&>(other).pprot;
  }
};

/// A finished APB transfer, as traces record it.
struct ApbTransfer {
  bool write = false;
  std::uint32_t address = 0;  // byte offset of the accessed register from the block's start
  std::uint32_t data = 0;     // data that the transfer read or wrote
  std::uint8_t pstrb = 0;     // PSTRB, the byte lanes of a write; 0 for reads
  std::uint8_t pprot = 0;
  regs::AccessResult result = regs::AccessResult::kOk;
};

/// PSTRB of a write that uses the first `length` bytes of a word; the payload's byte enables apply.
std::uint8_t pstrb_of(const tlm::tlm_generic_payload& payload);

tlm::tlm_response_status to_response(regs::AccessResult result);

/// An APB target for a register block. b_transport first waits until the initiator's local time has
/// come, so that accesses of all processes happen in the order of their times, and then adds the
/// access latency to the delay. transport_dbg takes no time and has no side effects, at any length
/// and alignment; a debug write changes whole words only and stops at the first refused word.
class ApbTarget : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ApbTarget> apb{"apb"};

  using Observer = std::function<void(const ApbTransfer&)>;

  /// `latency`: time of each access from set-up to PREADY. `block` must outlive the target.
  ApbTarget(const sc_core::sc_module_name& name, regs::RegisterBlock& block,
            const sc_core::sc_time& latency = sc_core::SC_ZERO_TIME);

  regs::RegisterBlock& block() { return block_; }

  /// Adds a function that is called after every APB transfer except debug transfers.
  void add_observer(Observer observer) { observers_.push_back(std::move(observer)); }
  /// Sets a function that is called before every transfer that arrives on the socket, to bring the
  /// devices' clock to sc_time_stamp().
  void set_synchronise(std::function<void()> synchronise) { synchronise_ = std::move(synchronise); }

  /// Register accesses without TLM and without simulated time, for a host model in the same thread.
  regs::AccessResult read32(std::uint32_t address, std::uint32_t& value) {
    const regs::AccessResult result = block_.read(address, value);
    if (!observers_.empty()) tell({false, address, value, 0, 0, result});
    return result;
  }
  regs::AccessResult write32(std::uint32_t address, std::uint32_t value) {
    const regs::AccessResult result = block_.write(address, value);
    if (!observers_.empty()) tell({true, address, value, regs::kAllBytes, 0, result});
    return result;
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload);
  unsigned int debug_read(tlm::tlm_generic_payload& payload) const;
  unsigned int debug_write(const tlm::tlm_generic_payload& payload);
  void tell(const ApbTransfer& transfer) const;

  regs::RegisterBlock& block_;
  sc_core::sc_time latency_;
  std::vector<Observer> observers_;
  std::function<void()> synchronise_;
};

}  // namespace dcc::model
