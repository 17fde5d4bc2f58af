#include "schemes/program/program_core.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace dcc {
namespace {

using riscv::Op;

constexpr std::size_t kMaxText = 512;
constexpr std::uint32_t kReservedEnd = DCC_VALUES_ADDRESS + 4 * (1 + DCC_MAX_VALUES);
static_assert(kReservedEnd <= DCC_DATA_BASE + DCC_RESERVED_BYTES);

std::uint32_t cost(const Ratio& cycles) {
  return static_cast<std::uint32_t>(
      (cycles.numerator * ProgramCore::kCostOfCycle + cycles.denominator / 2) / cycles.denominator);
}

bool is_between(Op op, Op first, Op last) { return op >= first && op <= last; }

/// Cost class of an operation; null for operations that only mark states of decode cache entries.
const Ratio* class_of(Op op, const ProgramCpi& cpi) {
  if (op < Op::kIllegal) return nullptr;
  if (is_between(op, Op::kJal, Op::kJalr)) return &cpi.jump;
  if (is_between(op, Op::kBeq, Op::kBgeuNear)) return &cpi.branch;
  if (is_between(op, Op::kLb, Op::kLhu)) return &cpi.load;
  if (is_between(op, Op::kSb, Op::kSwStack)) return &cpi.store;
  if (is_between(op, Op::kFence, Op::kWfi)) return &cpi.system;
  if (is_between(op, Op::kMul, Op::kMulhu)) return &cpi.mul;
  if (is_between(op, Op::kDiv, Op::kRemu)) return &cpi.div;
  if (is_between(op, Op::kLrW, Op::kCsrrci)) return &cpi.system;
  return &cpi.alu;
}

}  // namespace

riscv::Hart::Costs ProgramCore::costs_of(const ProgramCpi& cpi) {
  riscv::Hart::Costs costs;
  for (unsigned op = 0; op <= static_cast<unsigned>(Op::kCsrrci); ++op) {
    const Ratio* const cycles = class_of(static_cast<Op>(op), cpi);
    if (cycles != nullptr) costs.of[op] = cost(*cycles);
  }
  costs.taken = cost(cpi.taken);
  return costs;
}

ProgramCore::ProgramCore(std::shared_ptr<const ProgramImage> image,
                         const ProgramParameters& parameters)
    : image_(std::move(image)),
      costs_(costs_of(parameters.cpi)),
      limit_(parameters.limit),
      memory_(static_cast<std::size_t>(parameters.memory)),
      hart_(*this) {
  const std::vector<std::uint8_t>& data = image_->data();
  if (!data.empty()) std::memcpy(memory_.data() + DCC_RESERVED_BYTES, data.data(), data.size());
  std::uint32_t values[1 + DCC_MAX_VALUES] = {};
  values[0] = static_cast<std::uint32_t>(parameters.values.size());
  std::copy(parameters.values.begin(), parameters.values.end(), values + 1);
  std::memcpy(ram(DCC_VALUES_ADDRESS), values, sizeof values);
  reserved_.assign(ram(DCC_EVENT_ADDRESS), ram(kReservedEnd));
  hart_.set_ram({memory_.data(), DCC_DATA_BASE, static_cast<std::uint32_t>(memory_.size())});
  // The hart does not write to the code memory: it sends stores there to the bus, which refuses
  // them.
  hart_.set_rom({const_cast<std::uint8_t*>(image_->code().data()), DCC_CODE_BASE,
                 static_cast<std::uint32_t>(image_->code().size())});
  hart_.set_stack_limit(DCC_DATA_BASE);
  hart_.add_breakpoint(image_->return_address());
  restart();
}

void ProgramCore::restart() { hart_.reset(image_->return_address()); }

