// The host CPU: a RISC-V hart on the TLM bus.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "cpu/cpu_clock.h"
#include "cpu/cpu_debug.h"
#include "cpu/cpu_trace.h"
#include "cpu/hart_group.h"
#include "cpu/semihosting.h"
#include "riscv/hart.h"
#include "riscv/symbol_table.h"

namespace dcc::model {

struct RiscvCpuConfig {
  std::uint32_t hart_id = 0;
  std::uint64_t clock_hz = 1'000'000'000;
  riscv::Hart::Cpi cpi{};
  /// Simulated time that the CPU may run ahead of all other processes. The CPU takes an interrupt
  /// up to one quantum late.
  sc_core::sc_time quantum{1, sc_core::SC_US};
  riscv::Hart::Misaligned misaligned = riscv::Hart::Misaligned::kTrap;
  std::uint32_t ram_base = 0;
  // size of RAM in bytes, a multiple of 4096; code runs only from RAM and ROM
  std::uint32_t ram_bytes = 0;
  riscv::RamWindow rom;        // read-only memory for code; size 0: the host has none
  HartGroup* group = nullptr;  // group of the host's harts; null: the hart is the only one
};

/// A CPU that runs instructions in quanta of simulated time and accesses RAM by DMI. For any other
/// access the CPU first waits until SystemC's time has caught up with its local time, so that
/// devices see the accesses of all processes in order. The CPU's time is its cycles divided by its
/// clock frequency; mcycle also counts during sleep and bus waits.
///
/// A debugger (debug()) and traces (trace()) do not change the run: stops, steps and reads leave
/// the grid of quanta as it is. While a debugger holds the CPU, devices may lag behind it by up to
/// a quantum, as they do while the CPU runs.
///
/// The program ends by exit() (simulation control), by a write to `tohost`, by semihosting's
/// SYS_EXIT, or by a fatal error that failure() describes. The CPU then stands still, and the end
/// handler has been called. In a group of harts one hart ends the program for all; a hart that can
/// never continue (a jump to itself with interrupts off, wfi with none enabled) is parked as long
/// as others run. All harts of a group begin at the entry, register a0 holding the hart's number.
class RiscvCpu final : public sc_core::sc_module, private riscv::MemoryBus, private DebuggedCpu {
 public:
  tlm_utils::simple_initiator_socket<RiscvCpu> socket{"socket"};

  enum class State { kRunning, kParked, kExited, kDead, kKilled };

  RiscvCpu(const sc_core::sc_module_name& name, const RiscvCpuConfig& config);
  ~RiscvCpu() override;

  // --- Building -------------------------------------------------------------------------------
  /// Sets the program. Call before the simulation starts. `symbols` may be null and must outlive
  /// the CPU.
  void set_program(std::uint32_t entry, const riscv::SymbolTable* symbols);
  CpuDebug& debug() { return debug_; }
  const CpuDebug& debug() const { return debug_; }
  CpuTrace& trace() { return trace_; }
  using sc_core::sc_module::trace;  // keeps SystemC's trace(file) visible beside the CPU's trace()
  /// Sets the function that names the device at a bus address, for error messages.
  void set_namer(std::function<std::string(std::uint64_t)> namer) { namer_ = std::move(namer); }
  /// Sets the receiver of characters written through `tohost` and by semihosting.
  void set_console(std::function<void(char)> console) { console_ = std::move(console); }
  /// Sets a function that is called once, when the program ends for whatever reason.
  void set_end_handler(std::function<void()> handler) { on_end_ = std::move(handler); }
  /// Sets how set_interrupt() notifies an event; by default immediately at sc_time_stamp(). Needed
  /// where devices run ahead of SystemC's time.
  void set_notifier(std::function<void(sc_core::sc_event&)> notifier) {
    notifier_ = std::move(notifier);
  }

  // --- Running --------------------------------------------------------------------------------
  /// Sets a level-sensitive interrupt line. May be called from a device's event, from a process, or
  /// during a bus access of this CPU.
  void set_interrupt(riscv::Cause line, bool high);
  /// Ends the program with an exit code. Called by a device during an access of this CPU.
  void exit(std::uint32_t code);
  /// True if the running SystemC process is the process of this CPU, as during the CPU's access to
  /// a device.
  bool is_current() const { return sc_core::sc_get_current_process_handle() == process_; }
  /// Tells the hart that another bus master wrote RAM, which may hold code.
  void memory_changed(std::uint32_t address, std::uint32_t bytes) {
    hart_.code_changed(address, bytes);
    hart_.foreign_store(address, bytes);
  }
  /// Reports every access and fence of the hart; null ends the reports.
  void set_access_observer(riscv::AccessObserver* observer) { hart_.set_access_observer(observer); }
  /// Reports every interrupt that the hart takes; null ends the reports.
  void set_interrupt_listener(riscv::InterruptListener* listener) {
    hart_.set_interrupt_listener(listener);
  }
  // Functions that HartGroup calls.
  void guard(std::vector<std::uint32_t> addresses) { hart_.guard(std::move(addresses)); }
  void foreign_store(std::uint32_t address, std::uint64_t bytes) {
    hart_.foreign_store(address, bytes);
  }
  /// Ends the program on this hart as it ended on hart `other`.
  void end_with(const RiscvCpu& other);

