// A GDB remote stub for one RV32 CPU of one or several harts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/gdb_connection.h"

namespace dcc::model {

/// Services of a hart that the gdb stub needs. Registers have gdb's numbers: 0 to 31 are x0 to x31,
/// 32 is pc, and 65 + n is the CSR n. Memory accesses are debug accesses, which take no time and
/// have no side effects; they return the number of bytes moved.
class DebugTarget {
 public:
  struct Watch {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    bool loads = false;
    bool stores = false;
  };
  /// Action of a hart when the CPU resumes after a stop.
  enum class Follow { kContinue, kStep, kHold };
  static constexpr unsigned kPcNumber = 32;
  static constexpr unsigned kFirstCsr = 65;

  virtual ~DebugTarget() = default;
  virtual bool debug_read_register(unsigned number, std::uint32_t& value) = 0;
  virtual bool debug_write_register(unsigned number, std::uint32_t value) = 0;
  virtual std::size_t debug_read_memory(std::uint32_t address, std::uint8_t* data,
                                        std::size_t bytes) = 0;
  virtual std::size_t debug_write_memory(std::uint32_t address, const std::uint8_t* data,
                                         std::size_t bytes) = 0;
  virtual void debug_set_breakpoint(std::uint32_t address, bool set) = 0;
  virtual void debug_set_watchpoint(const Watch& watch, bool set) = 0;
  /// Executes a `monitor …` command of the debugger. Returns the answer for the user.
  virtual std::string debug_monitor(const std::string& command) = 0;
  /// True if the CPU can step and run backwards.
  virtual bool debug_goes_back() const { return false; }
  /// False if the hart can never run again, for example after the program's end.
  virtual bool debug_can_run() const { return true; }
  /// Called when the CPU resumes, for every hart except the one whose process called serve().
  virtual void debug_follow(Follow /*follow*/) {}
};

/// Reason for which a hart stops for the debugger.
struct DebugStop {
  int signal = 5;  // signal number of the stop: 5 trap, 2 interrupt, 11 the program cannot continue
  std::string extra;  // additional part of the stop reply, for example "watch:80001000;"
  std::string note;   // text shown to the user before the stop
};

/// A gdb stub that presents the harts to gdb as threads, numbered from 1. A hart's process calls
/// poll() now and then while the hart runs, and serve() when the hart is stopped; all harts stand
/// still during serve(). All actions of serve() happen at one moment of simulated time. A client
/// counts as a debugger from its first valid packet on; other clients cannot stop the run. When a
/// debugger disconnects, with or without a detach command, its breakpoints and watchpoints are
/// removed and the CPU resumes.
class GdbServer {
 public:
  enum class Resume { kContinue, kStep, kHold, kKill, kBack, kStepBack };

  /// Makes the gdb stub of a CPU whose hart 0 is `target`.
  GdbServer(DebugTarget& target, std::uint16_t port) : targets_{&target}, connection_(port) {}
  /// Adds the CPU's next hart to the gdb stub.
  void add(DebugTarget& target) { targets_.push_back(&target); }

  std::uint16_t port() const { return connection_.port(); }
  bool attached() const { return attached_; }

  /// Must be called while hart `self` runs; returns at once. Returns true if the debugger requests
  /// a stop; the hart then calls serve().
  bool poll(const DebugTarget& self);
  /// Blocks until the debugger resumes the CPU. Reports the stop `stop` of hart `self` if the
  /// debugger waits for this hart. Returns the action that hart `self` must take.
  Resume serve(const DebugTarget& self, const DebugStop& stop);
  /// Must be called before hart 0's first instruction: waits until a debugger has connected and
  /// resumes the CPU.
  Resume wait_for_debugger();
  void report_exit(std::uint32_t code);

  // Saves the state of the debugger's connection, which is kept when the CPU goes back in time:
  // breakpoints, and received bytes that are not yet parsed.
  std::string save_session() const;
  /// Restores a state that save_session() returned to the same debugger's connection at a later
  /// time. The CPU is about to stop.
  void restore_session(const std::string& session);
  /// Suspends breakpoints and watchpoints if `suspended`, so that they are kept but do not stop the
  /// CPU; otherwise puts them into force again.
  void suspend_points(bool suspended);
  /// True if the debugger wrote memory or a register since the last call.
  bool consume_writes() { return std::exchange(wrote_, false); }

 private:
  /// Handles one packet of the debugger. Returns true if the CPU is to continue as resume_ says.
  bool handle(const std::string& packet);
  bool handle_resume(const std::string& packet);
  bool handle_reverse(const std::string& packet);
  void handle_query(const std::string& packet);
  void handle_point(const std::string& packet);
  void read_registers();
  void write_registers(const std::string& packet);
  void read_register(const std::string& packet);
  void write_register(const std::string& packet);
  void read_memory(const std::string& packet);
  void write_memory(const std::string& packet, bool binary);
  void transfer_description(const std::string& packet);
  void monitor(const std::string& hex_command);
  void report(const DebugStop& stop);
  void console(const std::string& text);
  void leave();
  void select_thread(const std::string& packet);
  /// Index of the hart whose thread number gdb sent in hexadecimal, "0" being the stopped thread;
  /// nothing: no such thread.
  std::optional<std::size_t> thread_of(const std::string& text) const;
  std::size_t index_of(const DebugTarget& self) const;
  DebugTarget& selected() const { return *targets_[selected_]; }
  void follow(const std::vector<DebugTarget::Follow>& wanted);

  struct Point {
    char type = '0';
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    bool operator==(const Point& o) const {
      return type == o.type && address == o.address && bytes == o.bytes;
    }
  };
  void apply(const Point& point, bool set);

  std::vector<DebugTarget*> targets_;  // harts of the CPU; gdb's thread n is at index n - 1
  std::size_t stopped_ = 0;            // index of the hart that called serve() or poll() last
  std::size_t selected_ = 0;           // index of the hart whose registers gdb reads
  GdbConnection connection_;
  bool attached_ = false;
  // true if the debugger sent continue or step and waits for the stop reply
  bool reply_due_ = false;
  Resume resume_ = Resume::kContinue;
  DebugStop last_stop_;
  std::vector<Point> points_;
  bool wrote_ = false;
};

}  // namespace dcc::model