ProgramCore::Outcome ProgramCore::run(std::uint32_t handler, const dcc_event& event,
                                      const dcc_hop* hops, std::uint8_t* context,
                                      dcc_result& result) {
  constexpr unsigned kRa = 1, kSp = 2, kGp = 3, kA0 = 10;
  static_assert(sizeof event <= DCC_RESULT_ADDRESS - DCC_EVENT_ADDRESS, "event and result overlap");
  const std::uint32_t context_bytes = image_->program().context_bytes;
  std::memcpy(ram(DCC_EVENT_ADDRESS), &event, sizeof event);
  static_assert(DCC_MAX_HOPS * sizeof *hops <= DCC_VALUES_ADDRESS - DCC_HOPS_ADDRESS);
  if (event.hops != 0) {
    std::memcpy(ram(DCC_HOPS_ADDRESS), hops, event.hops * sizeof *hops);
    std::memcpy(&reserved_[DCC_HOPS_ADDRESS - DCC_EVENT_ADDRESS], hops, event.hops * sizeof *hops);
  }
  std::memcpy(ram(DCC_RESULT_ADDRESS), &result, sizeof result);
  std::memcpy(ram(DCC_CONTEXT_ADDRESS), context, context_bytes);
  hart_.set_reg(kRa, image_->return_address());
  hart_.set_reg(kSp, DCC_DATA_BASE + DCC_STACK_BYTES);
  hart_.set_reg(kGp, image_->program().global_pointer);
  hart_.set_reg(kA0, DCC_EVENT_ADDRESS);
  hart_.set_reg(kA0 + 1, DCC_CONTEXT_ADDRESS);
  hart_.set_reg(kA0 + 2, DCC_RESULT_ADDRESS);
  hart_.set_pc(handler);
  Outcome outcome;
  const std::uint64_t before = hart_.steps();
  const riscv::Stop stop =
      debugger_ != nullptr ? run_debugged(outcome.cost) : run_some(limit_, outcome.cost);
  outcome.instructions = hart_.steps() - before;
  if (at_end_) at_end_();
  const std::string stray = stray_write();
  const bool returned = stop == riscv::Stop::kBreakpoint && hart_.pc() == image_->return_address();
  if (returned && stray.empty()) {
    std::memcpy(&result, ram(DCC_RESULT_ADDRESS), sizeof result);
    std::memcpy(context, ram(DCC_CONTEXT_ADDRESS), context_bytes);
    return outcome;
  }
  outcome.faulted = true;
  outcome.fault = returned ? stray : fault_text(stop);
  if (debugger_ != nullptr) debugger_->faulted(outcome.fault);
  restart();
  return outcome;
}

/// Finds the first byte behind result or context that the handler changed, and restores all changed
/// bytes. Returns a text that says where the first changed byte lies; empty if the handler changed
/// none.
std::string ProgramCore::stray_write() {
  const struct {
    const char* behind;
    std::uint32_t address, bytes, end;
  } parts[] = {
      {"result", DCC_RESULT_ADDRESS, sizeof(dcc_result), DCC_CONTEXT_ADDRESS},
      {"context", DCC_CONTEXT_ADDRESS, image_->program().context_bytes, kReservedEnd},
  };
  std::string found;
  for (const auto& part : parts) {
    const std::uint32_t begin = part.address + part.bytes;
    std::uint8_t* const now = ram(begin);
    const std::uint8_t* const due = &reserved_[begin - DCC_EVENT_ADDRESS];
    const std::size_t bytes = part.end - begin;
    if (std::memcmp(now, due, bytes) == 0) continue;
    const auto offset = std::mismatch(now, now + bytes, due).first - now;
    if (found.empty()) {
      found = "a write outside of context and result, at byte " +
              std::to_string(part.bytes + offset) + " of a " + part.behind + " of " +
              std::to_string(part.bytes) + " bytes";
    }
    std::memcpy(now, due, bytes);
  }
  return found;
}

