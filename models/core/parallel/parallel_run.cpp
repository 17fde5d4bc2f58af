#include "parallel/parallel_run.h"

#include <algorithm>
#include <cassert>
#include <future>
#include <system_error>

namespace dcc {

namespace {
// greatest work of a thread relative to the mean for which the division among threads stays
constexpr double kEvenWork = 1.04;
}  // namespace

ParallelRun::ParallelRun(unsigned partitions, unsigned threads, PicoSeconds lookahead,
                         Execution execution)
    : PartitionedRun(lookahead), execution_(execution), groups_(threads), barrier_(threads) {
  assert(threads > 0 && threads <= partitions && partitions > 1 && lookahead.count > 0);
  for (unsigned p = 0; p < partitions; ++p)
    partitions_.push_back(std::make_unique<Partition>(threads));
  for (unsigned t = 0; t < threads; ++t) {
    groups_[t].begin = begin_of(t, threads, partitions);
    groups_[t].end = begin_of(t + 1, threads, partitions);
    for (unsigned p = groups_[t].begin; p < groups_[t].end; ++p) partitions_[p]->outgoing.group = t;
  }
  start_threads();
}

void ParallelRun::start_threads() {
  std::promise<bool> all_there;
  const std::shared_future<bool> go = all_there.get_future().share();
  try {
    for (std::size_t t = 1; t < groups_.size(); ++t) {
      threads_.emplace_back([this, t, go] {
        if (go.get()) serve(groups_[t]);
      });
    }
    all_there.set_value(true);
  } catch (const std::system_error&) {
    all_there.set_value(false);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  if (threads_.empty()) execution_ = Execution::kSequential;
}

ParallelRun::~ParallelRun() {
  if (threads_.empty()) return;
  ending_ = true;
  barrier_.wait();
  for (std::thread& thread : threads_) thread.join();
}

Mailbox& ParallelRun::mailbox(unsigned from, unsigned to) {
  Partition& sender = *partitions_[from];
  return sender.to.try_emplace(to, sender.outgoing, &partitions_[to]->incoming).first->second;
}

void ParallelRun::serve(Group& group) {
  for (;;) {
    barrier_.wait();
    if (ending_) return;
    run_windows(group);
  }
}

PicoSeconds ParallelRun::next_time() {
  PicoSeconds next = PicoSeconds::max();
  for (const auto& partition : partitions_) next = std::min(next, partition->next());
  return next;
}

void ParallelRun::run_until(PicoSeconds end) {
  first_ = next_time();
  const bool adaptive = execution_ == Execution::kAdaptive;
  while (first_ <= end) {  // no thread is woken if no event is due before `end`
    const bool together = adaptive ? selector_.together() : execution_ == Execution::kParallel;
    most_windows_ = adaptive ? selector_.windows() : kAllWindows;
    const std::uint64_t events = adaptive ? events_run() : 0;
    const Clock::time_point begin = Clock::now();
    const std::uint64_t windows = together ? run_together(end) : run_alone(end);
    const Clock::duration spent = Clock::now() - begin;
    (together ? together_ : alone_) += spent;
    if (adaptive) {
      selector_.ran(events_run() - events, windows, std::chrono::duration<double>(spent).count());
    }
  }
  if (all_wait_) all_wait_();
  rethrow_failure();
  for (const auto& partition : partitions_) partition->scheduler.advance_to(end);
}

// Enters all items of the mailboxes. Only the side that was filled last can hold items.
void ParallelRun::settle() {
  for (const auto& partition : partitions_) {
    partition->take_in(side_);
    partition->outgoing.fill(side_);
  }
}

void ParallelRun::Partition::take_in(unsigned side) {
  for (Incoming& from : incoming) {
    for (Mailbox* const mailbox : from.filled[side]) mailbox->empty(side);
    from.filled[side].clear();
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

std::uint64_t ParallelRun::run_together(PicoSeconds end) {
  end_ = end;
  barrier_.wait();
  const std::uint64_t windows = run_windows(groups_[0]);
  balance();
  return windows;
}

std::uint64_t ParallelRun::run_alone(PicoSeconds end) {
  std::uint64_t windows = 0;
  for (; first_ <= end && windows < most_windows_; ++windows) {
    side_ ^= 1;
    const PicoSeconds until = window_end(first_, end);
    first_ = PicoSeconds::max();
    for (const auto& partition : partitions_) {
      first_ = std::min(first_, run_window(*partition, side_, until));
    }
  }
  return windows;
}

// Runs windows in several threads. Every thread computes the end of each window, and finds the last
// window, by itself. After the last barrier the other threads only read `next` of that side. No
// thread writes `next` before all threads have met at a barrier again, so the caller may continue.
std::uint64_t ParallelRun::run_windows(Group& group) {
  PicoSeconds first = first_;
  const PicoSeconds end = end_;
  const std::uint64_t most = most_windows_;
  unsigned side = side_;
  std::uint64_t windows = 0;
  for (; first <= end && windows < most; ++windows) {
    side ^= 1;
    const PicoSeconds until = window_end(first, end);
    Clock::time_point begin = Clock::now();
    group.next[side] = PicoSeconds::max();
    for (unsigned p = group.begin; p < group.end; ++p) {
      Partition& mine = *partitions_[p];
      group.next[side] = std::min(group.next[side], run_window(mine, side, until));
      const Clock::time_point now = Clock::now();
      mine.worked += now - begin;
      group.worked += now - begin;
      begin = now;
    }
    barrier_.wait();
    first = PicoSeconds::max();
    for (const Group& each : groups_) first = std::min(first, each.next[side]);
  }
  if (&group == groups_.data()) {
    side_ = side;
    first_ = first;
  }
  return windows;
}

PicoSeconds ParallelRun::run_window(Partition& mine, unsigned side, PicoSeconds until) {
  if (mine.failure != nullptr) return PicoSeconds::max();
  try {
    mine.outgoing.fill(side);
    mine.take_in(side ^ 1);
    all_wait_ ? mine.scheduler.run_placed_until(until) : mine.scheduler.run_until(until);
    return mine.next();
  } catch (...) {
    mine.failure = std::current_exception();
    mine.failed_at = mine.scheduler.now();
    return PicoSeconds::max();
  }
}

void ParallelRun::balance() {
  double all = 0;
  double most = 0;
  for (const Group& group : groups_) {
    Clock::duration sum{};
    for (unsigned p = group.begin; p < group.end; ++p) sum += partitions_[p]->worked;
    all += static_cast<double>(sum.count());
    most = std::max(most, static_cast<double>(sum.count()));
  }
  if (most * static_cast<double>(groups_.size()) > kEvenWork * all) regroup(all);
  for (const auto& partition : partitions_) partition->worked /= 2;
}

// Gives each thread consecutive partitions, at least one. A partition belongs to the thread in
// whose share of all work the middle of the partition's work lies.
void ParallelRun::regroup(double all) {
  const auto threads = static_cast<unsigned>(groups_.size());
  unsigned p = 0;
  double before = 0;  // work of all partitions before partition p
  for (unsigned t = 0; t < threads; ++t) {
    groups_[t].begin = p;
    const double until = all * (t + 1) / threads;
    const unsigned last = t + 1 < threads ? partitions() - (threads - t - 1) : partitions();
    for (; p < last; ++p) {
      const auto work = static_cast<double>(partitions_[p]->worked.count());
      if (t + 1 < threads && p > groups_[t].begin && before + work / 2 > until) break;
      before += work;
      partitions_[p]->outgoing.group = t;
    }
    groups_[t].end = p;
  }
}

ParallelRun::TimeSpent ParallelRun::time_spent() const {
  Clock::duration worked{};
  for (const Group& group : groups_) worked += group.worked;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  const double together = seconds(together_);
  const double mean = seconds(worked) / static_cast<double>(groups_.size());
  return {together, together - mean, seconds(alone_)};
}

std::uint64_t ParallelRun::events_run() const {
  std::uint64_t events = 0;
  for (const auto& partition : partitions_) events += partition->scheduler.events_run();
  return events;
}

}  // namespace dcc
