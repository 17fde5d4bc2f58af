#include "clint.h"

#include <algorithm>

#include "driver/memory_map.h"
#include "driver/memory_map_virt.h"
#include "sc_time.h"

namespace dcc::model {
namespace {

// The offsets of the CLINT's registers are the same on machines dcc and virt.
static_assert(DCC_CLINT_MSIP == VIRT_CLINT_MSIP && DCC_CLINT_MTIMECMP == VIRT_CLINT_MTIMECMP &&
              DCC_CLINT_MTIME == VIRT_CLINT_MTIME);

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
// On machine virt the words of absent harts lie below this offset and read zero.
constexpr std::uint32_t kWordsEnd = 0xC000;

// The greatest distance to which one event is scheduled, because SystemC's time ends at 2^64 ps.
constexpr std::uint64_t kFarthestNanoseconds = std::uint64_t{1} << 50;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(sc_core::sc_time_stamp().value()) / kPicosecondsPerNanosecond;
}
std::uint64_t with_word(std::uint64_t value, bool upper, std::uint32_t word) {
  return upper ? (value & 0xFFFFFFFFu) | static_cast<std::uint64_t>(word) << 32
               : (value & ~std::uint64_t{0xFFFFFFFFu}) | word;
}
std::uint32_t word_of(std::uint64_t value, bool upper) {
  return static_cast<std::uint32_t>(upper ? value >> 32 : value);
}

}  // namespace

Clint::Clint(const sc_core::sc_module_name& name, Line timer, Line software, MachineKind machine)
    : WordTarget(name),
      timer_(std::move(timer)),
      software_(std::move(software)),
      machine_(machine),
      nanoseconds_per_tick_(kNanosecondsPerSecond / machine_map(machine).timebase),
      mtimecmp_(machine == MachineKind::kVirt ? 0 : ~std::uint64_t{0}) {
  SC_HAS_PROCESS(Clint);
  SC_METHOD(compare);
  sensitive << due_;
  dont_initialize();
}

std::uint64_t Clint::ticks() const { return now_ns() / nanoseconds_per_tick_; }
std::uint64_t Clint::mtime() const { return ticks() + mtime_offset_; }

void Clint::compare() {
  const std::uint64_t time = mtime();
  const bool level = time >= mtimecmp_;
  if (level != timer_level_) {
    timer_level_ = level;
    timer_(level);
  }
  due_.cancel();
  if (level) return;
  // mtime changes at whole ticks of simulated time.
  const std::uint64_t ahead =
      std::min(mtimecmp_ - time, kFarthestNanoseconds / nanoseconds_per_tick_);
  const std::uint64_t at = (ticks() + ahead) * nanoseconds_per_tick_ * kPicosecondsPerNanosecond;
  due_.notify(sc_core::sc_time::from_value(at) - sc_core::sc_time_stamp());
}

bool Clint::peek(std::uint32_t offset, std::uint32_t& value) const {
  const bool upper = (offset & 4) != 0;
  switch (offset) {
    case DCC_CLINT_MSIP:
      value = msip_ ? 1 : 0;
      return true;
    case DCC_CLINT_MTIMECMP:
    case DCC_CLINT_MTIMECMP + 4:
      value = word_of(mtimecmp_, upper);
      return true;
    case DCC_CLINT_MTIME:
    case DCC_CLINT_MTIME + 4:
      value = word_of(mtime(), upper);
      return true;
    default:
      value = 0;
      return machine_ == MachineKind::kVirt && offset < kWordsEnd;
  }
}

tlm::tlm_response_status Clint::read(std::uint32_t offset, std::uint32_t& value) {
  return peek(offset, value) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

tlm::tlm_response_status Clint::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case DCC_CLINT_MSIP:
      msip_ = (value & 1) != 0;
      software_(msip_);
      return tlm::TLM_OK_RESPONSE;
    case DCC_CLINT_MTIMECMP:
    case DCC_CLINT_MTIMECMP + 4:
      mtimecmp_ = with_word(mtimecmp_, offset != DCC_CLINT_MTIMECMP, value);
      break;
    case DCC_CLINT_MTIME:
    case DCC_CLINT_MTIME + 4:
      mtime_offset_ = with_word(mtime(), offset != DCC_CLINT_MTIME, value) - ticks();
      break;
    default:
      return machine_ == MachineKind::kVirt && offset < kWordsEnd ? tlm::TLM_OK_RESPONSE
                                                                  : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  compare();
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace dcc::model
