// A GDB remote stub for one RV32 CPU.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cpu/gdb_connection.h"

namespace dcc::model {

/// What the stub asks of a CPU. Registers are numbered as gdb does: 0…31 x0…x31, 32 pc,
/// 65 + n the CSR n. Memory accesses are debug accesses: no time, no side effects; they return how
/// many bytes could be moved.
class DebugTarget {
 public:
  struct Watch {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    bool loads = false;
    bool stores = false;
  };
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
  /// `monitor …` of the debugger; the answer is shown to the user.
  virtual std::string debug_monitor(const std::string& command) = 0;
  /// It can step and run backwards.
  virtual bool debug_goes_back() const { return false; }
};

/// Why the CPU stands still.
struct DebugStop {
  int signal = 5;     // POSIX numbers: 5 trap, 2 interrupt, 11 the program is lost
  std::string extra;  // "watch:80001000;" and the like
  std::string note;   // shown to the user before the stop
};

/// The CPU's process calls poll() now and then while it runs and serve() when it stands; whatever
/// happens in serve() happens at one moment of simulated time. A client counts as a debugger from
/// its first valid packet on: others cannot stop the run. When a debugger leaves, with or without
/// a word, its breakpoints and watchpoints go and the CPU runs on.
class GdbServer {
 public:
  enum class Resume { kContinue, kStep, kKill, kBack, kStepBack };

  GdbServer(DebugTarget& target, std::uint16_t port) : target_(target), connection_(port) {}

  std::uint16_t port() const { return connection_.port(); }
  bool attached() const { return attached_; }

  /// While the CPU runs; returns at once. True: the debugger wants it to stand; call serve().
  bool poll();
  /// Blocks until the debugger lets the CPU go on. `stop` is reported if the debugger waits for it.
  Resume serve(const DebugStop& stop);
  /// Before the first instruction: blocks until a debugger has come and lets the CPU go.
  Resume wait_for_debugger();
  void report_exit(std::uint32_t code);

  // For a CPU that goes back in time, where this is as it was then:
  /// What the debugger has told so far: its points, what it has sent and nobody has read.
  std::string save_session() const;
  /// Takes that in: `told` of the same debugger at a later time. The CPU is about to stop for it.
  void restore_session(const std::string& session);
  /// Points are kept, but the CPU does not stop for them.
  void suspend_points(bool suspended);
  /// Memory or a register was written since the last call.
  bool consume_writes() { return std::exchange(wrote_, false); }

 private:
  /// Answers one packet; true if the CPU is to go on as resume_ says.
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

  struct Point {
    char type = '0';
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    bool operator==(const Point& o) const {
      return type == o.type && address == o.address && bytes == o.bytes;
    }
  };
  void apply(const Point& point, bool set);

  DebugTarget& target_;
  GdbConnection connection_;
  bool attached_ = false;
  bool reply_due_ = false;  // the debugger said continue or step and waits
  Resume resume_ = Resume::kContinue;
  DebugStop last_stop_;
  std::vector<Point> points_;
  bool wrote_ = false;
};

}  // namespace dcc::model