  // --- Reading --------------------------------------------------------------------------------
  State state() const { return state_; }
  std::uint32_t exit_code() const { return exit_code_; }
  /// Reason why the program died, in one or two sentences with pc, symbol and access; empty while
  /// it lives.
  const std::string& failure() const { return failure_; }
  /// Text with the CPU's present position: "pc 0x… (main+0x4), …".
  std::string whereabouts() const override;
  std::uint64_t instructions() const { return hart_.retired(); }
  const riscv::Hart& hart() const { return hart_; }
  /// Time up to now during which the hart handled traps and did next to nothing else; zero while
  /// the hart sleeps.
  sc_core::sc_time busy_in_handlers() const {
    return asleep_ ? sc_core::SC_ZERO_TIME
                   : clock_.time_of(hart_.busy_in_handlers()) - clock_.time_of(0);
  }
  /// Time at which the CPU's clock reached this number of cycles.
  sc_core::sc_time time_of(std::uint64_t cycles) const { return clock_.time_of(cycles); }

 private:
  void run();
  void run_on();
  riscv::Stop run_instructions();
  void handle_stop(riscv::Stop stop, bool quantum_over);
  void sleep();
  void catch_up();
  template <class... Until>
  void wait_for(const Until&... until);
  bool can_never_go_on() const;
  void note_elapsed();
  void end(State state);
  void handle_mailbox();
  void handle_semihosting();
  void write_mailbox_text(std::uint32_t block);
  std::string death_sentence() const;
  std::string trap_sentence(const riscv::TrapRecord& trap) const;
  void request_dmi();
  void invalidate_dmi(sc_dt::uint64 start, sc_dt::uint64 end);

  // Functions of MemoryBus
  bool load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) override;
  bool store(std::uint32_t address, std::uint32_t size, std::uint32_t value) override;
  bool fetch(std::uint32_t address, std::uint32_t& halfword) override;
  void complete_atomic() override { completes_atomic_ = true; }
  void stored(std::uint32_t address, std::uint32_t size) override;
  bool access(tlm::tlm_command command, std::uint32_t address, std::uint32_t size,
              std::uint32_t& value);

  // Functions of DebuggedCpu
  std::size_t read_memory(std::uint32_t address, std::uint8_t* data, std::size_t bytes) override;
  std::size_t write_memory(std::uint32_t address, const std::uint8_t* data,
                           std::size_t bytes) override;
  bool is_running() const override { return state_ == State::kRunning; }
  void kill() override { end(State::kKilled); }
  void wake_for_debugger() override;
  void release() override { released_.notify(sc_core::SC_ZERO_TIME); }
  bool is_within_instruction() const override { return in_access_; }
  std::string cpu_name() const override { return name(); }
  sc_core::sc_time local_time() const override { return clock_.time_of(hart_.cycles()); }
  void access_in_group(const sc_core::sc_time& begin, sc_core::sc_time delay);
  std::size_t debug_transport(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data,
                              std::size_t bytes);

  RiscvCpuConfig config_;
  CpuClock clock_;
  riscv::Hart hart_;
  CpuTrace trace_;
  CpuDebug debug_;
  std::uint64_t quantum_steps_;
  std::uint64_t quantum_left_;
  const riscv::SymbolTable* symbols_ = nullptr;
  std::function<std::string(std::uint64_t)> namer_;
  std::function<void(char)> console_;
  std::function<void()> on_end_;
  std::function<void(sc_core::sc_event&)> notifier_;

  sc_core::sc_event wake_;
  tlm::tlm_generic_payload payload_;
  bool dmi_wanted_ = true;
  std::uint32_t tohost_ = 0;    // address of the mailbox word to the host (tohost); 0: none
  std::uint32_t fromhost_ = 0;  // address of the mailbox word from the host (fromhost); 0: none

  Semihosting semihosting_;

  sc_core::sc_process_handle process_;
  sc_core::sc_event released_;  // event: the debugger no longer holds the hart
  bool in_access_ = false;      // true while the CPU is within an access of its present instruction
  // true: the next access must follow the last access without a wait, as the second half of an
  // atomic operation
  bool completes_atomic_ = false;
  bool asleep_ = false;
  State state_ = State::kRunning;
  bool exit_asked_ = false;
  std::uint32_t exit_code_ = 0;
  std::string failure_;
};

}  // namespace dcc::model
