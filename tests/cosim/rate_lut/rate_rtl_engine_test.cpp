// Tests the platform's rate engines: RTL alone, RTL in lock-step with the model, injected faults,
// recordings.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "controller/rate_unit.h"
#include "rate_engine_lockstep.h"
#include "rate_random.h"
#include "rate_recording.h"

namespace dcc {
namespace {

std::string temporary(const std::string& name) {
  return testing::TempDir() + name + "." + std::to_string(getpid());
}

/// Writes registers and a few table words and sends some requests, `rounds` times.
void drive(RateEngine& engine, int rounds, std::uint32_t seed) {
  RateRandom random(seed);
  for (int round = 0; round < rounds; ++round) {
    engine.load(random.registers());
    for (int n = 0; n < 40; ++n) {
      const auto table = static_cast<RateTable>(random.below(kRateTables));
      engine.load(table, random.below(entries(table)), random.table_word(table));
    }
    for (int n = 0; n < 100; ++n) {
      if (random.one_in(2)) {
        engine.decrease(random.decrease());
      } else {
        engine.increase(random.increase());
      }
    }
  }
}

TEST(RtlRateEngine, AnswersInTheLatencyOfThePipeline) {
  const auto engine = make_rtl_rate_engine();
  drive(*engine, 5, 1);
  EXPECT_EQ(engine->figures().requests, 500u);
  EXPECT_EQ(engine->figures().longest_answer, kRateLatency);
}

TEST(RtlRateEngine, IgnoresEntriesBeyondTheTables) {
  const auto engine = make_rtl_rate_engine();
  for (const std::uint32_t index : {257u, 511u, 512u, 1024u, 0x80000000u}) {
    engine->load(RateTable::kDecrease, index, 7);
    EXPECT_EQ(engine->read(RateTable::kDecrease, index), 0u);
  }
  for (const std::uint32_t index : {64u, 128u, 256u, 512u}) {
    engine->load(RateTable::kFloor, index, 7);
    EXPECT_EQ(engine->read(RateTable::kFloor, index), 0u);
  }
  EXPECT_EQ(engine->read(RateTable::kDecrease, 0), kOne16);
  EXPECT_EQ(engine->read(RateTable::kFloor, 0), 0u);
}

TEST(LockstepRateEngine, FindsNoDifference) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    RateLockstepOptions options;
    options.rtl.random_seed = seed;
    const auto engine = make_lockstep_rate_engine(options);
    drive(*engine, 60, seed);
    engine->finish();
    EXPECT_EQ(engine->comparisons(), 60u * 100 + 5 * 64 + kDecreaseEntries);
  }
}

TEST(LockstepRateEngine, AnswersAreTheModels) {
  const auto both = make_lockstep_rate_engine();
  RateUnit model;
  RateRandom random(9);
  for (int n = 0; n < 1000; ++n) {
    const DecreaseRequest cut = random.decrease();
    EXPECT_EQ(both->decrease(cut).rc, model.decrease(cut).rc);
    const IncreaseRequest rise = random.increase();
    EXPECT_EQ(both->increase(rise).rt, model.increase(rise).rt);
  }
}

class RateFaults : public testing::TestWithParam<RateFault> {};

TEST_P(RateFaults, AreCaught) {
  const char* const wanted =
      std::getenv("DCC_RATE_RECORDING");  // set by tests/cosim/rate_lut/replay_test.sh
  RateLockstepOptions options;
  options.rtl.fault = GetParam();
  options.seed = 4711;
  options.name = "host 3 rate unit";
  options.log_path = wanted != nullptr ? wanted : temporary("rate_fault.log");
  const auto engine = make_lockstep_rate_engine(options);
  std::string report;
  try {
    drive(*engine, 100, 17);
    engine->finish();
  } catch (const LockstepMismatch& mismatch) {
    report = mismatch.what();
  }
  ASSERT_NE(report, "") << "nobody noticed";
  for (const char* part : {"host 3 rate unit", "seed 4711", "\n  model: ", "\n  RTL:   ",
                           "\n  registers ", "last calls", "rate_replay "}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << " is not in:\n" << report;
  }

  // The recording leads a new pair of engines to the same difference, as rate_replay does.
  const RateRecording recording = read_rate_recording(options.log_path);
  EXPECT_EQ(recording.seed, 4711u);
  EXPECT_EQ(recording.fault, GetParam());
  if (wanted == nullptr) std::remove(options.log_path.c_str());
}
INSTANTIATE_TEST_SUITE_P(All, RateFaults,
                         testing::Values(RateFault::kRateBit, RateFault::kLostWrite,
                                         RateFault::kStage));

