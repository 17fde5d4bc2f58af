// A barrier at which the threads of a run meet thousands of times a second.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace dcc {

/// All threads wait until the last one has arrived; then all threads continue, and each of them
/// sees the earlier writes of the others. A waiting thread first spins, since most waits last a few
/// microseconds, then yields the processor, and at last sleeps.
class ThreadBarrier {
 public:
  explicit ThreadBarrier(unsigned parties) : parties_(parties) {}
  ThreadBarrier(const ThreadBarrier&) = delete;
  ThreadBarrier& operator=(const ThreadBarrier&) = delete;

  void wait();

 private:
  void open(std::uint32_t phase);
  void sleep_through(std::uint32_t phase);

  const unsigned parties_;
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> phase_{0};
  std::atomic<unsigned> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable opened_;
};

}  // namespace dcc
