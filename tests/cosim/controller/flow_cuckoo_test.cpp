// Tests the hash table of sparse flow numbers (dc_flow_cuckoo.sv) alone against a map, with a
// change and a look-up in every cycle, also with flow numbers that share their buckets.
#include <Vflow_cuckoo_1024.h>
#include <Vflow_cuckoo_1024___024root.h>
#include <Vflow_cuckoo_256.h>
#include <Vflow_cuckoo_256___024root.h>
#include <Vflow_cuckoo_64.h>
#include <Vflow_cuckoo_64___024root.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

namespace dcc {
namespace {

constexpr std::uint32_t kFlows = 1u << 24;
constexpr std::uint32_t kStash = 32, kWays = 4;
// number of cycles from a claim to its bind, as in dc_lookup
constexpr std::uint32_t kUnderWay = 29;

/// A product of polynomials over GF(2).
constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (; b != 0; b >>= 1, a <<= 1) sum ^= (b & 1) != 0 ? a : 0;
  return sum;
}

struct Small {
  using Top = Vflow_cuckoo_64;
  static constexpr std::uint32_t kSlots = 64, kP0 = 0x13, kP1 = 0x19;
};
struct Middle {
  using Top = Vflow_cuckoo_256;
  static constexpr std::uint32_t kSlots = 256, kP0 = 0x43, kP1 = 0x5B;
};
struct Shipped {
  using Top = Vflow_cuckoo_1024;
  static constexpr std::uint32_t kSlots = 1024, kP0 = 0x11D, kP1 = 0x12B;
};

/// Kinds of random changes to the hash table, and their probabilities.
struct Load {
  std::uint32_t rate = 1024;       // probability of a change in a cycle, in 1/1024
  std::uint32_t in_use = 0;        // number of slots in use; 0: all
  std::uint32_t apart = 1;         // distance between flow numbers as polynomials
  std::uint32_t numbers = kFlows;  // number of flow numbers in use
  std::uint32_t spared = 0;        // probability of a cycle without a new bind, in 1/1024
  std::uint32_t others = 0;        // probability of an arbitrary flow number, in 1/1024
};

template <class Size>
class Table {
 public:
  static constexpr std::uint32_t kSlots = Size::kSlots;

