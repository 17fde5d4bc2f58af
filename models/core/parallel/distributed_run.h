// One simulation in several processes: schedulers that run side by side, a window at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "parallel/partitioned_run.h"
#include "parallel/process_group.h"

namespace dcc {

/// Takes what was put into a mailbox to another process.
class Courier {
 public:
  /// Appends it to the message. The item is gone here.
  virtual void pack(void* receiver, void* item, ProcessGroup::Message& message) = 0;
  /// Enters all that was packed between two places of a message.
  virtual void unpack(const unsigned char* begin, const unsigned char* end) = 0;

 protected:
  ~Courier() = default;
};

/// Partition p is process p's. All devices exist in all processes; those of other partitions lie
/// still, and what they would do happens where they are at home. After each window every process
/// sends each other one what crosses to it and when its own next event is due, so all know when the
/// next window begins.
class DistributedRun final : public PartitionedRun {
 public:
  /// Precondition: lookahead > 0. `group` must outlive it.
  DistributedRun(ProcessGroup& group, PicoSeconds lookahead);
  ~DistributedRun() override;
  /// Before the first item crosses. Not owned.
  void set_courier(Courier& courier) { courier_ = &courier; }

  unsigned partitions() const override { return group_.size(); }
  Scheduler& scheduler(unsigned partition) override { return *schedulers_[partition]; }
  Mailbox& mailbox(unsigned from, unsigned to) override;

  PicoSeconds next_time() override;
  void run_until(PicoSeconds end) override;
  void settle() override { cross(); }
  std::uint64_t events_run() const override { return own().events_run(); }

 private:
  Scheduler& own() const { return *schedulers_[group_.rank()]; }
  std::string run_window(PicoSeconds end);
  /// What was put between windows crosses. Returns the time of the first event anywhere.
  PicoSeconds cross();
  /// Returns the time of the first event anywhere. Throws when a process has failed.
  PicoSeconds exchange(const std::string& failure);

  ProcessGroup& group_;
  Courier* courier_ = nullptr;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;  // by partition
  Outgoing outgoing_;
  std::vector<Mailbox> to_;                  // by partition
  Mailbox unused_;                           // of partitions that lie still
  std::vector<ProcessGroup::Message> sent_;  // by process
  std::vector<ProcessGroup::Message> received_;
  std::exception_ptr failure_;
};

}  // namespace dcc
