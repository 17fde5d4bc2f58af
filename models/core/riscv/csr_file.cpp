#include "riscv/csr_file.h"

#include <cstring>
#include <initializer_list>

namespace dcc::riscv {
namespace {

constexpr std::uint32_t kMisaRv32Imc = 1u << 30 | 1u << 8 | 1u << 12 | 1u << 2;

constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
constexpr std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }
constexpr std::uint64_t with_low(std::uint64_t v, std::uint32_t part) {
  return (v & 0xFFFFFFFF00000000u) | part;
}
constexpr std::uint64_t with_high(std::uint64_t v, std::uint32_t part) {
  return (v & 0xFFFFFFFFu) | static_cast<std::uint64_t>(part) << 32;
}

/// Performance counters beyond the first two: they exist and read zero.
constexpr bool is_zero_counter(std::uint32_t n) {
  return (n >= csr::kMhpmcounter3 && n <= csr::kMhpmcounter31) ||
         (n >= csr::kMhpmcounter3h && n <= csr::kMhpmcounter31h) ||
         (n >= csr::kMhpmevent3 && n <= csr::kMhpmevent31);
}

struct NamedCsr {
  const char* name;
  std::uint32_t number;
};
constexpr NamedCsr kNames[] = {
    {"mstatus", csr::kMstatus},
    {"misa", csr::kMisa},
    {"mie", csr::kMie},
    {"mtvec", csr::kMtvec},
    {"mstatush", csr::kMstatush},
    {"mscratch", csr::kMscratch},
    {"mepc", csr::kMepc},
    {"mcause", csr::kMcause},
    {"mtval", csr::kMtval},
    {"mip", csr::kMip},
    {"mcycle", csr::kMcycle},
    {"minstret", csr::kMinstret},
    {"mcycleh", csr::kMcycleh},
    {"minstreth", csr::kMinstreth},
    {"mvendorid", csr::kMvendorid},
    {"marchid", csr::kMarchid},
    {"mimpid", csr::kMimpid},
    {"mhartid", csr::kMhartid},
    {"mconfigptr", csr::kMconfigptr},
    {"mcountinhibit", csr::kMcountinhibit},
    {"cycle", csr::kCycle},
    {"cycleh", csr::kCycleh},
    {"instret", csr::kInstret},
    {"instreth", csr::kInstreth},
};

}  // namespace

bool CsrFile::read(std::uint32_t number, const Counters& now, std::uint32_t& value) const {
  const std::uint64_t cycles = now.cycles + cycle_offset_;
  const std::uint64_t instret = now.retired + instret_offset_;
  switch (number) {
    case csr::kMstatus:
      value = mstatus_;
      return true;
    case csr::kMisa:
      value = kMisaRv32Imc;
      return true;
    case csr::kMie:
      value = mie_;
      return true;
    case csr::kMtvec:
      value = mtvec_;
      return true;
    case csr::kMscratch:
      value = mscratch_;
      return true;
    case csr::kMepc:
      value = mepc_;
      return true;
    case csr::kMcause:
      value = mcause_;
      return true;
    case csr::kMtval:
      value = mtval_;
      return true;
    case csr::kMip:
      value = mip_;
      return true;
    case csr::kMhartid:
      value = hart_id_;
      return true;
    case csr::kMcycle:
    case csr::kCycle:
      value = low(cycles);
      return true;
    case csr::kMcycleh:
    case csr::kCycleh:
      value = high(cycles);
      return true;
    case csr::kMinstret:
    case csr::kInstret:
      value = low(instret);
      return true;
    case csr::kMinstreth:
    case csr::kInstreth:
      value = high(instret);
      return true;
    case csr::kMvendorid:
    case csr::kMarchid:
    case csr::kMimpid:
    case csr::kMconfigptr:
    case csr::kMstatush:
    case csr::kMcountinhibit:
      value = 0;
      return true;
    default:
      value = 0;
      return is_zero_counter(number);
  }
}

bool CsrFile::write(std::uint32_t number, std::uint32_t value, const Counters& after) {
  if ((number >> 10 & 3) == 3) return false;  // read-only by its number
  const std::uint64_t cycles = after.cycles + cycle_offset_;
  const std::uint64_t instret = after.retired + instret_offset_;
  switch (number) {
    case csr::kMstatus:
      mstatus_ = (value & (kMie | kMpie)) | kMpp;
      return true;
    case csr::kMie:
      mie_ = value & kInterruptBits;
      return true;
    case csr::kMtvec:
      if ((value & 2) == 0) {  // modes 2 and 3 are reserved: keep what is there
        mtvec_ = value;
        mtvec_written_ = true;
      }
      return true;
    case csr::kMscratch:
      mscratch_ = value;
      return true;
    case csr::kMepc:
      mepc_ = value & ~1u;
      return true;  // IALIGN is 16
    case csr::kMcause:
      mcause_ = value;
      return true;
    case csr::kMtval:
      mtval_ = value;
      return true;
    case csr::kMcycle:
      cycle_offset_ = with_low(cycles, value) - after.cycles;
      return true;
    case csr::kMcycleh:
      cycle_offset_ = with_high(cycles, value) - after.cycles;
      return true;
    case csr::kMinstret:
      instret_offset_ = with_low(instret, value) - after.retired;
      return true;
    case csr::kMinstreth:
      instret_offset_ = with_high(instret, value) - after.retired;
      return true;
    case csr::kMip:  // the three lines belong to their devices
    case csr::kMisa:
    case csr::kMstatush:
    case csr::kMcountinhibit:
      return true;
    default:
      return is_zero_counter(number);
  }
}

std::uint32_t CsrFile::enter_trap(std::uint32_t mcause, std::uint32_t mtval, std::uint32_t pc) {
  const bool enabled = interrupts_enabled();
  mstatus_ = kMpp | (enabled ? kMpie : 0);
  mcause_ = mcause;
  mtval_ = mtval;
  mepc_ = pc;
  const bool vectored = (mtvec_ & 1) != 0 && (mcause >> 31) != 0;
  return handler_base() + (vectored ? 4 * (mcause & 0x7FFFFFFF) : 0);
}

std::uint32_t CsrFile::leave_trap() {
  const bool enable = (mstatus_ & kMpie) != 0;
  mstatus_ = kMpp | kMpie | (enable ? kMie : 0);
  return mepc_;
}

void CsrFile::set_line(Cause line, bool level) {
  mip_ = level ? mip_ | bit_of(line) : mip_ & ~bit_of(line);
}

std::uint32_t CsrFile::highest(std::uint32_t pending) {
  for (const Cause cause :
       {Cause::kMachineExternal, Cause::kMachineSoftware, Cause::kMachineTimer}) {
    if ((pending & bit_of(cause)) != 0) return static_cast<std::uint32_t>(cause);
  }
  return 0;
}

bool csr_number(const char* name, std::uint32_t& number) {
  for (const NamedCsr& entry : kNames) {
    if (std::strcmp(entry.name, name) == 0) {
      number = entry.number;
      return true;
    }
  }
  return false;
}

const char* csr_name(std::uint32_t number) {
  for (const NamedCsr& entry : kNames) {
    if (entry.number == number) return entry.name;
  }
  return nullptr;
}

}  // namespace dcc::riscv