  explicit Table(std::uint64_t seed) : random_(seed) {
    context_.fatalOnError(false);
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed));
    top_ = std::make_unique<typename Size::Top>(&context_, "top");
    top_->clk_i = 0;
    sweep(true);
    flow_of_.assign(kSlots, 0);
  }
  ~Table() { top_->final(); }

  void run(std::uint64_t cycles, const Load& load) {
    for (std::uint64_t i = 0; i < cycles && !testing::Test::HasFailure(); ++i) {
      plan(load);
      cycle();
    }
  }
  /// Completes all pending binds and then all moves that the stash can still make.
  void settle(std::uint32_t cycles) {
    while ((!claims_.empty() || asked_for() != 0) && !testing::Test::HasFailure()) cycle();
    for (std::uint32_t i = 0; i < cycles && !testing::Test::HasFailure(); ++i) cycle();
  }
  /// Resets the expected state after a soft reset: no operation is pending.
  void soft_reset() {
    settle(0);
    sweep(false);
    slot_of_.clear();
    bound_.clear();
    free_.clear();
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) free_.push_back(slot);
  }
  /// Unbinds all flows.
  void empty() {
    settle(0);
    while (!bound_.empty() && !testing::Test::HasFailure()) {
      unbind_one();
      cycle();
    }
    settle(1);
  }
  void look_at_all() {
    settle(0);
    const std::vector<std::uint32_t> all = bound_;
    for (const std::uint32_t flow : all) {
      looked_for_ = flow;
      cycle();
    }
  }

  std::size_t bound() const { return bound_.size(); }
  std::uint32_t in_stash() const {
    return static_cast<std::uint32_t>(__builtin_popcount(inside().dc_flow_cuckoo__DOT__used));
  }
  std::uint64_t binds = 0, unbinds = 0, looks = 0, hits = 0, kicks = 0, stashed = 0, refused = 0;
  std::uint32_t most_in_stash = 0;
  bool may_refuse = false;

  void tell(const char* what) const {
    std::printf(
        "%u slots, %s: %llu binds, %llu unbinds, %llu look-ups (%llu hits), %llu binds into the "
        "stash, %u there at most, %llu kicks, %llu refused\n",
        kSlots, what, static_cast<unsigned long long>(binds),
        static_cast<unsigned long long>(unbinds), static_cast<unsigned long long>(looks),
        static_cast<unsigned long long>(hits), static_cast<unsigned long long>(stashed),
        most_in_stash, static_cast<unsigned long long>(kicks),
        static_cast<unsigned long long>(refused));
  }

 private:
  struct Claim {
    std::uint64_t due;
    std::uint32_t flow, slot;
  };

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  const auto& inside() const { return *top_->rootp; }

  void unbind_one() {
    unbinding_ = true;
    change_ = bound_[below(static_cast<std::uint32_t>(bound_.size()))];
  }

  std::uint32_t asked_for() const {
    return static_cast<std::uint32_t>(
        std::count_if(wanted_.begin(), wanted_.end(), [](std::uint32_t f) { return f != kFlows; }));
  }
  bool known(std::uint32_t flow) const {
    return std::count(wanted_.begin(), wanted_.end(), flow) != 0 || slot_of_.count(flow) != 0 ||
           std::any_of(claims_.begin(), claims_.end(),
                       [flow](const Claim& claim) { return claim.flow == flow; });
  }

  std::uint32_t number(const Load& load) {
    if (below(1024) < load.others) return below(kFlows);
    return product(below(load.numbers), load.apart);
  }

  // Plans the changes of a cycle. A cycle with a pending bind has no other change; in other cycles
  // a flow may be unbound. A claim reserves a place for a later bind.
  void plan(const Load& load) {
    const std::uint32_t in_use = load.in_use == 0 ? kSlots : load.in_use;
    const bool due = !claims_.empty() && claims_.front().due == now_;
    if (below(1024) >= load.rate) return;
    const bool full = bound_.size() + claims_.size() + asked_for() >= in_use;
    if (!due && !bound_.empty() && (full || below(8) == 0)) unbind_one();
    const std::uint32_t flow = number(load);
    if (below(1024) < load.spared || known(flow)) return;
    if (bound_.size() + claims_.size() + asked_for() >= std::min(in_use + 16, kSlots)) return;
    wanted_[0] = flow;
  }

  void cycle() {
    typename Size::Top& top = *top_;
    top.claim_i = 0;
    const bool binding = !claims_.empty() && claims_.front().due == now_;
    if (binding) {
      change_ = claims_.front().flow;
      ASSERT_FALSE(unbinding_);
    }
    top.bind_i = binding;
    top.unbind_i = unbinding_;
    top.flow_i = change_;
    const std::uint32_t slot = binding      ? claims_.front().slot
                               : unbinding_ ? slot_of_.at(change_)
                                            : below(kSlots);
    top.slot_i = slot;

    // Chooses a look-up: of a bound flow, of a recently changed flow or of an unknown flow.
    std::uint32_t flow = below(kFlows);
    const std::uint32_t kind = below(4);
    if (looked_for_ != kFlows)
      flow = looked_for_;
    else if (kind == 0 && !recent_.empty())
      flow = recent_[below(static_cast<std::uint32_t>(recent_.size()))];
    else if (kind == 1 && last_ != kFlows)
      flow = last_;
    else if (kind == 2 && !bound_.empty())
      flow = bound_[below(static_cast<std::uint32_t>(bound_.size()))];
    looked_for_ = kFlows;
    if (wanted_[0] != kFlows) flow = wanted_[0];
    top.match_i = !((binding || unbinding_) && flow == change_);
    top.match_flow_i = flow;
    top.name_i = 1;
    top.name_slot_i = below(2) == 0 ? slot : below(kSlots);
    top.eval();

    // Checks the answer to the request of the previous cycle.
    if (asked_) {
      ++looks;
      hits += expected_bound_;
      ASSERT_EQ(top.bound_o != 0, expected_bound_) << "flow " << asked_flow_ << ", cycle " << now_;
      if (expected_bound_) {
        ASSERT_EQ(top.slot_o, expected_slot_) << "flow " << asked_flow_;
      }
    }
    if (named_) {
      ASSERT_EQ(top.name_flow_o, expected_name_);
    }
    ASSERT_EQ(top.report_o, 0);

    // The hash table must accept every bind while its stash has room for all pending binds.
    const std::uint32_t filled = in_stash();
    const std::size_t under_way = claims_.size() + (inside().dc_flow_cuckoo__DOT__op_bind_q != 0);
    most_in_stash = std::max(most_in_stash, filled);
    kicks += inside().dc_flow_cuckoo__DOT__kick != 0;
    stashed += inside().dc_flow_cuckoo__DOT__put != 0;
    const std::uint32_t want = wanted_[2];
    if (want != kFlows && top.room_o == 0) {
      ++refused;
      ASSERT_TRUE(may_refuse) << "no room with " << filled << " in the stash";
      // Compares with the stash of the previous cycle as well, since an entry or a bind may have
      // been placed in between.
      ASSERT_GE(filled + under_way + 1, kStash);
    }
    if (want != kFlows && top.room_o != 0) {
      top.claim_i = 1;
      const std::uint32_t at = below(static_cast<std::uint32_t>(free_.size()));
      claims_.push_back({now_ + kUnderWay, want, free_[at]});
      free_.erase(free_.begin() + at);
      top.eval();
    }
    wanted_ = {kFlows, wanted_[0], wanted_[1]};

    asked_ = top.match_i != 0;
    asked_flow_ = flow;
    const auto found = slot_of_.find(flow);
    expected_bound_ = found != slot_of_.end();
    if (expected_bound_) expected_slot_ = found->second;
    if (binding) {
      ++binds;
      slot_of_.emplace(change_, slot);
      bound_.push_back(change_);
      flow_of_[slot] = change_;
      claims_.pop_front();
    } else if (unbinding_) {
      ++unbinds;
      free_.push_back(slot);
      slot_of_.erase(change_);
      bound_.erase(std::find(bound_.begin(), bound_.end(), change_));
    }
    last_ = kFlows;
    if (binding || unbinding_) {
      last_ = change_;
      recent_.push_back(change_);
      if (recent_.size() > 16) recent_.pop_front();
    }
    unbinding_ = false;
    named_ = true;
    expected_name_ = flow_of_[top.name_slot_i];
    edge();
  }

  void edge() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
    ++now_;
    ASSERT_FALSE(context_.gotError()) << "an assertion of the RTL, cycle " << now_;
  }

  void sweep(bool power_up) {
    typename Size::Top& top = *top_;
    top.match_i = top.name_i = top.claim_i = top.bind_i = top.unbind_i = 0;
    top.sweep_i = 1;
    top.power_up_i = power_up;
    for (std::uint32_t i = 0; i < kSlots + 16; ++i) {
      top.index_i = i;
      top.in_range_i = i < kSlots;
      top.eval();
      edge();
    }
    top.sweep_i = 0;
    asked_ = named_ = false;
    if (free_.empty())
      for (std::uint32_t slot = 0; slot < kSlots; ++slot) free_.push_back(slot);
  }

  VerilatedContext context_;
  std::unique_ptr<typename Size::Top> top_;
  std::mt19937_64 random_;
  std::uint64_t now_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of_;
  std::vector<std::uint32_t> bound_, free_, flow_of_;
  std::deque<Claim> claims_;
  std::deque<std::uint32_t> recent_;  // flows that were bound or unbound last
  // Flow whose look-up was planned in this cycle, one cycle ago and two cycles ago; kFlows: none.
  std::array<std::uint32_t, 3> wanted_{kFlows, kFlows, kFlows};
  bool unbinding_ = false;
  std::uint32_t change_ = 0, looked_for_ = kFlows, last_ = kFlows;
  bool asked_ = false, named_ = false, expected_bound_ = false;
  std::uint32_t asked_flow_ = 0, expected_slot_ = 0, expected_name_ = 0;
};