void repeat(RateEngine& engine, const RateCall& call) {
  if (const auto* r = std::get_if<RateRegisters>(&call)) engine.load(*r);
  if (const auto* w = std::get_if<RateTableWrite>(&call)) engine.load(w->table, w->index, w->word);
  if (const auto* d = std::get_if<DecreaseRequest>(&call)) engine.decrease(*d);
  if (const auto* i = std::get_if<IncreaseRequest>(&call)) engine.increase(*i);
}

// Replaying the kept calls leads to the same state, however many calls the recording has dropped.
TEST(RateCalls, KeepTheStateOfWhatTheyDrop) {
  RateRandom random(23);
  RateCalls calls;
  RateUnit direct;
  std::size_t made = 0;
  const auto make = [&](const RateCall& call) {
    calls.add(call);
    repeat(direct, call);
    ++made;
  };
  while (made < 2 * RateCalls::kKept + 1000) {
    if (random.one_in(500)) {
      make(random.registers());
    } else if (random.one_in(5)) {
      const auto table = static_cast<RateTable>(random.below(kRateTables));
      make(RateTableWrite{table, random.below(entries(table)), random.table_word(table)});
    } else if (random.one_in(2)) {
      make(random.decrease());
    } else {
      make(random.increase());
    }
  }
  const std::vector<RateCall> kept = calls.all();
  EXPECT_LT(kept.size(), 2 * RateCalls::kKept);
  EXPECT_GT(kept.size(), RateCalls::kKept);
  EXPECT_EQ(calls.last(7).size(), 7u);
  RateUnit replayed;
  for (const RateCall& call : kept) repeat(replayed, call);
  for (int n = 0; n < 2000; ++n) {
    const DecreaseRequest cut = random.decrease();
    ASSERT_EQ(replayed.decrease(cut).rc, direct.decrease(cut).rc);
    const IncreaseRequest rise = random.increase();
    ASSERT_EQ(replayed.increase(rise).rc, direct.increase(rise).rc);
  }
}

TEST(RateRecording, SurvivesAFile) {
  RateRandom random(31);
  RateRecording written{77, RateFault::kStage, 5, {}};
  for (int n = 0; n < 200; ++n) {
    written.calls.push_back(random.registers());
    written.calls.push_back(random.decrease());
    written.calls.push_back(random.increase());
    written.calls.push_back(RateTableWrite{RateTable::kDecrease, random.below(257), random.word()});
  }
  const std::string path = temporary("rate_recording");
  write_recording(path, written);
  const RateRecording read = read_rate_recording(path);
  std::remove(path.c_str());
  EXPECT_EQ(read.seed, written.seed);
  EXPECT_EQ(read.fault, written.fault);
  EXPECT_EQ(read.random_seed, written.random_seed);
  ASSERT_EQ(read.calls.size(), written.calls.size());
  for (std::size_t i = 0; i < read.calls.size(); ++i) {
    ASSERT_EQ(to_string(read.calls[i]), to_string(written.calls[i]));
  }
}

TEST(RateRecording, RefusesWhatItCannotUse) {
  const std::string path = temporary("bad_recording");
  const auto complaint = [&path](const std::string& text) {
    std::ofstream(path) << text;
    try {
      read_rate_recording(path);
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).substr(path.size());
    }
    return std::string("accepted");
  };
  const std::string head = "rate-recording seed 1 fault 0 random 0\n";
  EXPECT_EQ(complaint(head + "increase 1 2 3 0 7\n"), "accepted");
  EXPECT_EQ(complaint("wheel-recording\n"), ":1: no recording of a rate unit");
  EXPECT_EQ(complaint(head + "increase 1 2 3\n"), ":2: increase needs more numbers");
  EXPECT_EQ(complaint(head + "increase 1 2 64 0 7\n"), ":2: 64 is above 63");
  EXPECT_EQ(complaint(head + "write 6 0 0\n"), ":2: 6 is above 5");
  EXPECT_EQ(complaint(head + "write 0 64 0\n"), ":2: 64 is above 63");
  EXPECT_EQ(complaint(head + "increase 1 2 3 0 7 9\n"), ":2: '9' is too much");
  EXPECT_EQ(complaint(head + "jump 1\n"), ":2: 'jump' is no call of a rate unit");
  std::remove(path.c_str());
  EXPECT_THROW(read_rate_recording(path), std::runtime_error);
}

}  // namespace
}  // namespace dcc
