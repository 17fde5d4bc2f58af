// The interface to the processes that share one simulation, perhaps on several machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

namespace dcc {

/// Every process must call the same functions in the same order; each call waits for all processes.
/// If one process dies, the library behind this interface (MPI) ends all of them.
class ProcessGroup {
 public:
  using Message = std::vector<unsigned char>;

  virtual ~ProcessGroup() = default;
  virtual unsigned rank() const = 0;  // Number of this process, 0 … size() - 1.
  virtual unsigned size() const = 0;  // Number of processes, at least 2.

  /// Replaces each number by its sum over all processes, in every process.
  virtual void sum(std::int64_t* numbers, std::size_t count) = 0;
  virtual std::int64_t least(std::int64_t number) = 0;
  /// Returns the numbers of all processes, ordered by rank, in every process.
  virtual std::vector<std::int64_t> all_gather(const std::vector<std::int64_t>& mine) = 0;
  /// Sends a message to every other process and receives a message from each. Both lists are
  /// indexed by rank; the entry of this process is not used.
  virtual void exchange(const std::vector<Message>& to, std::vector<Message>& from) = 0;

  /// Calls prepare() in each process and returns only if prepare() succeeded in all of them. Throws
  /// OtherFailed in a process where prepare() succeeded while prepare() failed in another process.
  struct OtherFailed {};
  template <class Prepare>
  void agree(Prepare prepare) {
    std::exception_ptr failure;
    try {
      prepare();
    } catch (...) {
      failure = std::current_exception();
    }
    std::int64_t failed = failure != nullptr ? 1 : 0;
    sum(&failed, 1);
    if (failed == 0) return;
    parted_ = true;
    all_failed_ = failed == static_cast<std::int64_t>(size());
    if (failure != nullptr) std::rethrow_exception(failure);
    throw OtherFailed();
  }
  /// True if prepare() failed in some process; the run then does not begin.
  bool parted() const { return parted_; }
  /// True if prepare() failed in every process, for example because all of them read the same wrong
  /// file.
  bool all_failed() const { return all_failed_; }

 private:
  bool parted_ = false;
  bool all_failed_ = false;
};

}  // namespace dcc
