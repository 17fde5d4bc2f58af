#include "build/large_heap.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace dcc::vp {

#ifdef __GLIBC__
namespace {
constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
// Maximum size of an allocation that the C library takes from its heap. It takes larger allocations
// from the system one by one.
constexpr std::size_t kPiece = std::size_t{16} << 20;

std::uintptr_t end_of_heap() { return reinterpret_cast<std::uintptr_t>(sbrk(0)); }
}  // namespace

// −1 turns trimming off, so the heap keeps its size when memory is freed. A trimming threshold
// could be 2 GiB at most, and the C library would return a longer region to the system.
void prefer_large_pages(std::size_t bytes) {
  if (mallopt(M_MMAP_THRESHOLD, 2 * kPiece) == 0 || mallopt(M_TRIM_THRESHOLD, -1) == 0) return;
  const auto memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = std::min(bytes, memory);
  const std::uintptr_t begin = end_of_heap();
  std::vector<void*> pieces;
  for (std::size_t taken = 0; taken < bytes; taken += kPiece) {
    void* const piece = std::malloc(kPiece);
    if (piece == nullptr) break;
    pieces.push_back(piece);
  }
  const std::uintptr_t end = end_of_heap();
  for (void* const piece : pieces) std::free(piece);
  const std::uintptr_t aligned = (begin + kPage - 1) / kPage * kPage;
  if (aligned < end) madvise(reinterpret_cast<void*>(aligned), end - aligned, MADV_HUGEPAGE);
}
#else
void prefer_large_pages(std::size_t) {}
#endif

}  // namespace dcc::vp