template <class Size>
class FlowCuckoo : public testing::Test {};
using Sizes = testing::Types<Small, Middle, Shipped>;
TYPED_TEST_SUITE(FlowCuckoo, Sizes);

#ifdef DCC_CUCKOO_CYCLES
constexpr std::uint64_t kCycles = DCC_CUCKOO_CYCLES;
#else
constexpr std::uint64_t kCycles = 200'000;
#endif

// Changes the hash table in every cycle, or in some cycles, while all slots are in use. No bind may
// be refused.
TYPED_TEST(FlowCuckoo, FindsAnyNumbersWithAllSlotsInUse) {
  for (const std::uint32_t rate : {1024u, 700u, 100u}) {
    Table<TypeParam> table(rate);
    Load load;
    load.rate = rate;
    load.spared = rate == 1024 ? 0 : 300;
    table.run(kCycles, load);
    table.look_at_all();
    table.tell("any numbers");
    EXPECT_GT(table.bound(), TypeParam::kSlots * 3 / 4);
    EXPECT_GT(table.hits, kCycles / 8);
  }
}

// Binds consecutive flow numbers, as a driver assigns them.
TYPED_TEST(FlowCuckoo, SpreadsDenseNumbersEvenly) {
  Table<TypeParam> table(3);
  Load load;
  load.numbers = TypeParam::kSlots;
  table.run(kCycles, load);
  table.look_at_all();
  table.tell("numbers in a row");
  EXPECT_EQ(table.stashed, 0u);
}

