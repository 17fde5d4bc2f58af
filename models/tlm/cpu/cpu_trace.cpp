#include "cpu/cpu_trace.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "riscv/disassembler.h"

namespace dcc::model {

using riscv::Stop;

void CpuTrace::set_calls(riscv::CallSink* sink, const TraceWindow& window) {
  calls_ = sink != nullptr ? std::make_unique<riscv::CallTracker>(*sink, symbols_) : nullptr;
  calls_window_ = window;
}

void CpuTrace::finish() {
  if (calls_ != nullptr) calls_->finish(hart_.cycles());
  calls_ = nullptr;
  lines_ = nullptr;
}

bool CpuTrace::is_active(const sc_core::sc_time& quantum) const {
  if (lines_ == nullptr && calls_ == nullptr) return false;
  const sc_core::sc_time now = clock_.time_of(hart_.cycles());
  const auto meets = [&](const TraceWindow& window) {
    return now < window.to && window.from < now + quantum;
  };
  return (lines_ != nullptr && meets(lines_window_)) || (calls_ != nullptr && meets(calls_window_));
}

Stop CpuTrace::run(std::uint64_t budget) {
  Stop stop = Stop::kBudget;
  for (std::uint64_t i = 0; i < budget && stop == Stop::kBudget; ++i) {
    stop = hart_.has_breakpoint(hart_.pc()) ? Stop::kBreakpoint : step();
  }
  return stop;
}

Stop CpuTrace::step() {
  const sc_core::sc_time now = clock_.time_of(hart_.cycles());
  const bool with_line = lines_ != nullptr && lines_window_.contains(now);
  const bool with_calls = calls_ != nullptr && calls_window_.contains(now);
  if (calls_ != nullptr && now >= calls_window_.to) {
    calls_->finish(hart_.cycles());
    calls_ = nullptr;
  }
  const std::uint32_t before = hart_.pc();
  if (hart_.take_interrupt()) {
    std::uint32_t cause = 0;
    hart_.read_csr(riscv::csr::kMcause, cause);
    if (with_line) *lines_ << "                 -- " << riscv::cause_name(cause) << '\n';
    if (observer_ != nullptr) observer_->interrupted(before, hart_.pc());
    if (with_calls) calls_->interrupted(before, hart_.pc(), hart_.cycles());
  }
  const std::uint32_t pc = hart_.pc();
  riscv::DecodedOp op;
  const bool fetched = hart_.instruction_at(pc, op);
  const std::uint64_t traps = hart_.steps() - hart_.retired();
  const std::uint64_t steps = hart_.steps();
  const Stop stop = hart_.step();
  const bool trapped = hart_.steps() - hart_.retired() != traps;
  if (observer_ != nullptr && hart_.steps() != steps) {
    observer_->executed(op, pc, hart_.pc(), trapped);
  }
  if (with_line) write_line(pc, fetched ? &op : nullptr, trapped);
  if (with_calls) calls_->executed(op, pc, hart_.pc(), trapped, hart_.cycles());
  return stop;
}

void CpuTrace::write_line(std::uint32_t pc, const riscv::DecodedOp* op, bool trapped) {
  const std::string symbol = symbols_ != nullptr ? symbols_->describe(pc) : "";
  const std::string text = op != nullptr ? riscv::disassemble(*op, pc) : "(not readable)";
  char line[256];
  const auto ns = clock_.time_of(hart_.cycles()).value() / 1000;
  const bool compressed = op != nullptr && op->halfwords == 1;
  int at = std::snprintf(
      line, sizeof line,
      compressed ? "%12llu %08x %-24s     %04x %-28s" : "%12llu %08x %-24s %08x %-28s",
      static_cast<unsigned long long>(ns), pc, symbol.c_str(), op != nullptr ? op->raw : 0,
      text.c_str());
  at = std::min(at, static_cast<int>(sizeof line) - 1);
  while (at > 0 && line[at - 1] == ' ') --at;
  lines_->write(line, at);
  if (trapped) {
    *lines_ << "  -- " << riscv::cause_name(hart_.last_trap().cause);
  } else if (op != nullptr && op->rd != riscv::kSink &&
             !(op->op >= riscv::Op::kBeq && op->op <= riscv::Op::kBgeuNear) &&
             !(op->op >= riscv::Op::kSb && op->op <= riscv::Op::kSwStack)) {
    std::snprintf(line, sizeof line, "  %s=%08x", riscv::register_name(op->rd), hart_.reg(op->rd));
    *lines_ << line;
  }
  *lines_ << '\n';
}

}  // namespace dcc::model
