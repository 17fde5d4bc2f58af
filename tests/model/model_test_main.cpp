// Main program of the model tests, which runs the single TEST that the gtest filter selects.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <systemc>

namespace {

/// Refuses a second TEST, since SystemC elaborates once per process and later tests would fail with
/// misleading messages.
class OneTestOnly final : public ::testing::EmptyTestEventListener {
  void OnTestIterationStart(const ::testing::UnitTest& tests, int iteration) override {
    if (tests.test_to_run_count() <= 1 && iteration == 0) return;
    std::fprintf(stderr,
                 "%d TESTs selected: run one TEST per process, as ctest does, or choose one with "
                 "--gtest_filter\n",
                 tests.test_to_run_count() * (iteration + 1));
    std::exit(2);
  }
};

}  // namespace

int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::UnitTest::GetInstance()->listeners().Append(new OneTestOnly);
  return RUN_ALL_TESTS();
}
