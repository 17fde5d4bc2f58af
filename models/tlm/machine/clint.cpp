#include "machine/clint.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "driver/memory_map.h"
#include "driver/memory_map_virt.h"
#include "sc_time.h"

namespace dcc::model {
namespace {

// Asserts that the offsets of the CLINT's registers are the same on machines dcc and virt.
static_assert(DCC_CLINT_MSIP == VIRT_CLINT_MSIP && DCC_CLINT_MTIMECMP == VIRT_CLINT_MTIMECMP &&
              DCC_CLINT_MTIME == VIRT_CLINT_MTIME);

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
// Offset below which, on machine virt, the words of absent harts read zero.
constexpr std::uint32_t kWordsEnd = 0xC000;

// Maximum time for which one event is scheduled, because SystemC's time ends at 2^64 ps.
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
std::vector<Clint::Lines> one_hart(Clint::Line timer, Clint::Line software) {
  std::vector<Clint::Lines> harts(1);
  harts[0] = {std::move(timer), std::move(software)};
  return harts;
}
/// Index of the array element that contains `offset`, for an array at `base`; nothing if `offset`
/// lies outside the array.
std::optional<std::size_t> index_in(std::uint32_t offset, std::uint32_t base, std::size_t count,
                                    std::uint32_t bytes) {
  if (offset < base || offset - base >= count * bytes) return std::nullopt;
  return (offset - base) / bytes;
}

}  // namespace

Clint::Clint(const sc_core::sc_module_name& name, Line timer, Line software, MachineKind machine)
    : Clint(name, one_hart(std::move(timer), std::move(software)), machine) {}

Clint::Clint(const sc_core::sc_module_name& name, std::vector<Lines> harts, MachineKind machine)
    : WordTarget(name),
      machine_(machine),
      nanoseconds_per_tick_(kNanosecondsPerSecond / machine_map(machine).timebase) {
  for (Lines& lines : harts) {
    harts_.push_back({std::move(lines), machine == MachineKind::kVirt ? 0 : ~std::uint64_t{0}});
  }
  SC_HAS_PROCESS(Clint);
  SC_METHOD(compare);
  sensitive << due_;
  dont_initialize();
}

std::uint64_t Clint::ticks() const { return now_ns() / nanoseconds_per_tick_; }
std::uint64_t Clint::mtime() const { return ticks() + mtime_offset_; }

void Clint::compare() {
  const std::uint64_t time = mtime();
  // number of ticks to the next rise of a hart's timer line
  std::uint64_t next = ~std::uint64_t{0};
  bool waits = false;
  for (Hart& hart : harts_) {
    const bool level = time >= hart.mtimecmp;
    if (level != hart.timer_level) {
      hart.timer_level = level;
      hart.lines.timer(level);
    }
    if (level) continue;
    waits = true;
    next = std::min(next, hart.mtimecmp - time);
  }
  due_.cancel();
  if (!waits) return;
  // mtime changes at whole ticks of simulated time.
  const std::uint64_t ahead = std::min(next, kFarthestNanoseconds / nanoseconds_per_tick_);
  const std::uint64_t at = (ticks() + ahead) * nanoseconds_per_tick_ * kPicosecondsPerNanosecond;
  due_.notify(sc_core::sc_time::from_value(at) - sc_core::sc_time_stamp());
}

std::optional<std::uint32_t> Clint::peek(std::uint32_t offset) const {
  const bool upper = (offset & 4) != 0;
  if (const auto hart = index_in(offset, DCC_CLINT_MSIP, harts_.size(), 4)) {
    return harts_[*hart].msip ? 1 : 0;
  }
  if (const auto hart = index_in(offset, DCC_CLINT_MTIMECMP, harts_.size(), 8)) {
    return word_of(harts_[*hart].mtimecmp, upper);
  }
  if (offset == DCC_CLINT_MTIME || offset == DCC_CLINT_MTIME + 4) {
    return word_of(mtime(), upper);
  }
  if (machine_ == MachineKind::kVirt && offset < kWordsEnd) return 0;
  return std::nullopt;
}

tlm::tlm_response_status Clint::write(std::uint32_t offset, std::uint32_t value) {
  const bool upper = (offset & 4) != 0;
  if (const auto hart = index_in(offset, DCC_CLINT_MSIP, harts_.size(), 4)) {
    harts_[*hart].msip = (value & 1) != 0;
    harts_[*hart].lines.software(harts_[*hart].msip);
    return tlm::TLM_OK_RESPONSE;
  }
  if (const auto hart = index_in(offset, DCC_CLINT_MTIMECMP, harts_.size(), 8)) {
    harts_[*hart].mtimecmp = with_word(harts_[*hart].mtimecmp, upper, value);
  } else if (offset == DCC_CLINT_MTIME || offset == DCC_CLINT_MTIME + 4) {
    mtime_offset_ = with_word(mtime(), upper, value) - ticks();
  } else {
    return machine_ == MachineKind::kVirt && offset < kWordsEnd ? tlm::TLM_OK_RESPONSE
                                                                : tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  compare();
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace dcc::model
