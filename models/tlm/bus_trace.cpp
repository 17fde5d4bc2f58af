#include "bus_trace.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace dcc::model {
namespace {

const char* response_text(tlm::tlm_response_status status) {
  switch (status) {
    case tlm::TLM_OK_RESPONSE:
      return "ok";
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
      return "ERROR unmapped or misaligned";
    case tlm::TLM_COMMAND_ERROR_RESPONSE:
      return "ERROR not in this direction";
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE:
      return "ERROR wrong width";
    case tlm::TLM_BURST_ERROR_RESPONSE:
      return "ERROR burst";
    case tlm::TLM_INCOMPLETE_RESPONSE:
      return "ERROR no answer";
    default:
      return "ERROR refused value";
  }
}

}  // namespace

BusTrace::BusTrace(const std::string& file, Bus& bus) : bus_(bus), out_(file) {
  if (!out_) throw std::runtime_error(file + ": cannot be written");
  bus.add_observer([this](int, const tlm::tlm_generic_payload& payload) { write(payload); });
}

std::string BusTrace::name_of(std::uint64_t address) const {
  for (const Namer& namer : namers_) {
    std::string name = namer(address);
    if (!name.empty()) return name;
  }
  return bus_.describe(address);
}

void BusTrace::write(const tlm::tlm_generic_payload& payload) {
  constexpr unsigned kShownBytes = 16;
  const unsigned length = payload.get_data_length();
  std::string data = length <= 4 ? "0x" : "";
  for (unsigned i = 0; i < std::min(length, kShownBytes); ++i) {
    // A word as a number, more than that in the order of addresses.
    const unsigned index = length <= 4 ? length - 1 - i : i;
    char text[4];
    std::snprintf(text, sizeof text, "%02x", payload.get_data_ptr()[index]);
    data += text;
  }
  if (length > kShownBytes) data += "... " + std::to_string(length) + " bytes";
  char head[48];
  std::snprintf(head, sizeof head, "%14.3f ns  ",
                static_cast<double>(sc_core::sc_time_stamp().value()) / 1000.0);
  char address[24];
  std::snprintf(address, sizeof address, "0x%08llx ",
                static_cast<unsigned long long>(payload.get_address()));
  out_ << head << bus_.name() << (payload.is_read() ? "  RD " : "  WR ") << address
       << name_of(payload.get_address()) << " = " << data << "  "
       << response_text(payload.get_response_status()) << '\n';
}

}  // namespace dcc::model
