#include "apb.h"

#include <algorithm>
#include <cstring>

namespace dcc::model {
namespace {

constexpr unsigned kWordBytes = 4;

}  // namespace

std::uint8_t pstrb_of(const tlm::tlm_generic_payload& payload) {
  const unsigned length = std::min(payload.get_data_length(), kWordBytes);
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const unsigned period = payload.get_byte_enable_length();
  unsigned strobe = 0;
  for (unsigned i = 0; i < length; ++i) {
    if (enables == nullptr || period == 0 || enables[i % period] == TLM_BYTE_ENABLED) {
      strobe |= 1u << i;
    }
  }
  return static_cast<std::uint8_t>(strobe);
}

tlm::tlm_response_status to_response(regs::AccessResult result) {
  switch (result) {
    case regs::AccessResult::kOk:
      return tlm::TLM_OK_RESPONSE;
    case regs::AccessResult::kUnmapped:
    case regs::AccessResult::kMisaligned:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case regs::AccessResult::kReadOnly:
    case regs::AccessResult::kLocked:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case regs::AccessResult::kNarrow:
      return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    case regs::AccessResult::kOutOfRange:
      break;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

ApbTarget::ApbTarget(const sc_core::sc_module_name& name, regs::RegisterBlock& block,
                     const sc_core::sc_time& latency)
    : sc_core::sc_module(name), block_(block), latency_(latency) {
  apb.register_b_transport(this, &ApbTarget::b_transport);
  apb.register_transport_dbg(this, &ApbTarget::transport_dbg);
}

void ApbTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  if (synchronise_) synchronise_();
  delay += latency_;
  payload.set_dmi_allowed(false);

  const unsigned length = payload.get_data_length();
  if (length > kWordBytes || length == 0 || payload.get_streaming_width() < length) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.is_read() == payload.is_write()) {
    // accepts TLM_IGNORE_COMMAND, which transfers no data
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  if (payload.get_address() > 0xFFFFFFFFu) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  ApbTransfer transfer;
  transfer.write = payload.is_write();
  transfer.address = static_cast<std::uint32_t>(payload.get_address());
  if (const auto* protection = payload.get_extension<ApbProtection>(); protection != nullptr) {
    transfer.pprot = protection->pprot;
  }
  if (transfer.write) {
    transfer.pstrb = pstrb_of(payload);
    std::memcpy(&transfer.data, payload.get_data_ptr(), length);
    transfer.result = block_.write(transfer.address, transfer.data, transfer.pstrb);
  } else {
    transfer.result = block_.read(transfer.address, transfer.data);
    const std::uint8_t lanes = pstrb_of(payload);
    unsigned char bytes[kWordBytes];
    std::memcpy(bytes, &transfer.data, kWordBytes);
    for (unsigned i = 0; i < length && transfer.result == regs::AccessResult::kOk; ++i) {
      if ((lanes >> i & 1) != 0) payload.get_data_ptr()[i] = bytes[i];
    }
  }
  payload.set_response_status(to_response(transfer.result));
  if (!observers_.empty()) tell(transfer);
}

unsigned int ApbTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (payload.get_address() > 0xFFFFFFFFu) return 0;
  if (payload.is_read()) return debug_read(payload);
  if (payload.is_write()) return debug_write(payload);
  return 0;
}

unsigned int ApbTarget::debug_read(tlm::tlm_generic_payload& payload) const {
  const std::uint32_t start = static_cast<std::uint32_t>(payload.get_address());
  unsigned done = 0;
  while (done < payload.get_data_length()) {
    const std::uint32_t address = start + done;
    const unsigned lane = address % kWordBytes;
    std::uint32_t word = 0;
    if (block_.peek(address - lane, word) != regs::AccessResult::kOk) break;
    unsigned char bytes[kWordBytes];
    std::memcpy(bytes, &word, kWordBytes);
    const unsigned count = std::min(kWordBytes - lane, payload.get_data_length() - done);
    std::memcpy(payload.get_data_ptr() + done, bytes + lane, count);
    done += count;
  }
  return done;
}

unsigned int ApbTarget::debug_write(const tlm::tlm_generic_payload& payload) {
  const std::uint32_t start = static_cast<std::uint32_t>(payload.get_address());
  unsigned done = 0;
  while (done + kWordBytes <= payload.get_data_length()) {
    std::uint32_t word = 0;
    std::memcpy(&word, payload.get_data_ptr() + done, kWordBytes);
    if (block_.poke(start + done, word) != regs::AccessResult::kOk) break;
    done += kWordBytes;
  }
  return done;
}

void ApbTarget::tell(const ApbTransfer& transfer) const {
  for (const Observer& observer : observers_) observer(transfer);
}

}  // namespace dcc::model
