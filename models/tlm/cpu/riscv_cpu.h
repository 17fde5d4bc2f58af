// The host CPU: a RISC-V hart on the TLM bus.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>
#include <tlm>

#include "cpu/debug_registry.h"
#include "cpu/gdb_server.h"
#include "cpu/time_machine.h"
#include "riscv/call_tracker.h"
#include "riscv/hart.h"
#include "riscv/symbol_table.h"

namespace dcc::model {

struct RiscvCpuConfig {
  std::uint32_t hart_id = 0;
  std::uint64_t clock_hz = 1'000'000'000;
  riscv::Hart::Cpi cpi{};
  /// How far the CPU runs ahead of the rest at most, and so how late it may see an interrupt.
  sc_core::sc_time quantum{1, sc_core::SC_US};
  riscv::Hart::Misaligned misaligned = riscv::Hart::Misaligned::kTrap;
  std::uint32_t ram_base = 0;
  std::uint32_t ram_bytes = 0;  // multiple of 4096; the only place code can run from
};

/// From `from` (included) to `to`.
struct TraceWindow {
  sc_core::sc_time from = sc_core::SC_ZERO_TIME;
  sc_core::sc_time to = sc_core::sc_max_time();
  bool contains(const sc_core::sc_time& t) const { return from <= t && t < to; }
};

/// Runs instructions in quanta of simulated time, RAM by DMI. Every other access happens at the
/// CPU's own time: what it is ahead is waited out first, so devices see it in the order of all
/// processes. Time is cycles over clock; mcycle goes on through sleep and bus waits.
///
/// A debugger changes nothing: stops, steps and looks leave the grid of quanta as it is. While the
/// CPU stands, devices may be behind it by up to a quantum, as they are while it runs.
///
/// The program ends by exit() (simulation control), through `tohost`, or by a death that
/// failure() describes; the CPU then stands still and the end handler has been called.
class RiscvCpu final : public sc_core::sc_module, private riscv::MemoryBus, private DebugTarget {
 public:
  tlm_utils::simple_initiator_socket<RiscvCpu> socket{"socket"};

  enum class State { kRunning, kExited, kDead, kKilled };

  RiscvCpu(const sc_core::sc_module_name& name, const RiscvCpuConfig& config);
  ~RiscvCpu() override;

  /// Before the simulation starts. `symbols` must outlive the CPU.
  void set_program(std::uint32_t entry, const riscv::SymbolTable* symbols);
  /// A port of the loopback interface for gdb (0: any free, see gdb_port()). With `wait` the first
  /// instruction waits for the debugger. Throws std::runtime_error if the port is taken.
  void enable_gdb(std::uint16_t port, bool wait);
  std::uint16_t gdb_port() const { return gdb_ ? gdb_->port() : 0; }
  void set_registry(const DebugRegistry* registry) { registry_ = registry; }
  /// One line an instruction: time, address, symbol, instruction, what it wrote; from `from` up to
  /// `to`. Slow. Null switches it off.
  void set_trace(std::ostream* out, const TraceWindow& window = {}) {
    trace_ = out;
    trace_window_ = window;
  }
  /// Functions entered and left, cycles counted by this CPU's clock (time_of()). As slow. Null
  /// switches it off; a sink hears the end of what is open when the window or the program ends.
  void set_call_trace(riscv::CallSink* sink, const TraceWindow& window = {});
  /// Who hears of every instruction; as slow. Null switches it off.
  void set_observer(riscv::InstructionObserver* observer) { observer_ = observer; }
  /// Ends what the call trace holds open; once the simulation is over.
  void finish_traces();
  sc_core::sc_time time_of(std::uint64_t cycles) const;
  /// Name of what lies at a bus address, for messages.
  void set_namer(std::function<std::string(std::uint64_t)> namer) { namer_ = std::move(namer); }
  /// How values that the debugger watches are compared with what they were: `start` is called when
  /// it begins to watch; from then on compare_watched() wants to be called after every event of the
  /// devices, with its time, as long as it returns true. Without it values are compared after this
  /// CPU's own accesses and at the end of its quanta only.
  void set_watch_starter(std::function<void()> start) { start_watching_ = std::move(start); }
  bool compare_watched(const sc_core::sc_time& now);
  /// Characters written through `tohost`.
  void set_console(std::function<void(char)> console) { console_ = std::move(console); }
  /// Called once, when the program has ended in whatever way.
  void set_end_handler(std::function<void()> handler) { on_end_ = std::move(handler); }
  /// For the debugger to step and run backwards; null: it cannot. One CPU of a simulation.
  void set_time_machine(TimeMachine* machine) { machine_ = machine; }
  /// How to notify an event from set_interrupt(); by default immediately at sc_time_stamp(). A
  /// platform whose devices run ahead of SystemC's time gives its own.
  void set_notifier(std::function<void(sc_core::sc_event&)> notifier) {
    notifier_ = std::move(notifier);
  }

  /// Level-sensitive lines; from a device's event, a process, or a bus access of this CPU.
  void set_interrupt(riscv::Cause line, bool high);
  /// From a device, within an access of this CPU: the program is done.
  void exit(std::uint32_t code);
  /// RAM was written behind the hart's back; there may be code in it.
  void memory_changed(std::uint32_t address, std::uint32_t bytes) {
    hart_.code_changed(address, bytes);
  }

