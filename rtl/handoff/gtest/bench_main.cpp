// Runs all tests of a bench, whose name is DCC_BENCH. Exit status 1 if a test fails, or if the
// bench has no more than ten tests. In lost_bits memories of the pacer and of the NIC's blocks lose
// bits. If a protected word loses one bit, the block must behave as if no bit was lost. If it loses
// two bits, one flow may lose what the block's contract in doc/ states, and all other flows
// nothing. In cuckoo the hash table of SparseFlows is compared with a map.
#include <cstdio>
#include <exception>

#include "gtest/gtest.h"

int main() {
  unsigned tests = 0, wrong = 0;
  for (const auto& suite : testing::suites()) {
    for (const testing::Run& run : suite()) {
      const unsigned before = testing::failures();
      ++tests;
      try {
        run.body();
      } catch (const testing::Fatal&) {
      } catch (const std::exception& error) {
        ++testing::failures();
        std::printf("%s\n", error.what());
      }
      if (testing::failures() == before) continue;
      ++wrong;
      std::printf(DCC_BENCH ": %s fails\n", run.name.c_str());
      if (wrong == 3) return 1;
    }
  }
  if (wrong != 0) return 1;
  std::printf(DCC_BENCH ": all %u tests pass\n", tests);
  return tests > 10 ? 0 : 1;
}
