#include "sim/state_digest.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace dcc {
namespace {

template <class... Values>
std::uint64_t digest_of(const Values&... values) {
  StateDigest d;
  d(values...);
  return d.value();
}

std::uint64_t digest_of_bytes(const std::string& bytes) {
  StateDigest d;
  d.bytes(bytes.data(), bytes.size());
  return d.value();
}

enum class Phase : std::uint8_t { kIdle, kBusy };

struct Part {
  std::uint32_t word = 0;
  void add_state(StateDigest& d) const { d(word); }
};

/// A struct with one field of each type that a device may have.
struct Device {
  bool flag = false;
  std::int32_t number = 0;
  std::uint64_t wide = 0;
  Phase phase = Phase::kIdle;
  double share = 0.0;
  PicoSeconds due{};
  Rate rate{};
  BitRate line{0};
  std::optional<std::uint32_t> slot;
  std::unique_ptr<Part> owned;
  Part part;
  std::array<std::uint8_t, 3> few{};
  std::vector<std::uint16_t> many;
  std::deque<Part> queue;

  void add_state(StateDigest& d) const {
    d(flag, number, wide, phase, share, due, rate, line, slot, owned, part, few, many, queue);
  }
};

TEST(StateDigest, EveryFieldShows) {
  const std::uint64_t none = digest_of(Device{});
  EXPECT_EQ(digest_of(Device{}), none);
  std::set<std::uint64_t> seen{none};
  std::size_t changes = 0;
  const auto changed = [&](const char* what, auto change) {
    Device device;
    change(device);
    EXPECT_TRUE(seen.insert(digest_of(device)).second) << what;
    ++changes;
  };
  changed("flag", [](Device& d) { d.flag = true; });
  changed("number", [](Device& d) { d.number = 1; });
  changed("its sign", [](Device& d) { d.number = -1; });
  changed("wide", [](Device& d) { d.wide = 1; });
  changed("its highest bit", [](Device& d) { d.wide = std::uint64_t{1} << 63; });
  changed("phase", [](Device& d) { d.phase = Phase::kBusy; });
  changed("share", [](Device& d) { d.share = 1e-300; });
  changed("its sign", [](Device& d) { d.share = -0.0; });
  changed("due", [](Device& d) { d.due = PicoSeconds(1); });
  changed("rate", [](Device& d) { d.rate.raw = 1; });
  changed("line", [](Device& d) { d.line = BitRate(1); });
  changed("slot", [](Device& d) { d.slot = 0; });
  changed("another slot", [](Device& d) { d.slot = 1; });
  changed("owned", [](Device& d) { d.owned = std::make_unique<Part>(); });
  changed("in what is owned", [](Device& d) { d.owned = std::make_unique<Part>(Part{1}); });
  changed("part", [](Device& d) { d.part.word = 1; });
  for (std::size_t i = 0; i < 3; ++i) {
    changed("few", [i](Device& d) { d.few[i] = 1; });
  }
  changed("many", [](Device& d) { d.many = {0}; });
  changed("more", [](Device& d) { d.many = {0, 0}; });
  changed("the first", [](Device& d) { d.many = {1, 0}; });
  changed("the last", [](Device& d) { d.many = {0, 1}; });
  changed("queue", [](Device& d) { d.queue = {Part{}}; });
  changed("in the queue", [](Device& d) { d.queue = {Part{1}}; });
  EXPECT_EQ(seen.size(), changes + 1);
}

TEST(StateDigest, OrderThatMeansNothingDoesNotShow) {
  const auto of_set = [](const std::vector<std::pair<int, int>>& pairs) {
    StateDigest d;
    d.unordered([&](auto one) {
      for (const auto& [key, value] : pairs) one(key, value);
    });
    return d.value();
  };
  EXPECT_EQ(of_set({{1, 2}, {3, 4}, {5, 6}}), of_set({{5, 6}, {1, 2}, {3, 4}}));
  EXPECT_NE(of_set({{1, 2}, {3, 4}}), of_set({{1, 4}, {3, 2}}));
  EXPECT_NE(of_set({{1, 2}}), of_set({{1, 2}, {1, 2}}));
  EXPECT_NE(of_set({}), digest_of());
}

TEST(StateDigest, OrderShows) {
  EXPECT_NE(digest_of(1, 2), digest_of(2, 1));
  EXPECT_NE(digest_of(1, 2, 3), digest_of(1, 3, 2));
  EXPECT_NE(digest_of(0, 1), digest_of(1, 0));
  EXPECT_NE(digest_of(1), digest_of(1, 0));
  EXPECT_EQ(digest_of(1, 2, 3), digest_of(1, 2, 3));
  // The digest does not depend on the grouping of fields.
  StateDigest d;
  d(1);
  d(2, 3);
  EXPECT_EQ(d.value(), digest_of(1, 2, 3));
}

TEST(StateDigest, WhereOneListEndsAndTheNextBeginsShows) {
  using List = std::vector<int>;
  EXPECT_NE(digest_of(List{1, 2}, List{3}), digest_of(List{1}, List{2, 3}));
  EXPECT_NE(digest_of(List{}, List{1}), digest_of(List{1}, List{}));
  EXPECT_NE(digest_of(std::optional<int>(), 1), digest_of(std::optional<int>(1)));
  EXPECT_EQ(digest_of(List{1, 2}), digest_of(std::deque<int>{1, 2}));
}

// Each step of the digest is a bijection, so a difference in one value is never lost.
TEST(StateDigest, ADifferenceIsNeverLost) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint64_t> values(1 + random() % 20);
    for (std::uint64_t& value : values) value = random() % 3;
    const std::uint64_t before = digest_of(values);
    const std::size_t one = random() % values.size();
    const std::uint64_t old = values[one];
    while (values[one] == old) values[one] = random() >> random() % 64;
    EXPECT_NE(digest_of(values), before);
    values[one] = old;
    const std::size_t other = random() % values.size();
    std::swap(values[one], values[other]);
    EXPECT_EQ(digest_of(values) == before, values[one] == values[other]);
  }
}

