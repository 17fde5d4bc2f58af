// Reverse execution for a debugger: stepping and running backwards by restoring snapshots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cpu/gdb_server.h"
#include "cpu/snapshot_history.h"
#include "riscv/hart.h"

namespace dcc::model {

/// Brings a hart to an earlier moment by restoring a snapshot and replaying the run from this
/// snapshot. A moment is given as the number of instructions begun (Hart::steps()). The history of
/// a hart begins where a debugger first let the CPU run. A debugger's write to memory or registers
/// is not part of the deterministic run, so a snapshot is taken when the CPU resumes after a write.
class ReverseDebug {
 public:
  explicit ReverseDebug(riscv::Hart& hart) : hart_(hart) {}

  /// Sets the history of snapshots, without which the CPU cannot run backwards. Only one CPU of a
  /// simulation may have a history.
  void set_history(SnapshotHistory* history) { history_ = history; }
  bool is_available() const { return history_ != nullptr; }
  void set_server(GdbServer* gdb) { gdb_ = gdb; }
  /// Sets the function that is called after a restore: the caller drops all debugger state that is
  /// not in GdbServer.
  void set_restored_handler(std::function<void()> handler) { on_restored_ = std::move(handler); }

  /// Takes a snapshot for reverse execution if one is due.
  void take_due_snapshot();
  /// Executes the debugger's request to run forwards or backwards. Returns false if there is no
  /// history before this moment. Running backwards restores a snapshot and does not return.
  bool resume(GdbServer::Resume resume);
  /// The stop reply for a resume() that returned false.
  static DebugStop no_history();

  // --- While replaying ------------------------------------------------------------------------
  bool is_replaying() const { return request_ != nullptr; }
  /// Number of instructions that the replay runs until arrive() is due. Precondition:
  /// is_replaying().
  std::uint64_t steps_left() const { return request_->stage - hart_.steps(); }
  bool has_arrived() const { return is_replaying() && hart_.steps() >= request_->stage; }
  /// Notes a breakpoint or watchpoint hit at moment `at`. `pc`: address of a breakpoint, else 0;
  /// `extra`: text of the stop reply.
  void note_stop(std::uint64_t at, std::uint32_t pc, const std::string& extra);
  /// Continues with the next stage of the request. Returns the stop to report when the requested
  /// moment is reached, and nothing if the replay continues. Precondition: has_arrived().
  std::optional<DebugStop> arrive();

 private:
  /// A request of the debugger to go back in time that is in progress.
  struct Request {
    // true: the replay finds the last stop before `end`; false: it goes to the moment `end`
    bool search = false;
    std::uint64_t end = 0;  // moment at which the replay ends, in instructions begun
    // moment of the next call of arrive(): `end`, or halfway to take a snapshot
    std::uint64_t stage = 0;
    std::uint32_t pc = 0;  // value of pc that the CPU must have at the moment `end`; 0: any value
    std::string extra;     // text of the stop reply at the end of the request
    // Last stop that a search found.
    bool found = false;
    std::uint64_t found_at = 0;
    std::uint32_t found_pc = 0;
    std::string found_extra;
  };

  void take_snapshot();
  void accept(const std::string& text);
  /// Sends a request to the last snapshot before `end`; a search needs a snapshot before the stop
  /// that is searched for. Does not return.
  [[noreturn]] void restore(bool search, std::uint64_t end, std::uint32_t pc,
                            const std::string& extra);
  [[noreturn]] void continue_search(const Request& done);

  riscv::Hart& hart_;
  SnapshotHistory* history_ = nullptr;
  GdbServer* gdb_ = nullptr;
  std::function<void()> on_restored_;
  std::vector<std::uint64_t> moments_;  // moments of all snapshots, in instructions begun
  std::size_t first_snapshot_ = 0;  // number of the first snapshot taken for the attached debugger
  std::unique_ptr<Request> request_;  // request of the debugger in progress; null: no replay runs
};

}  // namespace dcc::model
