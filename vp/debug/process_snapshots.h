// Snapshots of this process, made by fork(): memory is shared until somebody writes to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cpu/time_machine.h"

namespace dcc::vp {

/// A snapshot is a parent that waits: take_snapshot() copies the process, the copy goes on, and the
/// original stays as it is. Whoever travels back ends; each parent up to the wanted one ends in
/// turn, and that one makes another copy, which goes on. So the snapshots are the chain of
/// ancestors of the process at work, none is ever out of order, and the process that the user
/// started is the first of them: it ends with the status of the run, however often that went back.
/// What is sent to it to end it (SIGTERM, SIGHUP, SIGINT) goes down to the one at work.
///
/// Time between snapshots grows with their number, so that there are some dozen of them however
/// long the run: to go back takes at most about an eighth of what the run has taken so far.
class ProcessSnapshots final : public model::TimeMachine {
 public:
  /// Throws std::runtime_error when the system gives no memory to share. Precondition: this process
  /// has one thread, at every call.
  ProcessSnapshots();
  ~ProcessSnapshots() override;

  std::size_t snapshots() const override { return taken_; }
  bool is_due() const override;
  std::optional<std::string> take_snapshot() override;
  [[noreturn]] void travel(std::size_t number, const std::string& request) override;
  bool replaying() const override { return replaying_; }
  void arrived() override { replaying_ = false; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Shared {  // by all processes of the chain
    bool reversing;
    std::size_t number;
    std::size_t bytes;
    char request[kMaxOrders];
  };
  void end_with(int status, std::size_t number) const;

  Shared* shared_;
  std::size_t taken_ = 0;
  bool replaying_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace dcc::vp
