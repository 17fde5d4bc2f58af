// The debugger's access to a CPU: registers, memory, stops, watched values and monitor commands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "cpu/debug_registry.h"
#include "cpu/gdb_server.h"
#include "cpu/reverse_debug.h"
#include "riscv/hart.h"

namespace dcc::model {

/// Interface of a CPU to its debugger access (CpuDebug).
class DebuggedCpu {
 public:
  /// Debug accesses of a debugger to the CPU's bus, without time and side effects. Return the
  /// number of bytes moved.
  virtual std::size_t read_memory(std::uint32_t address, std::uint8_t* data, std::size_t bytes) = 0;
  virtual std::size_t write_memory(std::uint32_t address, const std::uint8_t* data,
                                   std::size_t bytes) = 0;
  virtual bool is_running() const = 0;
  /// Ends the program on the debugger's command.
  virtual void kill() = 0;
  /// Wakes a sleeping CPU, which then calls CpuDebug::poll_asleep().
  virtual void wake_for_debugger() = 0;
  /// Lets the CPU run again after the debugger has held it (CpuDebug::is_held()).
  virtual void release() = 0;
  /// True while the CPU is within an access of its present instruction.
  virtual bool is_within_instruction() const = 0;
  virtual std::string cpu_name() const = 0;
  virtual std::string whereabouts() const = 0;
  /// The CPU's local time, which may be ahead of SystemC's by up to a quantum.
  virtual sc_core::sc_time local_time() const = 0;

 protected:
  ~DebuggedCpu() = default;
};

/// Decides when the CPU stops for a debugger, and answers the debugger while the CPU is stopped.
/// Without enable() no call has an effect. The CPU calls the member functions under "Execution"
/// from its own process; the functions that stop the CPU return when the debugger resumes the CPU.
class CpuDebug final : private DebugTarget {
 public:
  CpuDebug(DebuggedCpu& cpu, riscv::Hart& hart);
  ~CpuDebug() override;

  // --- Building -------------------------------------------------------------------------------
  /// Opens a port of the loopback interface for gdb (0: any free port, see port()). With `wait`,
  /// the CPU waits for the debugger before the first instruction. Throws std::runtime_error if the
  /// port is in use.
  void enable(std::uint16_t port, bool wait);
  /// Serves this hart through the debugger port of `first`, which is hart 0 of the same host. Call
  /// in order of the harts' numbers, after first.enable().
  void join(CpuDebug& first);
  bool is_enabled() const { return gdb_ != nullptr; }
  std::uint16_t port() const { return gdb_ ? gdb_->port() : 0; }
  /// Sets the modules and values that the debugger's monitor commands can show. The registry must
  /// outlive the CpuDebug.
  void set_registry(const DebugRegistry* registry) { registry_ = registry; }
  /// `start` is called when the debugger begins to watch a value. From then on the caller calls
  /// compare_watched() after every event of the devices, as long as the call returns true. Without
  /// `start`, values are compared only after the CPU's own accesses and at the end of its quanta.
  void set_watch_starter(std::function<void()> start) { start_watching_ = std::move(start); }
  /// Sets the snapshots that enable stepping and running backwards; null: disabled. Only one CPU of
  /// a simulation may have them.
  void set_history(SnapshotHistory* history) { reverse_.set_history(history); }

  // --- Execution ------------------------------------------------------------------------------
  /// Called before the first instruction: waits for the debugger if enable() was called with
  /// `wait`.
  void begin();
  /// True while the debugger holds this hart and lets only other harts run.
  bool is_held() const { return held_; }
  /// True while a replay has to be advanced by advance_replay() before the next instruction.
  bool must_advance_replay() const { return reverse_.has_arrived(); }
  void advance_replay();
  /// True if the debugger allows only one instruction now. The answer is valid once.
  bool consume_single_step() {
    const bool step = single_step_ || stepping_over_;
    stepping_over_ = false;
    return step;
  }
  /// Returns `budget`, or the number of instructions to the end of the replay's present stage if
  /// that number is smaller.
  std::uint64_t limited(std::uint64_t budget) const {
    return reverse_.is_replaying() ? std::min(budget, reverse_.steps_left()) : budget;
  }
  /// Called when the CPU has executed the instructions of its budget; `quantum_over`: true if the
  /// budget was a whole quantum.
  void after_budget(bool quantum_over);
  /// Called when the hart has stopped because a device or compare_watched() requested a stop.
  void after_request();
  void after_breakpoint();
  void after_watchpoint();
  bool is_stepping() const { return single_step_; }
  /// Called when the CPU has slept or served the mailbox. `stepping`: result of is_stepping()
  /// before the CPU slept or served.
  void after_step(bool stepping);
  /// Called when the program cannot continue; `why`: one or two sentences.
  void after_death(const std::string& why);
  /// Called every few quanta while the CPU sleeps. Returns true if the CPU must return from its
  /// sleep.
  bool poll_asleep();
  /// Called after an access of the CPU. Returns true if a watched value changed, so that the CPU
  /// must stop.
  bool watched_changed_by_access();
  /// Called after an event of a device at `now`. Returns false if no value is watched any more.
  bool compare_watched(const sc_core::sc_time& now);
  void report_exit(std::uint32_t code);

 private:
  struct WatchedValue {
    std::string path;
    std::function<std::string()> read;
    std::string last;
  };

  void stop(const DebugStop& stop);
  void poll();
  bool resume(GdbServer::Resume resume);
  void forget_session();
  bool note_change(const char* when, const sc_core::sc_time& time);

  // Functions of DebugTarget
  bool debug_read_register(unsigned number, std::uint32_t& value) override;
  bool debug_write_register(unsigned number, std::uint32_t value) override;
  std::size_t debug_read_memory(std::uint32_t address, std::uint8_t* data,
                                std::size_t bytes) override {
    return cpu_.read_memory(address, data, bytes);
  }
  std::size_t debug_write_memory(std::uint32_t address, const std::uint8_t* data,
                                 std::size_t bytes) override {
    return cpu_.write_memory(address, data, bytes);
  }
  void debug_set_breakpoint(std::uint32_t address, bool set) override;
  void debug_set_watchpoint(const Watch& watch, bool set) override;
  std::string debug_monitor(const std::string& command) override;
  bool debug_goes_back() const override { return reverse_.is_available(); }
  bool debug_can_run() const override { return cpu_.is_running(); }
  void debug_follow(Follow follow) override;

  // Functions for the debugger's monitor commands
  std::string monitor_modules() const;
  std::string monitor_cpu() const;
  std::string monitor_read(const std::string& path) const;
  std::string monitor_stop_on_change(const std::string& path);
  std::function<std::string()> reader(const std::string& path, std::string& error) const;

  DebuggedCpu& cpu_;
  riscv::Hart& hart_;
  ReverseDebug reverse_;
  std::shared_ptr<GdbServer> gdb_;  // debugger connection, shared by all harts
  bool waits_for_debugger_ = false;
  bool held_ = false;
  bool single_step_ = false;
  bool stepping_over_ = false;  // true if the CPU must ignore a breakpoint at its next instruction
  std::uint32_t quanta_since_poll_ = 0;
  const DebugRegistry* registry_ = nullptr;
  std::vector<WatchedValue> watched_;
  // text about the first watched value that changed since the CPU last stopped; empty: none changed
  std::string change_note_;
  std::function<void()> start_watching_;
};

}  // namespace dcc::model
