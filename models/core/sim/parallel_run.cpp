#include "sim/parallel_run.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <future>
#include <system_error>

namespace dcc {

ParallelRun::ParallelRun(unsigned partitions, PicoSeconds lookahead, Execution execution)
    : PartitionedRun(lookahead), execution_(execution), barrier_(partitions) {
  assert(partitions > 1 && lookahead.count > 0);
  for (unsigned p = 0; p < partitions; ++p) {
    partitions_.push_back(std::make_unique<Partition>(partitions));
  }
  start_threads();
}

void ParallelRun::start_threads() {
  std::promise<bool> all_there;
  const std::shared_future<bool> go = all_there.get_future().share();
  try {
    for (unsigned p = 1; p < partitions(); ++p) {
      threads_.emplace_back([this, p, go] {
        if (go.get()) serve(p);
      });
    }
    all_there.set_value(true);
  } catch (const std::system_error&) {
    all_there.set_value(false);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    execution_ = Execution::kSequential;
  }
}

ParallelRun::~ParallelRun() {
  if (threads_.empty()) return;
  ending_ = true;
  barrier_.wait();
  for (std::thread& thread : threads_) thread.join();
}

void ParallelRun::serve(unsigned partition) {
  for (;;) {
    barrier_.wait();
    if (ending_) return;
    run_windows(partition);
  }
}

PicoSeconds ParallelRun::next_of(unsigned partition, unsigned side) {
  Partition& mine = *partitions_[partition];
  PicoSeconds next = mine.scheduler.next_time();
  for (const Mailbox& mailbox : mine.to) next = std::min(next, mailbox.earliest(side));
  return next;
}

PicoSeconds ParallelRun::next_time() {
  PicoSeconds next = PicoSeconds::max();
  for (unsigned p = 0; p < partitions(); ++p) next = std::min(next, next_of(p, side_));
  return next;
}

void ParallelRun::run_until(PicoSeconds end) {
  first_ = next_time();
  if (first_ <= end) {  // else nobody needs to be woken
    if (execution_ == Execution::kAdaptive) {
      using Clock = std::chrono::steady_clock;
      const std::uint64_t events = events_run();
      const Clock::time_point begin = Clock::now();
      selector_.together() ? run_together(end) : run_alone(end);
      selector_.ran(events_run() - events,
                    std::chrono::duration<double>(Clock::now() - begin).count());
    } else {
      execution_ == Execution::kParallel ? run_together(end) : run_alone(end);
    }
  }
  rethrow_failure();
  for (const auto& partition : partitions_) partition->scheduler.advance_to(end);
}

void ParallelRun::settle() {
  for (const auto& partition : partitions_) {
    for (Mailbox& mailbox : partition->to) {
      for (const unsigned side : {side_ ^ 1, side_}) mailbox.empty(side);
    }
  }
}

void ParallelRun::rethrow_failure() const {
  const Partition* first = nullptr;
  for (const auto& partition : partitions_) {
    if (partition->failure == nullptr) continue;
    if (first == nullptr || partition->failed_at < first->failed_at) first = partition.get();
  }
  if (first != nullptr) std::rethrow_exception(first->failure);
}

void ParallelRun::run_together(PicoSeconds end) {
  end_ = end;
  barrier_.wait();
  run_windows(0);
}

void ParallelRun::run_alone(PicoSeconds end) {
  while (first_ <= end) {
    side_ ^= 1;
    const PicoSeconds near = window_end(first_, end);
    first_ = PicoSeconds::max();
    for (unsigned p = 0; p < partitions(); ++p) {
      first_ = std::min(first_, run_window(p, side_, near));
    }
  }
}

// All partitions come to the same end of each window and to the same last one, each by itself.
// After the last barrier the others read nothing but `next` of that side, which nobody writes
// before they have come to a barrier again; so the caller may go on.
void ParallelRun::run_windows(unsigned partition) {
  PicoSeconds first = first_;
  const PicoSeconds end = end_;
  unsigned side = side_;
  while (first <= end) {
    side ^= 1;
    partitions_[partition]->next[side] = run_window(partition, side, window_end(first, end));
    barrier_.wait();
    first = PicoSeconds::max();
    for (const auto& other : partitions_) first = std::min(first, other->next[side]);
  }
  if (partition == 0) side_ = side;
}

PicoSeconds ParallelRun::run_window(unsigned partition, unsigned side, PicoSeconds end) {
  Partition& mine = *partitions_[partition];
  if (mine.failure != nullptr) return PicoSeconds::max();
  try {
    for (auto& other : partitions_) other->to[partition].empty(side ^ 1);
    for (Mailbox& mailbox : mine.to) mailbox.fill(side);
    mine.scheduler.run_until(end);
    return next_of(partition, side);
  } catch (...) {
    mine.failure = std::current_exception();
    mine.failed_at = mine.scheduler.now();
    return PicoSeconds::max();
  }
}

std::uint64_t ParallelRun::events_run() const {
  std::uint64_t events = 0;
  for (const auto& partition : partitions_) events += partition->scheduler.events_run();
  return events;
}

}  // namespace dcc
