// lost_bits runs the tests in which memories of the pacer and of the NIC's blocks lose bits. If a
// protected word loses one bit, the block must behave as if no bit was lost. If it loses two bits,
// one flow may lose what the block's contract in doc/ states, and all other flows nothing. The exit
// status is 1 if a test fails.
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
      std::printf("lost_bits: %s fails\n", run.name.c_str());
      if (wrong == 3) return 1;
    }
  }
  if (wrong != 0) return 1;
  std::printf("lost_bits: all %u tests pass\n", tests);
  return tests > 10 ? 0 : 1;
}
