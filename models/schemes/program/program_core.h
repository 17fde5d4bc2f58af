// The processor of a NIC's program cores: runs one handler at a time, on the NIC's own memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nic/algorithm/debugged_program.h"
#include "program/dcc_program.h"
#include "riscv/hart.h"
#include "schemes/program/program_image.h"
#include "schemes/program/program_parameters.h"

namespace dcc {

/// Runs handlers to their end and reports their costs. All cores of a NIC share code and data, and
/// a handler's loads and stores happen at its begin, so one processor stands for all of them.
class ProgramCore final : private riscv::MemoryBus, public DebuggedProcessor {
 public:
  /// Number of cost units in a cycle: costs are in thousandths of a cycle.
  static constexpr std::uint64_t kCostOfCycle = 1000;

  ProgramCore(std::shared_ptr<const ProgramImage> image, const ProgramParameters& parameters);

  struct Outcome {
    std::uint64_t instructions = 0;
    std::uint64_t cost = 0;
    bool faulted = false;
    // exception and address of the handler's fault, for messages; empty: no fault
    std::string fault;
  };
  /// Calls the handler at address `handler`. `hops`: telemetry of event.hops links. `context` has
  /// the program's context_bytes, which the handler may change; after a fault, context and result
  /// are as before. A write to the reserved memory behind context or result is a fault, too.
  Outcome run(std::uint32_t handler, const dcc_event& event, const dcc_hop* hops,
              std::uint8_t* context, dcc_result& result);
  /// Sets the debugger that may stop the handlers; null: none.
  void set_debugger(ProcessorDebugger* debugger) { debugger_ = debugger; }
  /// Returns the trace lines that the last handler wrote, and removes them from the core.
  std::vector<std::string> take_lines();

 private:
  bool load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) override;
  bool store(std::uint32_t address, std::uint32_t size, std::uint32_t value) override;
  bool fetch(std::uint32_t address, std::uint32_t& halfword) override;

  // Functions of DebuggedProcessor
  riscv::Hart& hart() override { return hart_; }
  std::size_t read_memory(std::uint32_t address, std::uint8_t* data, std::size_t bytes) override;
  std::size_t write_memory(std::uint32_t address, const std::uint8_t* data,
                           std::size_t bytes) override;
  std::uint32_t return_address() const override { return image_->return_address(); }
  std::string present_event() const override;
  void set_observer(riscv::InstructionObserver* observer, std::function<void()> at_end) override {
    observer_ = observer;
    at_end_ = std::move(at_end);
  }

  /// Runs up to `budget` instructions of a handler and adds their costs to `cost`.
  riscv::Stop run_some(std::uint64_t budget, std::uint64_t& cost) {
    return observer_ != nullptr ? run_observed(budget, cost, false)
                                : hart_.run_costed(budget, costs_, cost);
  }
  riscv::Stop run_observed(std::uint64_t budget, std::uint64_t& cost, bool over_breakpoint);
  riscv::Stop run_debugged(std::uint64_t& cost);
  static riscv::Hart::Costs costs_of(const ProgramCpi& cpi);
  void restart();
  std::string fault_text(riscv::Stop stop) const;
  void write_line(std::uint32_t format);
  std::string text_at(std::uint32_t address) const;
  std::uint32_t argument(std::uint32_t index) const;
  const std::uint8_t* bytes_at(std::uint32_t address, std::uint32_t size) const;
  std::string stray_write();
  std::uint8_t* ram(std::uint32_t address) { return memory_.data() + (address - DCC_DATA_BASE); }

  std::shared_ptr<const ProgramImage> image_;
  riscv::Hart::Costs costs_;
  std::uint64_t limit_;
  std::vector<std::uint8_t> memory_;
  // Expected contents of the reserved memory after a handler, from the event to the end of the
  // values, except event, context and result.
  std::vector<std::uint8_t> reserved_;
  riscv::Hart hart_;
  ProcessorDebugger* debugger_ = nullptr;
  riscv::InstructionObserver* observer_ = nullptr;
  // function that is called after each handler; empty without an observer
  std::function<void()> at_end_;
  std::uint32_t trace_arguments_ = 0;
  std::uint32_t trace_count_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace dcc