// Binds flow numbers that all share a bucket of one table, and have different buckets in the other
// table.
TYPED_TEST(FlowCuckoo, HashesTwiceIndependently) {
  for (const std::uint32_t apart : {TypeParam::kP0, TypeParam::kP1}) {
    Table<TypeParam> table(apart);
    Load load;
    load.apart = apart;
    load.numbers = TypeParam::kSlots / kWays;
    table.run(kCycles / 4, load);
    table.look_at_all();
    EXPECT_GT(table.bound(), 2 * kWays);
    EXPECT_EQ(table.stashed, 0u);
  }
}

// Binds flow numbers that all share one bucket, so that the table must move entries to make room.
TYPED_TEST(FlowCuckoo, MakesPlaceByKicks) {
  for (const std::uint32_t apart : {TypeParam::kP0, TypeParam::kP1}) {
    Table<TypeParam> table(apart);
    table.may_refuse = true;
    Load load;
    load.apart = apart;
    load.numbers = TypeParam::kSlots * 4;
    load.others = 500;
    for (const std::uint32_t rate : {1024u, 300u, 900u}) {
      load.rate = rate;
      table.run(kCycles / 2, load);
    }
    table.look_at_all();
    table.tell("one bucket in common");
    EXPECT_GT(table.kicks, 100u);
    EXPECT_GT(table.stashed, 100u);
  }
}

// Binds flow numbers that share both buckets. The table accepts as many as both buckets and the
// stash hold, refuses more until some flows are unbound, and finds all bound flows.
TYPED_TEST(FlowCuckoo, RefusesWhatHasNoPlace) {
  Table<TypeParam> table(11);
  table.may_refuse = true;
  Load load;
  load.apart = product(TypeParam::kP0, TypeParam::kP1);
  load.numbers = 250;
  for (int round = 0; round < 4; ++round) {
    load.rate = round == 1 ? 1024 : 200;
    load.in_use = 64;
    while (table.refused < 100u * (round + 1) && !testing::Test::HasFailure()) table.run(100, load);
    table.settle(20'000);
    EXPECT_LE(table.bound(), 2 * kWays + kStash);
    EXPECT_GE(table.bound(), 2 * kWays + kStash - kUnderWay);
    EXPECT_EQ(table.in_stash(), table.bound() - 2 * kWays);
    table.look_at_all();
    const std::uint64_t before = table.kicks;
    table.settle(20'000);
    EXPECT_EQ(table.kicks, before) << "it does not rest";
    if (round % 2 == 0)
      table.empty();
    else
      table.soft_reset();
    EXPECT_EQ(table.in_stash(), 0u);
  }
  // The test makes one bind at a time, so that no pending bind reserves a place.
  load.rate = 20;
  load.in_use = 64;
  const std::uint64_t refused = table.refused;
  std::uint64_t most = 0;
  while (table.refused < refused + 20 && !testing::Test::HasFailure()) {
    table.run(100, load);
    most = std::max<std::uint64_t>(most, table.bound());
  }
  EXPECT_EQ(most, 2 * kWays + kStash);
  load.others = 800;
  load.rate = 1024;
  table.run(kCycles, load);
  table.look_at_all();
  table.tell("both buckets in common");
  EXPECT_EQ(table.most_in_stash, kStash);
  EXPECT_GT(table.kicks, 100u);
}

// Soft resets between loads leave no flow bound. Flow numbers keep their buckets.
TYPED_TEST(FlowCuckoo, ForgetsAllInASweep) {
  Table<TypeParam> table(17);
  table.may_refuse = true;
  Load load;
  load.others = 900;
  load.apart = product(TypeParam::kP0, TypeParam::kP1);
  load.numbers = 250;
  for (int round = 0; round < 20; ++round) {
    table.run(3000, load);
    table.soft_reset();
    EXPECT_EQ(table.in_stash(), 0u);
    table.settle(100);
  }
  table.tell("sweeps");
}

}  // namespace
}  // namespace dcc
