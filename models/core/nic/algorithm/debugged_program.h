// Interfaces between a debugger or a profile and the processor of a congestion-control program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "riscv/hart.h"

namespace dcc {

/// The processor that runs a NIC's handlers, as a debugger sees it. A handler runs to its end at
/// one moment of simulated time; the time that the handler costs passes afterwards.
class DebuggedProcessor {
 public:
  virtual ~DebuggedProcessor() = default;
  virtual riscv::Hart& hart() = 0;
  /// The functions read and write the program's memory, and return the number of bytes moved. Code
  /// cannot be written.
  virtual std::size_t read_memory(std::uint32_t address, std::uint8_t* data, std::size_t bytes) = 0;
  virtual std::size_t write_memory(std::uint32_t address, const std::uint8_t* data,
                                   std::size_t bytes) = 0;
  /// Address to which handlers return, where the processor keeps a breakpoint of its own.
  virtual std::uint32_t return_address() const = 0;
  /// Describes the event whose handler runs, in one line.
  virtual std::string present_event() const = 0;
  /// Reports every instruction of the handlers to `observer`, and calls `at_end` behind each
  /// handler. Costs and effects of the handlers stay the same. `observer` must outlive the run.
  virtual void set_observer(riscv::InstructionObserver* observer, std::function<void()> at_end) = 0;
};

/// A debugger, called by the processor. Each function may block while simulated time stands still.
class ProcessorDebugger {
 public:
  virtual ~ProcessorDebugger() = default;
  /// A handler is about to run its first instruction.
  virtual void begin_handler(DebuggedProcessor& processor) = 0;
  /// True if the processor shall run one instruction only, even if a breakpoint sits on it.
  virtual bool wants_one_instruction() = 0;
  /// The processor has run one instruction.
  virtual void stepped() = 0;
  /// The processor met a breakpoint or watchpoint of the debugger.
  virtual void met_point(riscv::Stop stop) = 0;
  /// The running handler cannot continue; `why`: the reason in one sentence.
  virtual void faulted(const std::string& why) = 0;
};

/// An algorithm whose program can be debugged and profiled.
class DebuggedProgram {
 public:
  virtual ~DebuggedProgram() = default;
  /// Port of the loopback interface that the configuration gives to the debugger of this host's
  /// NIC; nothing if the configuration asks for none on this host.
  virtual std::optional<std::uint16_t> debugger_port(std::uint32_t host) const = 0;
  /// Call before the run begins. `debugger` must outlive the run.
  virtual void set_debugger(ProcessorDebugger& debugger) = 0;
  /// ELF file of the program, which may be unusable.
  virtual std::string program_file() const = 0;
  /// The processor that stands for the NIC's cores; null if the program's file is unusable.
  virtual DebuggedProcessor* processor() = 0;
};

}  // namespace dcc