TEST(StateDigest, EveryByteOfMemoryShows) {
  for (const std::size_t size : {1u, 7u, 8u, 31u, 32u, 33u, 100u}) {
    std::string memory(size, '\0');
    std::set<std::uint64_t> seen{digest_of_bytes(memory)};
    for (std::size_t i = 0; i < size; ++i) {
      for (const int bit : {0, 7}) {
        memory[i] = static_cast<char>(1 << bit);
        EXPECT_TRUE(seen.insert(digest_of_bytes(memory)).second) << size << ' ' << i;
      }
      memory[i] = 0;
    }
    EXPECT_TRUE(seen.insert(digest_of_bytes(memory + '\0')).second) << "its length";
  }
  EXPECT_NE(digest_of_bytes("abcdefgh12345678ABCDEFGH!?!?!?!?"),
            digest_of_bytes("12345678abcdefghABCDEFGH!?!?!?!?"));
}

TEST(StateDigest, CountersAreTakenAsTheyLie) {
  struct Counters {
    std::uint64_t sent = 0;
    std::uint64_t lost = 0;
  };
  const auto of = [](const Counters& counters) {
    StateDigest d;
    add_counters(d, counters);
    return d.value();
  };
  EXPECT_EQ(of({1, 2}), of({1, 2}));
  EXPECT_NE(of({1, 2}), of({2, 1}));
  EXPECT_NE(of({0, 0}), of({0, 1}));
}

// The digest is the same on all machines and in all builds.
TEST(StateDigest, IsTheSameEverywhere) {
  EXPECT_EQ(StateDigest().value(), 0x6A09E667F3BCC908u);
  EXPECT_EQ(digest_of(1u, std::int8_t{-1}, PicoSeconds(5)), 0x928C227DB384F412u);
  EXPECT_EQ(digest_of_bytes("the quick brown fox jumps over the lazy dog"), 0x1EA13AD0F2DED613u);
}

}  // namespace
}  // namespace dcc