  State state() const { return state_; }
  std::uint32_t exit_code() const { return exit_code_; }
  /// Why the program died, in one or two sentences with pc, symbol and access; else empty.
  const std::string& failure() const { return failure_; }
  /// Where the CPU is now, for a run that ends before its program does: "pc 0x… (main+0x4), …".
  std::string whereabouts() const;
  std::uint64_t instructions() const { return hart_.retired(); }
  /// Wall-clock time spent in the CPU's own loop is the platform's to measure; this is what it did.
  const riscv::Hart& hart() const { return hart_; }

 private:
  void run();
  void run_on();
  riscv::Stop run_instructions();
  bool is_traced() const;
  riscv::Stop run_traced();
  riscv::Stop step_traced();
  void write_trace_line(std::uint32_t pc, const riscv::DecodedOp* op, bool trapped);
  void handle_stop(riscv::Stop stop);
  void sleep();
  void catch_up();
  void note_elapsed();
  std::uint64_t cycles_at(const sc_core::sc_time& time) const;
  void end(State state);
  void stop_for_debugger(const DebugStop& stop);
  void poll_debugger();
  // Going back (riscv_cpu_travel.cpp). A moment is a number of instructions begun.
  struct Journey {
    bool search = false;  // for the last stop before `end`; else just to `end`
    std::uint64_t end = 0;
    std::uint64_t stage = 0;  // where to look up next: `end`, or halfway for a snapshot
    std::uint32_t pc = 0;     // not a search: where the CPU stands then; 0: wherever
    std::string extra;        // what to tell the debugger at the end
    bool found = false;       // a stop …
    std::uint64_t at = 0;     // … there
    std::uint32_t found_pc = 0;
    std::string found_extra;
  };
  bool debug_goes_back() const override { return machine_ != nullptr; }
  bool resume_as(GdbServer::Resume resume);
  static DebugStop no_history();
  void mark();
  void obey(const std::string& orders);
  void travel(bool search, std::uint64_t end, std::uint32_t pc, const std::string& extra);
  void arrive();
  void found_on_the_way(std::uint64_t at, std::uint32_t pc, const std::string& extra);
  bool watched_value_changed(const char* when, const sc_core::sc_time& time);
  void handle_mailbox();
  void write_mailbox_text(std::uint32_t block);
  std::string death_sentence() const;
  std::string trap_sentence(const riscv::TrapRecord& trap) const;
  void request_dmi();
  void invalidate_dmi(sc_dt::uint64 start, sc_dt::uint64 end);

  // MemoryBus
  bool load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) override;
  bool store(std::uint32_t address, std::uint32_t size, std::uint32_t value) override;
  bool fetch(std::uint32_t address, std::uint32_t& halfword) override;
  bool access(tlm::tlm_command command, std::uint32_t address, std::uint32_t size,
              std::uint32_t& value);

  // DebugTarget
  bool debug_read_register(unsigned number, std::uint32_t& value) override;
  bool debug_write_register(unsigned number, std::uint32_t value) override;
  std::size_t debug_read_memory(std::uint32_t address, std::uint8_t* data,
                                std::size_t bytes) override;
  std::size_t debug_write_memory(std::uint32_t address, const std::uint8_t* data,
                                 std::size_t bytes) override;
  void debug_set_breakpoint(std::uint32_t address, bool set) override;
  void debug_set_watchpoint(const Watch& watch, bool set) override;
  std::string debug_monitor(const std::string& command) override;
  std::string monitor_modules() const;
  std::string monitor_cpu() const;
  std::string monitor_read(const std::string& path) const;
  std::string monitor_stop_on_change(const std::string& path);
  std::function<std::string()> reader(const std::string& path, std::string& error) const;

  RiscvCpuConfig config_;
  riscv::Hart hart_;
  std::uint64_t quantum_steps_;
  std::uint64_t quantum_left_;
  bool quantum_over_ = false;
  const riscv::SymbolTable* symbols_ = nullptr;
  std::ostream* trace_ = nullptr;
  TraceWindow trace_window_;
  std::unique_ptr<riscv::CallTracker> calls_;
  TraceWindow calls_window_;
  riscv::InstructionObserver* observer_ = nullptr;
  const DebugRegistry* registry_ = nullptr;
  std::function<std::string(std::uint64_t)> namer_;
  std::function<void(char)> console_;
  std::function<void()> on_end_;
  std::function<void(sc_core::sc_event&)> notifier_;

  sc_core::sc_event wake_;
  tlm::tlm_generic_payload payload_;
  bool dmi_wanted_ = true;
  std::uint32_t tohost_ = 0;
  std::uint32_t fromhost_ = 0;

  std::unique_ptr<GdbServer> gdb_;
  bool gdb_waits_ = false;
  bool single_step_ = false;
  bool stepping_over_ = false;  // a breakpoint may sit on the next instruction
  std::uint32_t quanta_to_poll_ = 0;
  struct WatchedValue {
    std::string path;
    std::function<std::string()> read;
    std::string last;
  };
  std::vector<WatchedValue> watched_;
  std::string change_note_;  // what has changed since the CPU last looked; empty: nothing
  std::function<void()> start_watching_;

  TimeMachine* machine_ = nullptr;
  std::vector<std::uint64_t> marks_;  // instructions begun at each snapshot
  std::size_t first_mark_ = 0;        // of this debugger
  std::unique_ptr<Journey> journey_;  // while on the way

  State state_ = State::kRunning;
  bool exit_asked_ = false;
  std::uint32_t exit_code_ = 0;
  std::string failure_;
};

}  // namespace dcc::model
