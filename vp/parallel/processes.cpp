#include "parallel/processes.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#ifdef DCCVP_MPI
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <limits>
#endif

namespace dcc::vp {

namespace {

int number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? std::atoi(value) : 0;
}

/// True if a launcher's environment variables say that this process is one of several. Slurm also
/// starts independent processes; only cooperating processes have variables with their rank.
bool is_one_of_several() {
  if (number_in("OMPI_COMM_WORLD_SIZE") > 1 || number_in("PMI_SIZE") > 1) return true;
  return std::getenv("PMIX_RANK") != nullptr && number_in("SLURM_STEP_NUM_TASKS") > 1;
}

#ifdef DCCVP_MPI
class MpiGroup final : public ProcessGroup {
 public:
  MpiGroup() {
    MPI_Init(nullptr, nullptr);
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    rank_ = static_cast<unsigned>(number);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    size_ = static_cast<unsigned>(number);
    requests_.resize(size_);
  }
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  ~MpiGroup() override {
    if (std::uncaught_exceptions() == 0 || parted()) {
      MPI_Finalize();
      return;
    }
    std::fprintf(stderr, "dccvp: process %u of %u has failed, and ends all others\n", rank_, size_);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }

  void sum(std::int64_t* numbers, std::size_t count) override {
    constexpr std::size_t kMax = std::numeric_limits<int>::max();
    for (std::size_t at = 0; at < count; at += kMax) {
      MPI_Allreduce(MPI_IN_PLACE, numbers + at, static_cast<int>(std::min(kMax, count - at)),
                    MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
  }

  std::int64_t least(std::int64_t number) override {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    return number;
  }

  std::vector<std::int64_t> all_gather(const std::vector<std::int64_t>& mine) override {
    const int count = length(mine.size());
    std::vector<int> counts(size_);
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> places(size_);
    std::size_t total = 0;
    for (unsigned p = 0; p < size_; ++p) {
      places[p] = length(total);
      total += static_cast<std::size_t>(counts[p]);
    }
    std::vector<std::int64_t> all(total);
    MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), places.data(),
                   MPI_INT64_T, MPI_COMM_WORLD);
    return all;
  }

  void exchange(const std::vector<Message>& to, std::vector<Message>& from) override {
    for (unsigned p = 0; p < size_; ++p) {
      requests_[p] = MPI_REQUEST_NULL;
      if (p == rank_) continue;
      MPI_Isend(to[p].data(), length(to[p].size()), MPI_BYTE, static_cast<int>(p), kTag,
                MPI_COMM_WORLD, &requests_[p]);
    }
    for (unsigned p = 0; p < size_; ++p) {
      if (p == rank_) continue;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(static_cast<int>(p), kTag, MPI_COMM_WORLD, &message, &status);
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      from[p].resize(static_cast<std::size_t>(bytes));
      MPI_Mrecv(from[p].data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(static_cast<int>(size_), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr int kTag = 1;
  static int length(std::size_t count) {
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::length_error("a message between processes is too long");
    }
    return static_cast<int>(count);
  }

  unsigned rank_ = 0;
  unsigned size_ = 0;
  std::vector<MPI_Request> requests_;
};
#endif

}  // namespace

std::unique_ptr<ProcessGroup> join_processes() {
  if (!is_one_of_several()) return nullptr;
#ifdef DCCVP_MPI
  return std::make_unique<MpiGroup>();
#else
  throw std::runtime_error(
      "this is one of several processes that are to share a run, and this dccvp was built without "
      "MPI (Debian: libopenmpi-dev)");
#endif
}

}  // namespace dcc::vp