/// Runs a handler like Hart::run_costed() and reports each instruction to the observer. With
/// `over_breakpoint`, a breakpoint at the first instruction does not stop the core.
riscv::Stop ProgramCore::run_observed(std::uint64_t budget, std::uint64_t& cost,
                                      bool over_breakpoint) {
  riscv::Stop stop = riscv::Stop::kBudget;
  for (std::uint64_t i = 0; i < budget && stop == riscv::Stop::kBudget; ++i) {
    const std::uint32_t pc = hart_.pc();
    const std::uint64_t steps = hart_.steps();
    const std::uint64_t retired = hart_.retired();
    riscv::DecodedOp op;
    // decodes the instruction at pc; if no instruction can be fetched there, the trap gives the
    // reason
    hart_.instruction_at(pc, op);
    stop = over_breakpoint && i == 0 ? hart_.step_costed(costs_, cost)
                                     : hart_.run_costed(1, costs_, cost);
    const bool trapped = hart_.retired() == retired;
    if (hart_.steps() != steps) observer_->executed(op, pc, hart_.pc(), trapped);
  }
  return stop;
}

/// Runs a handler like Hart::run_costed(limit_, …), except that a debugger may stop it in between.
riscv::Stop ProgramCore::run_debugged(std::uint64_t& cost) {
  const std::uint64_t end = hart_.steps() + limit_;
  debugger_->begin_handler(*this);
  while (hart_.steps() < end) {
    const bool one = debugger_->wants_one_instruction();
    const riscv::Stop stop = !one                   ? run_some(end - hart_.steps(), cost)
                             : observer_ != nullptr ? run_observed(1, cost, true)
                                                    : hart_.step_costed(costs_, cost);
    const bool goes_on = stop == riscv::Stop::kBudget || stop == riscv::Stop::kBreakpoint ||
                         stop == riscv::Stop::kWatchpoint;
    if (!goes_on) return stop;
    if (hart_.pc() == return_address() && (one || stop == riscv::Stop::kBreakpoint)) {
      return riscv::Stop::kBreakpoint;
    }
    if (stop != riscv::Stop::kBudget) {
      debugger_->met_point(stop);
    } else if (one) {
      debugger_->stepped();
    }
  }
  return riscv::Stop::kBudget;
}

std::size_t ProgramCore::read_memory(std::uint32_t address, std::uint8_t* data, std::size_t bytes) {
  std::size_t count = 0;
  for (; count < bytes; ++count) {
    const std::uint8_t* const byte = bytes_at(address + static_cast<std::uint32_t>(count), 1);
    if (byte == nullptr) break;
    data[count] = *byte;
  }
  return count;
}

std::size_t ProgramCore::write_memory(std::uint32_t address, const std::uint8_t* data,
                                      std::size_t bytes) {
  std::size_t count = 0;
  for (; count < bytes && address - DCC_DATA_BASE + count < memory_.size(); ++count) {
    const std::uint32_t at = address + static_cast<std::uint32_t>(count);
    *ram(at) = data[count];
    if (at - DCC_EVENT_ADDRESS < reserved_.size()) reserved_[at - DCC_EVENT_ADDRESS] = data[count];
  }
  hart_.code_changed(address, static_cast<std::uint32_t>(count));
  return count;
}

std::string ProgramCore::present_event() const {
  dcc_event event{};
  std::memcpy(&event, bytes_at(DCC_EVENT_ADDRESS, sizeof event), sizeof event);
  static const char* const kKinds[] = {"start", "cnp", "ack", "nack", "sent", "timer"};
  static_assert(sizeof kKinds / sizeof *kKinds == DCC_EVENT_KINDS);
  return std::string(event.kind < DCC_EVENT_KINDS ? kKinds[event.kind] : "?") + " of flow " +
         std::to_string(event.flow) + " at " + std::to_string(event.time_ps) + " ps, " +
         std::to_string(event.merged) + " merged";
}

