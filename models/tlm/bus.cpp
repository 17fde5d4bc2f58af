#include "bus.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace dcc::model {
namespace {

constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

}  // namespace

Bus::Bus(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
    : sc_core::sc_module(name), latency_(latency) {
  in.register_b_transport(this, &Bus::b_transport);
  in.register_nb_transport_fw(this, &Bus::nb_transport_fw);
  out_.register_nb_transport_bw(this, &Bus::nb_transport_bw);
  in.register_transport_dbg(this, &Bus::transport_dbg);
  in.register_get_direct_mem_ptr(this, &Bus::get_direct_mem_ptr);
  out_.register_invalidate_direct_mem_ptr(this, &Bus::invalidate);
}

void Bus::add_range(std::uint64_t base, std::uint64_t bytes, const std::string& name) {
  if (bytes == 0 || bytes - 1 > kTop - base) {
    throw std::invalid_argument("bus range of " + name + " at " + hex(base) +
                                " is empty or leaves the address space");
  }
  const std::uint64_t last = base + (bytes - 1);
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), base,
                       [](std::uint64_t address, const Range& r) { return address < r.base; });
  const Range* overlap = nullptr;
  if (after != ranges_.end() && after->base <= last) overlap = &*after;
  if (after != ranges_.begin() && std::prev(after)->last >= base) overlap = &*std::prev(after);
  if (overlap != nullptr) {
    throw std::invalid_argument("bus ranges overlap: " + name + " at " + hex(base) + " and " +
                                overlap->name + " at " + hex(overlap->base));
  }
  ranges_.insert(after, Range{base, last, static_cast<int>(bases_.size()), name});
  bases_.push_back(base);
  lasts_.push_back(last);
}

const Bus::Range* Bus::find(std::uint64_t address, std::uint64_t bytes) const {
  if (ranges_.empty()) return nullptr;
  const Range* range = &ranges_[recent_];
  if (address < range->base || address > range->last) {
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                  [](std::uint64_t a, const Range& r) { return a < r.base; });
    if (after == ranges_.begin()) return nullptr;
    --after;
    if (address > after->last) return nullptr;
    recent_ = static_cast<std::size_t>(after - ranges_.begin());
    range = &*after;
  }
  const bool fits = bytes == 0 || bytes - 1 <= range->last - address;
  return fits ? range : nullptr;
}

std::string Bus::describe(std::uint64_t address) const {
  if (const Range* const range = find(address, 1)) {
    return range->name + " + " + hex(address - range->base);
  }
  std::string neighbours;
  for (const Range& range : ranges_) {
    if (range.last < address) {
      neighbours = range.name + " ends at " + hex(range.last);
    } else {
      if (!neighbours.empty()) neighbours += ", ";
      neighbours += range.name + " begins at " + hex(range.base);
      break;
    }
  }
  return "nothing is mapped there" + (neighbours.empty() ? neighbours : "; " + neighbours);
}

void Bus::b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++accesses_;
  const bool observed = !observers_.empty();
  const sc_core::sc_time begin =
      observed ? sc_core::sc_time_stamp() + delay : sc_core::SC_ZERO_TIME;
  delay += latency_;
  const std::uint64_t address = payload.get_address();
  const Range* const range = find(address, payload.get_data_length());
  if (range != nullptr) {
    payload.set_address(address - range->base);
    out_[range->port]->b_transport(payload, delay);
    payload.set_address(address);
  } else {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  if (!observed) return;
  const Access access{initiator, range, payload, begin, sc_core::sc_time_stamp() + delay};
  for (const Observer& observer : observers_) observer(access);
}

tlm::tlm_sync_enum Bus::nb_transport_fw(int initiator, tlm::tlm_generic_payload& payload,
                                        tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) {
    const auto known = pending_.find(&payload);
    if (known == pending_.end()) return tlm::TLM_ACCEPTED;
    const int port = known->second.range->port;
    if (phase == tlm::END_RESP) pending_.erase(known);
    return out_[port]->nb_transport_fw(payload, phase, delay);
  }
  ++accesses_;
  Pending request{initiator, nullptr, payload.get_address(), sc_core::sc_time_stamp() + delay};
  request.range = find(request.address, payload.get_data_length());
  delay += latency_;
  pending_[&payload] = request;
  if (request.range == nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    finish(payload, sc_core::sc_time_stamp() + delay);
    pending_.erase(&payload);
    return tlm::TLM_COMPLETED;
  }
  payload.set_address(request.address - request.range->base);
  const tlm::tlm_sync_enum answer =
      out_[request.range->port]->nb_transport_fw(payload, phase, delay);
  if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    finish(payload, sc_core::sc_time_stamp() + delay);
    if (answer == tlm::TLM_COMPLETED) pending_.erase(&payload);
  }
  return answer;
}

tlm::tlm_sync_enum Bus::nb_transport_bw(int, tlm::tlm_generic_payload& payload,
                                        tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto known = pending_.find(&payload);
  if (known == pending_.end()) return tlm::TLM_COMPLETED;
  const int initiator = known->second.initiator;
  if (phase == tlm::BEGIN_RESP) finish(payload, sc_core::sc_time_stamp() + delay);
  const tlm::tlm_sync_enum answer = in[initiator]->nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
    pending_.erase(&payload);
  }
  return answer;
}

/// Finishes a transaction whose response begins at `end`: restores the address that the initiator
/// sent, and tells the observers.
void Bus::finish(tlm::tlm_generic_payload& payload, const sc_core::sc_time& end) {
  Pending& one = pending_[&payload];
  if (one.answered) return;
  one.answered = true;
  payload.set_address(one.address);
  const Access access{one.initiator, one.range, payload, one.begin, end};
  for (const Observer& observer : observers_) observer(access);
}

unsigned int Bus::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const Range* const range = find(address, 1);
  if (range == nullptr) return 0;
  // A debug access may extend beyond the end of a range; only the part within the range is
  // transferred.
  const unsigned int length = payload.get_data_length();
  const std::uint64_t there = range->last - address;
  if (length != 0 && length - 1 > there) {
    payload.set_data_length(static_cast<unsigned int>(there + 1));
  }
  payload.set_address(address - range->base);
  const unsigned int count = out_[range->port]->transport_dbg(payload);
  payload.set_address(address);
  payload.set_data_length(length);
  return count;
}

bool Bus::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const Range* const range = find(address, 1);
  if (range == nullptr) {
    dmi.init();
    return false;
  }
  payload.set_address(address - range->base);
  const bool granted = out_[range->port]->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  // A refused DMI request also returns the range in which further requests will be refused.
  const std::uint64_t size = range->last - range->base;
  dmi.set_start_address(range->base + std::min<std::uint64_t>(dmi.get_start_address(), size));
  dmi.set_end_address(range->base + std::min<std::uint64_t>(dmi.get_end_address(), size));
  if (granted) {
    dmi.set_read_latency(dmi.get_read_latency() + latency_);
    dmi.set_write_latency(dmi.get_write_latency() + latency_);
  }
  return granted;
}

void Bus::invalidate(int port, sc_dt::uint64 start, sc_dt::uint64 end) {
  const auto index = static_cast<std::size_t>(port);
  const std::uint64_t base = bases_[index];
  const std::uint64_t size = lasts_[index] - base;
  if (start > size) return;
  const std::uint64_t last = std::min<std::uint64_t>(end, size);
  for (unsigned int i = 0; i < in.size(); ++i) {
    in[static_cast<int>(i)]->invalidate_direct_mem_ptr(base + start, base + last);
  }
}

}  // namespace dcc::model
