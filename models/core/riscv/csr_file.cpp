#include "riscv/csr_file.h"

namespace dcc::riscv {
namespace {

constexpr std::uint32_t extension(char letter) { return 1u << (letter - 'A'); }
constexpr std::uint32_t kMisa =
    1u << 30 | extension('A') | extension('C') | extension('I') | extension('M') | extension('U');
// Bits of mcounteren and mcountinhibit. The hart has no `time` counter to enable.
constexpr std::uint32_t kCycleBit = 1, kInstretBit = 4;
// value of tinfo: types of triggers that the hart has
constexpr std::uint32_t kAddressMatchOnly = 1u << 2;

constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
constexpr std::uint32_t high(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }
constexpr std::uint64_t with_low(std::uint64_t v, std::uint32_t part) {
  return (v & 0xFFFFFFFF00000000u) | part;
}
constexpr std::uint64_t with_high(std::uint64_t v, std::uint32_t part) {
  return (v & 0xFFFFFFFFu) | static_cast<std::uint64_t>(part) << 32;
}

/// True for performance counters beyond the first two, which exist and read zero.
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
    {"mcounteren", csr::kMcounteren},
    {"menvcfg", csr::kMenvcfg},
    {"menvcfgh", csr::kMenvcfgh},
    {"pmpcfg0", csr::kPmpcfg0},
    {"pmpcfg1", csr::kPmpcfg0 + 1},
    {"pmpcfg2", csr::kPmpcfg0 + 2},
    {"pmpcfg3", csr::kPmpcfg0 + 3},
    {"pmpaddr0", csr::kPmpaddr0},
    {"pmpaddr1", csr::kPmpaddr0 + 1},
    {"pmpaddr2", csr::kPmpaddr0 + 2},
    {"pmpaddr3", csr::kPmpaddr0 + 3},
    {"pmpaddr4", csr::kPmpaddr0 + 4},
    {"pmpaddr5", csr::kPmpaddr0 + 5},
    {"pmpaddr6", csr::kPmpaddr0 + 6},
    {"pmpaddr7", csr::kPmpaddr0 + 7},
    {"pmpaddr8", csr::kPmpaddr0 + 8},
    {"pmpaddr9", csr::kPmpaddr0 + 9},
    {"pmpaddr10", csr::kPmpaddr0 + 10},
    {"pmpaddr11", csr::kPmpaddr0 + 11},
    {"pmpaddr12", csr::kPmpaddr0 + 12},
    {"pmpaddr13", csr::kPmpaddr0 + 13},
    {"pmpaddr14", csr::kPmpaddr0 + 14},
    {"pmpaddr15", csr::kPmpaddr0 + 15},
    {"tselect", csr::kTselect},
    {"tdata1", csr::kTdata1},
    {"tdata2", csr::kTdata2},
    {"tdata3", csr::kTdata3},
    {"tinfo", csr::kTinfo},
    {"cycle", csr::kCycle},
    {"cycleh", csr::kCycleh},
    {"instret", csr::kInstret},
    {"instreth", csr::kInstreth},
};

}  // namespace

bool CsrFile::permits(std::uint32_t number) const {
  if (privilege_ == Privilege::kMachine) return true;
  // bits 9:8 of a CSR's number contain the least privilege mode that may access the CSR
  if ((number >> 8 & 3) != 0) return false;
  switch (number) {
    case csr::kCycle:
    case csr::kCycleh:
      return (mcounteren_ & kCycleBit) != 0;
    case csr::kInstret:
    case csr::kInstreth:
      return (mcounteren_ & kInstretBit) != 0;
    default:
      return true;
  }
}

bool CsrFile::concerns_memory(std::uint32_t number) {
  return number == csr::kMstatus || (number >= csr::kPmpcfg0 && number <= csr::kPmpaddr15) ||
         number == csr::kTdata1 || number == csr::kTdata2;
}

std::optional<std::uint32_t> CsrFile::read(std::uint32_t number, const Counters& now) const {
  const std::uint64_t cycles = cycle_.at(now.cycles);
  const std::uint64_t instret = instret_.at(now.retired);
  if (number >= csr::kPmpcfg0 && number <= csr::kPmpcfg3) {
    return pmp_.config(number - csr::kPmpcfg0);
  }
  if (number >= csr::kPmpaddr0 && number <= csr::kPmpaddr15) {
    return pmp_.address(number - csr::kPmpaddr0);
  }
  switch (number) {
    case csr::kMstatus:
      return mstatus_;
    case csr::kMisa:
      return kMisa;
    case csr::kMie:
      return mie_;
    case csr::kMtvec:
      return mtvec_;
    case csr::kMscratch:
      return mscratch_;
    case csr::kMepc:
      return mepc_;
    case csr::kMcause:
      return mcause_;
    case csr::kMtval:
      return mtval_;
    case csr::kMip:
      return mip_;
    case csr::kMhartid:
      return hart_id_;
    case csr::kMcycle:
    case csr::kCycle:
      return low(cycles);
    case csr::kMcycleh:
    case csr::kCycleh:
      return high(cycles);
    case csr::kMinstret:
    case csr::kInstret:
      return low(instret);
    case csr::kMinstreth:
    case csr::kInstreth:
      return high(instret);
    case csr::kMcounteren:
      return mcounteren_;
    case csr::kMcountinhibit:
      return (cycle_.stopped ? kCycleBit : 0) | (instret_.stopped ? kInstretBit : 0);
    case csr::kTselect:
      return triggers_.selected();
    case csr::kTdata1:
      return triggers_.control();
    case csr::kTdata2:
      return triggers_.address();
    case csr::kTinfo:
      return kAddressMatchOnly;
    case csr::kMvendorid:
    case csr::kMarchid:
    case csr::kMimpid:
    case csr::kMconfigptr:
    case csr::kMstatush:
    case csr::kMenvcfg:
    case csr::kMenvcfgh:
    case csr::kTdata3:
      return 0;
    default:
      if (is_zero_counter(number)) return 0;
      return std::nullopt;
  }
}

