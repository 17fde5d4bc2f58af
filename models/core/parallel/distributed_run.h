// One simulation divided among several processes, which synchronise at the end of each time window.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "parallel/partitioned_run.h"
#include "parallel/process_group.h"

namespace dcc {

/// The interface that carries the items of a mailbox to another process.
class Courier {
 public:
  /// Appends an item of a mailbox to the message and frees the item.
  virtual void pack(void* receiver, void* item, ProcessGroup::Message& message) = 0;
  /// Delivers all items that pack() wrote between `begin` and `end` of a message.
  virtual void unpack(const unsigned char* begin, const unsigned char* end) = 0;

 protected:
  ~Courier() = default;
};

/// A run of several processes, in which process p runs partition p. Every process builds all
/// devices, but runs the events of its own partition only. After each window every process sends
/// every other process a message with the items for that process and the time of the sender's first
/// event. So all processes know when the next window begins.
class DistributedRun final : public PartitionedRun {
 public:
  /// Precondition: lookahead > 0. `group` must outlive this object.
  DistributedRun(ProcessGroup& group, PicoSeconds lookahead);
  ~DistributedRun() override;
  /// Sets the courier, which the run does not own. Call before the first item crosses to another
  /// process.
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
  /// Sends the mailbox items that were put between two windows. Returns the time of the first event
  /// of all processes.
  PicoSeconds cross();
  /// Exchanges messages with all processes. Returns the time of the first event of all processes.
  /// Throws if a process has failed; `failure`: the text of this process's own failure, or empty.
  PicoSeconds exchange(const std::string& failure);

  ProcessGroup& group_;
  Courier* courier_ = nullptr;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;  // schedulers, one for each partition
  Outgoing outgoing_;
  // mailboxes for items from this process, indexed by destination partition
  std::vector<Mailbox> to_;
  // mailbox for pairs of partitions whose source is another process; it stays empty
  Mailbox unused_;
  std::vector<ProcessGroup::Message> sent_;  // messages to be sent, indexed by process
  std::vector<ProcessGroup::Message> received_;
  std::exception_ptr failure_;
};

}  // namespace dcc
