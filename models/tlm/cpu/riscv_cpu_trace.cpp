// What the CPU tells of its instructions: a line each, and the functions they belong to.
#include <algorithm>
#include <cstdio>

#include "cpu/riscv_cpu.h"
#include "riscv/disassembler.h"

namespace dcc::model {

using riscv::Stop;

void RiscvCpu::set_call_trace(riscv::CallSink* sink, const TraceWindow& window) {
  calls_ = sink != nullptr ? std::make_unique<riscv::CallTracker>(*sink, symbols_) : nullptr;
  calls_window_ = window;
}

void RiscvCpu::finish_traces() {
  if (calls_ != nullptr) calls_->finish(hart_.cycles());
  calls_ = nullptr;
  trace_ = nullptr;
}

// Asked once a quantum: may anything in it have to be told?
bool RiscvCpu::is_traced() const {
  if (trace_ == nullptr && calls_ == nullptr) return false;
  const sc_core::sc_time now = time_of(hart_.cycles());
  const auto meets = [&](const TraceWindow& window) {
    return now < window.to && window.from < now + config_.quantum;
  };
  return (trace_ != nullptr && meets(trace_window_)) || (calls_ != nullptr && meets(calls_window_));
}

Stop RiscvCpu::run_traced() {
  Stop stop = Stop::kBudget;
  for (std::uint64_t i = 0; i < quantum_left_ && stop == Stop::kBudget; ++i) {
    stop = hart_.has_breakpoint(hart_.pc()) ? Stop::kBreakpoint : step_traced();
  }
  return stop;
}

Stop RiscvCpu::step_traced() {
  const sc_core::sc_time now = time_of(hart_.cycles());
  const bool with_line = trace_ != nullptr && trace_window_.contains(now);
  const bool with_calls = calls_ != nullptr && calls_window_.contains(now);
  if (calls_ != nullptr && now >= calls_window_.to) {
    calls_->finish(hart_.cycles());
    calls_ = nullptr;
  }
  const std::uint32_t before = hart_.pc();
  if (hart_.take_interrupt()) {
    std::uint32_t cause = 0;
    hart_.read_csr(riscv::csr::kMcause, cause);
    if (with_line) *trace_ << "                 -- " << riscv::cause_name(cause) << '\n';
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
  if (with_line) write_trace_line(pc, fetched ? &op : nullptr, trapped);
  if (with_calls) calls_->executed(op, pc, hart_.pc(), trapped, hart_.cycles());
  return stop;
}

void RiscvCpu::write_trace_line(std::uint32_t pc, const riscv::DecodedOp* op, bool trapped) {
  const std::string symbol = symbols_ != nullptr ? symbols_->describe(pc) : "";
  const std::string text = op != nullptr ? riscv::disassemble(*op, pc) : "(not readable)";
  char line[256];
  const auto ns = time_of(hart_.cycles()).value() / 1000;
  const bool compressed = op != nullptr && op->halfwords == 1;
  int at = std::snprintf(
      line, sizeof line,
      compressed ? "%12llu %08x %-24s     %04x %-28s" : "%12llu %08x %-24s %08x %-28s",
      static_cast<unsigned long long>(ns), pc, symbol.c_str(), op != nullptr ? op->raw : 0,
      text.c_str());
  at = std::min(at, static_cast<int>(sizeof line) - 1);
  while (at > 0 && line[at - 1] == ' ') --at;
  trace_->write(line, at);
  if (trapped) {
    *trace_ << "  -- " << riscv::cause_name(hart_.last_trap().cause);
  } else if (op != nullptr && op->rd != riscv::kSink &&
             !(op->op >= riscv::Op::kBeq && op->op <= riscv::Op::kBgeuNear) &&
             !(op->op >= riscv::Op::kSb && op->op <= riscv::Op::kSwStack)) {
    std::snprintf(line, sizeof line, "  %s=%08x", riscv::register_name(op->rd), hart_.reg(op->rd));
    *trace_ << line;
  }
  *trace_ << '\n';
}

}  // namespace dcc::model
