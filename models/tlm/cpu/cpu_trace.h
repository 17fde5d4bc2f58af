// Traces of a CPU: a text line per instruction, the functions called, and an observer.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <systemc>

#include "cpu/cpu_clock.h"
#include "riscv/call_tracker.h"
#include "riscv/hart.h"
#include "riscv/symbol_table.h"

namespace dcc::model {

/// A span of simulated time, from `from` (included) to `to` (excluded).
struct TraceWindow {
  sc_core::sc_time from = sc_core::SC_ZERO_TIME;
  sc_core::sc_time to = sc_core::sc_max_time();
  bool contains(const sc_core::sc_time& t) const { return from <= t && t < to; }
};

/// Runs a hart instruction by instruction and reports each instruction. No trace changes what the
/// program does or when. Traced execution is many times slower than Hart::run().
class CpuTrace {
 public:
  CpuTrace(riscv::Hart& hart, const CpuClock& clock) : hart_(hart), clock_(clock) {}

  /// Sets the symbols that name addresses in traces; may be null. `symbols` must outlive the trace.
  void set_symbols(const riscv::SymbolTable* symbols) { symbols_ = symbols; }
  /// Writes one line per instruction within the window: time, address, symbol, instruction, and the
  /// register written. Null switches the lines off.
  void set_lines(std::ostream* out, const TraceWindow& window = {}) {
    lines_ = out;
    lines_window_ = window;
  }
  /// Reports entered and left functions within the window, in cycles of the CPU's clock. Null
  /// switches the reports off. When the window or the program ends, the end of every open function
  /// is reported to the sink.
  void set_calls(riscv::CallSink* sink, const TraceWindow& window = {});
  /// Reports every executed instruction to `observer`. Null switches the reports off.
  void set_observer(riscv::InstructionObserver* observer) { observer_ = observer; }
  riscv::InstructionObserver* observer() const { return observer_; }
  /// Reports the end of functions that are still open in the trace. Call once, after the
  /// simulation.
  void finish();

  /// True if the trace may have to report an instruction within the next `quantum` as line or call.
  bool is_active(const sc_core::sc_time& quantum) const;
  /// Runs up to `budget` instructions with tracing. Stops early as Hart::run() does.
  riscv::Stop run(std::uint64_t budget);
  /// Runs one instruction with tracing.
  riscv::Stop step();

 private:
  void write_line(std::uint32_t pc, const riscv::DecodedOp* op, bool trapped);

  riscv::Hart& hart_;
  const CpuClock& clock_;
  const riscv::SymbolTable* symbols_ = nullptr;
  std::ostream* lines_ = nullptr;
  TraceWindow lines_window_;
  std::unique_ptr<riscv::CallTracker> calls_;
  TraceWindow calls_window_;
  riscv::InstructionObserver* observer_ = nullptr;
};

}  // namespace dcc::model
