// lost_bits: blocks of the pacer and the NIC whose memories lose bits. One lost bit of 64 changes
// nothing; two cost one flow what the contracts in doc/ say. Ends with status 1 if a test fails.
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
