#include "sim/parallel_run.h"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace dcc {

ParallelRun::ParallelRun(unsigned partitions, PicoSeconds lookahead, Hands hands)
    : lookahead_(lookahead), hands_(hands), barrier_(partitions) {
  assert(partitions > 1 && lookahead.count > 0);
  for (unsigned p = 0; p < partitions; ++p) {
    partitions_.push_back(std::make_unique<Partition>(partitions));
  }
  for (unsigned p = 1; p < partitions; ++p) threads_.emplace_back([this, p] { serve(p); });
}

ParallelRun::~ParallelRun() {
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
    if (hands_ == Hands::kBest) {
      using Clock = std::chrono::steady_clock;
      const std::uint64_t events = events_run();
      const Clock::time_point begin = Clock::now();
      judge_.together() ? run_together(end) : run_alone(end);
      judge_.ran(events_run() - events,
                 std::chrono::duration<double>(Clock::now() - begin).count());
    } else {
      hands_ == Hands::kTogether ? run_together(end) : run_alone(end);
    }
  }
  for (const auto& partition : partitions_) {
    if (partition->failure != nullptr) std::rethrow_exception(partition->failure);
    partition->scheduler.advance_to(end);
  }
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
    for (unsigned p = 0; p < partitions(); ++p) run_window(p, side_, near);
    first_ = first_after(side_);
  }
}

PicoSeconds ParallelRun::first_after(unsigned side) const {
  PicoSeconds first = PicoSeconds::max();
  for (const auto& partition : partitions_) first = std::min(first, partition->next[side]);
  return first;
}

// All partitions come to the same end of each window and to the same last one, each by itself.
// After the last barrier the others read nothing but `next`, which stays for a window, so the
// caller may go on.
void ParallelRun::run_windows(unsigned partition) {
  PicoSeconds first = first_;
  const PicoSeconds end = end_;
  unsigned side = side_;
  while (first <= end) {
    side ^= 1;
    run_window(partition, side, window_end(first, end));
    barrier_.wait();
    first = first_after(side);
  }
  if (partition == 0) side_ = side;
}

void ParallelRun::run_window(unsigned partition, unsigned side, PicoSeconds end) {
  Partition& mine = *partitions_[partition];
  for (auto& other : partitions_) other->to[partition].empty(side ^ 1);
  for (Mailbox& mailbox : mine.to) mailbox.fill(side);
  try {
    mine.scheduler.run_until(end);
    mine.next[side] = next_of(partition, side);
  } catch (...) {
    mine.failure = std::current_exception();
    mine.next[side] = PicoSeconds::max();
  }
}

std::uint64_t ParallelRun::events_run() const {
  std::uint64_t events = 0;
  for (const auto& partition : partitions_) events += partition->scheduler.events_run();
  return events;
}

}  // namespace dcc
