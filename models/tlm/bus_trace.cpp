#include "bus_trace.h"

#include "simulation_kernel.h"

namespace dcc::model {
namespace {

/// Name of the address error that a bus access met (unmapped, misaligned or narrow). The error
/// follows from address and length, because devices answer all three with
/// TLM_ADDRESS_ERROR_RESPONSE.
const char* address_error(const Bus::Access& access) {
  if (access.range == nullptr) return "unmapped";
  if (access.payload.get_address() % 4 != 0) return "misaligned";
  return access.payload.get_data_length() % 4 != 0 ? "narrow" : "unmapped";
}

const char* response_word(const Bus::Access& access) {
  switch (access.payload.get_response_status()) {
    case tlm::TLM_OK_RESPONSE:
      return "ok";
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
      return address_error(access);
    case tlm::TLM_COMMAND_ERROR_RESPONSE:
      return access.payload.is_read() ? "write_only" : "read_only";
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE:
      return "narrow";
    case tlm::TLM_BURST_ERROR_RESPONSE:
      return "burst";
    case tlm::TLM_INCOMPLETE_RESPONSE:
      return "no_answer";
    default:
      return "out_of_range";
  }
}

}  // namespace

BusTrace::BusTrace(Bus& bus, std::vector<std::string> initiators, Sink sink)
    : bus_(bus), initiators_(std::move(initiators)), sink_(std::move(sink)) {
  bus.add_observer([this](const Bus::Access& access) { tell(access); });
}

std::string BusTrace::name_of(std::uint64_t address) const {
  for (const Namer& namer : namers_) {
    std::string name = namer(address);
    if (!name.empty()) return name;
  }
  return bus_.describe(address);
}

void BusTrace::tell(const Bus::Access& access) const {
  const auto initiator = static_cast<std::size_t>(access.initiator);
  regs::AccessRecord record;
  record.begin = from_sc_time(access.begin);
  record.end = from_sc_time(access.end);
  record.path = initiator < initiators_.size() ? initiators_[initiator] : bus_.name();
  if (access.range != nullptr) record.target = access.range->name;
  record.write = access.payload.is_write();
  record.address = access.payload.get_address();
  record.name = name_of(record.address);
  record.data = access.payload.get_data_ptr();
  record.length = access.payload.get_data_length();
  record.response = response_word(access);
  sink_(record);
}

}  // namespace dcc::model
