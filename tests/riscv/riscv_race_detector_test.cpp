// Tests the race detector: which accesses of harts and DMA are races, and what orders two accesses.
#include <gtest/gtest.h>

#include "riscv/race_detector.h"

namespace dcc::riscv::test::race_detector_tests {
namespace {

constexpr std::uint32_t kRam = 0x80000000, kBytes = 0x10000, kDevice = 0x10000000;
constexpr std::uint32_t kData = kRam + 0x1000, kFlag = kRam + 0x2000;
constexpr unsigned kAll = 15;

class RaceDetectorTest : public ::testing::Test {
 protected:
  using Kind = AccessObserver::Kind;
  void load(unsigned hart, std::uint32_t at, std::uint32_t size = 4) {
    races_.observer(hart).accessed(Kind::kLoad, at, size, kRam + 0x100 * (hart + 1), {});
  }
  void store(unsigned hart, std::uint32_t at, std::uint32_t size = 4) {
    races_.observer(hart).accessed(Kind::kStore, at, size, kRam + 0x100 * (hart + 1) + 4, {});
  }
  void fence(unsigned hart, unsigned before = kAll, unsigned after = kAll) {
    races_.observer(hart).fenced(before, after);
  }
  void swap(unsigned hart, std::uint32_t at, bool acquire = true, bool release = true) {
    races_.observer(hart).accessed(Kind::kLoad, at, 4, kRam, {true, acquire, release});
    races_.observer(hart).accessed(Kind::kStore, at, 4, kRam, {true, acquire, release});
  }
  void expect_race(unsigned first, unsigned second) {
    ASSERT_EQ(races_.count(), 1u);
    EXPECT_EQ(races_.races()[0].first.master, first);
    EXPECT_EQ(races_.races()[0].second.master, second);
  }