bool CsrFile::write(std::uint32_t number, std::uint32_t value, const Counters& before,
                    const Counters& after, bool from_debugger) {
  // bits 11:10 of a CSR's number tell whether the CSR is read-only
  if ((number >> 10 & 3) == 3) return false;
  const std::uint64_t cycles = cycle_.at(before.cycles);
  const std::uint64_t instret = instret_.at(before.retired);
  if (number >= csr::kPmpcfg0 && number <= csr::kPmpcfg3) {
    pmp_.write_config(number - csr::kPmpcfg0, value);
    return true;
  }
  if (number >= csr::kPmpaddr0 && number <= csr::kPmpaddr15) {
    pmp_.write_address(number - csr::kPmpaddr0, value);
    return true;
  }
  switch (number) {
    case csr::kMstatus:
      mstatus_ = (mstatus_ & kMpp) | (value & (kMie | kMpie | kMprv | kTw));
      // MPP holds machine or user mode. A write of another mode leaves MPP unchanged.
      if ((value & kMpp) == kMpp || (value & kMpp) == 0) {
        mstatus_ = (mstatus_ & ~kMpp) | (value & kMpp);
      }
      return true;
    case csr::kMie:
      mie_ = value & kInterruptBits;
      return true;
    case csr::kMtvec:
      if ((value & 2) == 0) {  // vector modes 2 and 3 are reserved, so the old mode stays
        mtvec_ = value;
        mtvec_written_ = true;
      }
      return true;
    case csr::kMscratch:
      mscratch_ = value;
      return true;
    case csr::kMepc:
      mepc_ = value & ~1u;
      return true;  // IALIGN is 16, so bit 1 of an address may be set
    case csr::kMcause:
      mcause_ = value;
      return true;
    case csr::kMtval:
      mtval_ = value;
      return true;
    case csr::kMcycle:
      cycle_.set(with_low(cycles, value), after.cycles);
      return true;
    case csr::kMcycleh:
      cycle_.set(with_high(cycles, value), after.cycles);
      return true;
    case csr::kMinstret:
      instret_.set(with_low(instret, value), after.retired);
      return true;
    case csr::kMinstreth:
      instret_.set(with_high(instret, value), after.retired);
      return true;
    case csr::kMcounteren:
      mcounteren_ = value & (kCycleBit | kInstretBit);
      return true;
    case csr::kMcountinhibit:
      cycle_.stop((value & kCycleBit) != 0, after.cycles);
      instret_.stop((value & kInstretBit) != 0, after.retired);
      return true;
    case csr::kTselect:
      triggers_.select(value);
      return true;
    case csr::kTdata1:
      triggers_.write_control(value, from_debugger);
      return true;
    case csr::kTdata2:
      triggers_.write_address(value, from_debugger);
      return true;
    case csr::kMip:  // devices set the three interrupt lines in mip; CSR writes do not
    case csr::kMisa:
    case csr::kMstatush:
    case csr::kMenvcfg:  // menvcfg has no effect, since all fences order everything
    case csr::kMenvcfgh:
    case csr::kTdata3:
    case csr::kTinfo:
      return true;
    default:
      return is_zero_counter(number);
  }
}

std::uint32_t CsrFile::enter_trap(std::uint32_t mcause, std::uint32_t mtval, std::uint32_t pc) {
  const bool enabled = (mstatus_ & kMie) != 0;
  const std::uint32_t from = static_cast<std::uint32_t>(privilege_) << 11;
  mstatus_ = (mstatus_ & (kMprv | kTw)) | from | (enabled ? kMpie : 0);
  privilege_ = Privilege::kMachine;
  mcause_ = mcause;
  mtval_ = mtval;
  mepc_ = pc;
  const bool vectored = (mtvec_ & 1) != 0 && (mcause >> 31) != 0;
  return handler_base() + (vectored ? 4 * (mcause & 0x7FFFFFFF) : 0);
}

std::uint32_t CsrFile::leave_trap() {
  const bool enable = (mstatus_ & kMpie) != 0;
  privilege_ = previous();
  const std::uint32_t kept = mstatus_ & (privilege_ == Privilege::kMachine ? kMprv | kTw : kTw);
  // mret sets MPP to user mode, the least privileged mode
  mstatus_ = kept | kMpie | (enable ? kMie : 0);
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

const char* csr_name(std::uint32_t number) {
  for (const NamedCsr& entry : kNames) {
    if (entry.number == number) return entry.name;
  }
  return nullptr;
}

}  // namespace dcc::riscv
