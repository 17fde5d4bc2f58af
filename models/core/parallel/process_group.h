// The processes that share one simulation, perhaps on several machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

namespace dcc {

/// Every process calls the same functions in the same order; each waits for all. What stands behind
/// it (MPI) ends them all when one dies.
class ProcessGroup {
 public:
  using Message = std::vector<unsigned char>;

  virtual ~ProcessGroup() = default;
  virtual unsigned rank() const = 0;  // 0 … size() - 1
  virtual unsigned size() const = 0;  // at least 2

  /// Each number becomes the sum over all processes, in all of them.
  virtual void sum(std::int64_t* numbers, std::size_t count) = 0;
  virtual std::int64_t least(std::int64_t number) = 0;
  /// What each process has, one after the other by rank, in all of them.
  virtual std::vector<std::int64_t> all_gather(const std::vector<std::int64_t>& mine) = 0;
  /// A message to every other process, and one from each, both by rank; one's own is left alone.
  virtual void exchange(const std::vector<Message>& to, std::vector<Message>& from) = 0;

  /// All go on, or none does: calls prepare() in each process; where it succeeded and it failed in
  /// another, throws OtherFailed.
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
  /// They have agreed to go no further.
  bool parted() const { return parted_; }
  /// Each for itself, as where they all read the same.
  bool all_failed() const { return all_failed_; }

 private:
  bool parted_ = false;
  bool all_failed_ = false;
};

}  // namespace dcc