std::string ProgramCore::fault_text(riscv::Stop stop) const {
  const auto at = [&](std::uint32_t pc) { return image_->symbols().with_address(pc); };
  switch (stop) {
    case riscv::Stop::kBudget:
      return "endless: more than " + std::to_string(limit_) + " instructions, at " + at(hart_.pc());
    case riscv::Stop::kDead:
      break;
    default:
      return "it stops (wfi, ebreak or a trigger) at " + at(hart_.pc());
  }
  const riscv::TrapRecord& record = hart_.death_record();
  char value[16];
  std::snprintf(value, sizeof value, "0x%08x", record.value);
  switch (hart_.death()) {
    case riscv::Death::kStackOverflow:
      return "stack overflow: more than " + std::to_string(DCC_STACK_BYTES) + " bytes, at " +
             at(record.pc);
    case riscv::Death::kNoHandler:
      return std::string(riscv::cause_name(record.cause)) + ", " + value + ", at " + at(record.pc);
    default:
      return std::string(riscv::death_name(hart_.death())) + ", at " + at(record.pc);
  }
}

bool ProgramCore::load(std::uint32_t, std::uint32_t, std::uint32_t&) { return false; }
bool ProgramCore::fetch(std::uint32_t, std::uint32_t&) { return false; }

bool ProgramCore::store(std::uint32_t address, std::uint32_t size, std::uint32_t value) {
  if (size != 4) return false;
  switch (address - DCC_TRACE_ADDRESS) {
    case 0:
      write_line(value);
      return true;
    case 4:
      trace_arguments_ = value;
      return true;
    case 8:
      trace_count_ = value;
      return true;
    default:
      return false;
  }
}

/// Returns the bytes of a range of the program's memory; null if part of the range lies outside.
const std::uint8_t* ProgramCore::bytes_at(std::uint32_t address, std::uint32_t size) const {
  const std::vector<std::uint8_t>& code = image_->code();
  const auto within = [size](std::uint32_t offset, std::size_t bytes) {
    return offset < bytes && size <= bytes - offset;
  };
  if (within(address - DCC_DATA_BASE, memory_.size())) {
    return memory_.data() + (address - DCC_DATA_BASE);
  }
  if (within(address - DCC_CODE_BASE, code.size())) return code.data() + (address - DCC_CODE_BASE);
  return nullptr;
}

std::string ProgramCore::text_at(std::uint32_t address) const {
  std::string text;
  while (text.size() < kMaxText) {
    const std::uint8_t* const byte = bytes_at(address++, 1);
    if (byte == nullptr) return text + "(?)";
    if (*byte == 0) break;
    text += static_cast<char>(*byte);
  }
  return text;
}

std::uint32_t ProgramCore::argument(std::uint32_t index) const {
  std::uint32_t value = 0;
  const std::uint8_t* const bytes = bytes_at(trace_arguments_ + 4 * index, 4);
  if (index < trace_count_ && bytes != nullptr) std::memcpy(&value, bytes, 4);
  return value;
}

void ProgramCore::write_line(std::uint32_t format) {
  const std::string pattern = text_at(format);
  std::string line;
  std::uint32_t next = 0;
  for (std::size_t at = 0; at < pattern.size() && line.size() < kMaxText; ++at) {
    if (pattern[at] != '%') {
      line += pattern[at] == '\n' ? ' ' : pattern[at];
      continue;
    }
    const std::size_t end = pattern.find_first_not_of("-+ #0123456789", at + 1);
    if (end == std::string::npos) break;
    const char conversion = pattern[end];
    if (conversion == '%') {
      line += '%';
    } else if (conversion == 's') {
      line += text_at(argument(next++));
    } else if (std::strchr("diuxXc", conversion) != nullptr && end - at < 8) {
      char piece[256];
      const std::string one = pattern.substr(at, end - at + 1);
      std::snprintf(piece, sizeof piece, one.c_str(), argument(next++));  // NOLINT
      line += piece;
    } else {
      line += pattern.substr(at, end - at + 1);
    }
    at = end;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  lines_.push_back(line);
}

std::vector<std::string> ProgramCore::take_lines() { return std::exchange(lines_, {}); }

}  // namespace dcc
