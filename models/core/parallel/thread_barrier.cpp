#include "parallel/thread_barrier.h"

#include <thread>

namespace dcc {

namespace {
// number of spins before a thread yields: tens of microseconds, the imbalance of a window
constexpr int kTurns = 4'000;
// number of yields before a thread sleeps: about a millisecond if no other work waits
constexpr int kYields = 200;

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}
}  // namespace

void ThreadBarrier::wait() {
  const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
    open(phase);
    return;
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    if (phase_.load(std::memory_order_acquire) != phase) return;
    pause();
  }
  for (int turn = 0; turn < kYields; ++turn) {
    if (phase_.load(std::memory_order_acquire) != phase) return;
    std::this_thread::yield();
  }
  sleep_through(phase);
}

// Opens the barrier for the next phase. A thread announces that it sleeps before it reads the
// phase. The thread that opens the barrier changes the phase before it looks for sleepers. So at
// least one of the two notices the other.
void ThreadBarrier::open(std::uint32_t phase) {
  arrived_.store(0, std::memory_order_relaxed);
  phase_.store(phase + 1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  // taking the lock ensures that no sleeper misses the change of the phase
  { const std::lock_guard<std::mutex> lock(mutex_); }
  opened_.notify_all();
}

void ThreadBarrier::sleep_through(std::uint32_t phase) {
  std::unique_lock<std::mutex> lock(mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  opened_.wait(lock, [&] { return phase_.load(std::memory_order_seq_cst) != phase; });
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace dcc