  RaceDetector races_{3, kRam, kBytes};
};

TEST_F(RaceDetectorTest, StoreThenLoadWithoutFenceRaces) {
  store(0, kData);
  store(0, kFlag);
  load(1, kData);
  expect_race(0, 1);
  if (HasFatalFailure()) return;
  EXPECT_EQ(races_.races()[0].address, kData);
  EXPECT_EQ(races_.races()[0].first.pc, kRam + 0x104);
  EXPECT_TRUE(races_.races()[0].first.store);
  EXPECT_FALSE(races_.races()[0].second.store);
}

TEST_F(RaceDetectorTest, FencesOnBothSidesOrder) {
  store(0, kData);
  fence(0, 3, 1);
  store(0, kFlag);
  load(1, kFlag);
  fence(1, 2, 3);
  load(1, kData);
  store(1, kData);
  EXPECT_EQ(races_.count(), 0u);
}

TEST_F(RaceDetectorTest, AFenceOnOneSideAloneDoesNot) {
  store(0, kData);
  fence(0);
  store(0, kFlag);
  load(1, kFlag);
  load(1, kData);
  expect_race(0, 1);
}

TEST_F(RaceDetectorTest, AFenceOfTheReaderAloneDoesNot) {
  store(0, kData);
  store(0, kFlag);
  load(1, kFlag);
  EXPECT_EQ(races_.count(), 1u) << "no fence before the flag's store";
  fence(1);
  load(1, kData);
  EXPECT_EQ(races_.count(), 2u);
}

TEST_F(RaceDetectorTest, AFenceOfStoresDoesNotAcquire) {
  store(0, kData);
  fence(0);
  store(0, kFlag);
  load(1, kFlag);
  fence(1, 1, 1);  // orders stores before stores only
  load(1, kData);
  expect_race(0, 1);
}

TEST_F(RaceDetectorTest, AFenceOfTheWrongKindDoesNot) {
  store(0, kData);
  fence(0, 2, 2);  // orders loads before loads only
  store(0, kFlag);
  load(1, kFlag);
  fence(1);
  load(1, kData);
  EXPECT_GE(races_.count(), 1u);
}

TEST_F(RaceDetectorTest, AStoreBehindThePublishingFenceIsNotPublished) {
  fence(0);
  store(0, kFlag);
  store(0, kData);
  load(1, kFlag);
  fence(1);
  load(1, kData);
  expect_race(0, 1);
}

TEST_F(RaceDetectorTest, ALoadBeforeAStoreRaces) {
  load(0, kData);
  store(1, kData);
  expect_race(0, 1);
  store(1, kData);
  EXPECT_EQ(races_.count(), 1u) << "the load races with the first store alone";
}

TEST_F(RaceDetectorTest, ALockOrders) {
  for (const unsigned hart : {0u, 1u, 2u, 1u, 0u}) {
    swap(hart, kFlag);
    load(hart, kData);
    store(hart, kData);
    fence(hart);
    store(hart, kFlag);
  }
  EXPECT_EQ(races_.count(), 0u);
}

TEST_F(RaceDetectorTest, AnAtomicOperationWithoutOrderDoesNotOrderOthers) {
  swap(0, kFlag, false, false);
  store(0, kData);
  swap(0, kFlag, false, false);
  swap(1, kFlag, false, false);
  load(1, kData);
  expect_race(0, 1);
}

TEST_F(RaceDetectorTest, OrderPassesThroughAThirdHart) {
  store(0, kData);
  swap(0, kFlag);
  swap(1, kFlag);
  swap(1, kFlag + 4);
  swap(2, kFlag + 4);
  load(2, kData);
  EXPECT_EQ(races_.count(), 0u);
}

TEST_F(RaceDetectorTest, AnAtomicOperationPassesOnWhatTheWordPublished) {
  store(0, kData);
  swap(0, kFlag);
  swap(1, kFlag, false, false);
  swap(2, kFlag);
  load(2, kData);
  EXPECT_EQ(races_.count(), 0u);
}

TEST_F(RaceDetectorTest, APlainStoreDoesNotPassOnWhatTheWordPublished) {
  store(0, kData);
  swap(0, kFlag);
  load(1, kFlag);
  fence(1, 2, 3);
  store(1, kFlag);
  load(2, kFlag);
  const std::uint64_t races = races_.count();
  fence(2);
  load(2, kData);
  EXPECT_EQ(races_.count(), races + 1);
}

TEST_F(RaceDetectorTest, AnAtomicLoadIsNoRace) {
  store(0, kData);
  races_.observer(1).accessed(Kind::kLoad, kData, 4, kRam, {true, false, false});
  EXPECT_EQ(races_.count(), 0u);
}

TEST_F(RaceDetectorTest, WordsAreSeparate) {
  store(0, kData);
  store(1, kData + 4);
  store(2, kData + 8, 1);
  EXPECT_EQ(races_.count(), 0u);
  store(0, kData + 9, 1);
  EXPECT_EQ(races_.count(), 1u);
}

TEST_F(RaceDetectorTest, ADescriptorNeedsAFenceBeforeTheDoorbell) {
  store(0, kData);
  fence(0);
  store(0, kDevice);
  races_.dma_read(kData, 64);
  EXPECT_EQ(races_.count(), 0u);
  store(0, kData + 64);
  store(0, kDevice);
  races_.dma_read(kData + 64, 64);
  expect_race(0, 3);
}

TEST_F(RaceDetectorTest, ABufferThatDmaReadsIsNotTheHartsUntilCompletion) {
  store(0, kData);
  fence(0);
  store(0, kDevice);
  races_.dma_read(kData, 64);
  races_.dma_wrote(kFlag, 32);
  load(0, kFlag);
  store(0, kData);  // no fence between the load of the completion and this store
  expect_race(3, 0);
}

TEST_F(RaceDetectorTest, ACompletionIsReadBehindAFence) {
  races_.dma_wrote(kData, 256);
  races_.dma_wrote(kFlag, 32);
  load(0, kFlag);  // polls the completion
  fence(0);
  load(0, kFlag + 4);
  load(0, kData);
  store(0, kData);
  EXPECT_EQ(races_.count(), 0u);
}

TEST_F(RaceDetectorTest, ACompletionReadWithoutFenceRaces) {
  races_.dma_wrote(kData, 256);
  races_.dma_wrote(kFlag, 32);
  load(0, kFlag);
  load(0, kData + 8);
  expect_race(3, 0);
}

TEST_F(RaceDetectorTest, PollingIsNoRace) {
  for (int i = 0; i < 3; ++i) {
    load(0, kFlag);
    races_.dma_wrote(kFlag, 4);
  }
  EXPECT_EQ(races_.count(), 0u);
}

TEST_F(RaceDetectorTest, AnInterruptAndADevicesRegisterComeAfterDma) {
  races_.dma_wrote(kData, 16);
  races_.observer(0).interrupted();
  load(0, kData);
  store(0, kData);
  races_.dma_wrote(kData + 16, 16);
  load(1, kDevice);
  load(1, kData + 16);
  store(1, kData + 16);
  EXPECT_EQ(races_.count(), 0u);
  races_.dma_wrote(kData + 32, 16);
  store(1, kData + 32);  // DMA wrote after the hart's load of the register
  expect_race(3, 1);
  store(0, kData + 28);  // DMA wrote after the interrupt
  EXPECT_EQ(races_.count(), 2u);
}

TEST_F(RaceDetectorTest, TheSameInstructionsAreToldOnce) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    store(0, kData + 4 * i);
    load(1, kData + 4 * i);
  }
  ASSERT_EQ(races_.count(), 5u);
  EXPECT_EQ(races_.different(), 1u);
  EXPECT_EQ(
      race_sentence(races_.races()[0], races_.dma(),
                    [](std::uint32_t at) { return at == kData ? "data" : "code"; }),
      "race at address data: hart 0 store at pc code, then hart 1 load at pc code, and neither "
      "fence, atomic operation nor doorbell orders them");
}

TEST_F(RaceDetectorTest, OtherInstructionsAreToldUpToALimit) {
  const auto access = [this](unsigned hart, Kind kind, std::uint32_t pc) {
    races_.observer(hart).accessed(kind, kData, 4, pc, {});
  };
  for (std::uint32_t i = 0; i < 15; ++i) {
    access(0, Kind::kStore, kRam + 4 * i);
    access(1, Kind::kLoad, kRam);
  }
  EXPECT_EQ(races_.different(), 29u) << "15 loads behind stores, 14 stores behind loads";
  EXPECT_EQ(races_.count(), 29u);
  EXPECT_EQ(races_.races().size(), RaceDetector::kKept);
}

TEST_F(RaceDetectorTest, BytesOutsideRamAreIgnored) {
  races_.dma_wrote(kRam + kBytes - 4, 64);
  races_.dma_wrote(kRam - 8, 16);
  races_.dma_read(0, 64);
  EXPECT_EQ(races_.count(), 0u);
}

}  // namespace
}  // namespace dcc::riscv::test::race_detector_tests
