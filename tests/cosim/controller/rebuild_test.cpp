// Tests recovery from lost words (parameter Rebuild): two bits of one word are flipped under load.
// The controller recovers by itself and keeps all slots, except the slot whose own word was lost.
// Software only rewrites the lost word of a table, and resets nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "driver/dcc_regs.h"
#include "guarded_memory.h"

namespace dcc::page {
namespace {

#ifdef DCC_REBUILD_LARGE  // 1024 slots as shipped; the test tries 64 words of each memory
constexpr unsigned kFlowBits = 11, kSlotBits = 10;
constexpr std::uint32_t kBusyFlows = 600, kInterval = 150, kListInterval = 300;
constexpr std::size_t kMostWords = 64;
#else
constexpr unsigned kFlowBits = 8, kSlotBits = 6;
constexpr std::uint32_t kBusyFlows = 50, kInterval = 10, kListInterval = 150;
constexpr std::size_t kMostWords = 1024;
#endif
constexpr std::uint32_t kSlots = 1 << kSlotBits, kFlows = 1 << kFlowBits, kEnabled = 0x2D;
constexpr std::uint32_t kMaximum = 0x123456, kInitial = 0x100000;
constexpr unsigned kBoundBit = 184, kFlowBit = 185;
// Maximum recovery time in cycles: pipeline, sweep of all flows, walk over all slots, and register
// accesses in flight.
constexpr std::uint32_t kRecovery = 32 + kFlows + 16 + 3 * kSlots + 80;

std::uint32_t field(const std::vector<std::uint32_t>& word, unsigned lsb, unsigned bits) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bits; ++i) value |= (word[(lsb + i) / 32] >> (lsb + i) % 32 & 1) << i;
  return value;
}

const SecdedMemory& named_memory(const std::string& name) {
  for (const SecdedMemory& one : rebuild_memories())
    if (name == one.memory.name) return one;
  std::abort();
}

/// The controller under random inputs and register accesses, without an oracle.
class Loaded {
 public:
  Loaded(std::uint32_t seed, std::uint32_t interval, std::uint32_t flows)
      : dut_(make_rebuild_controller(seed)), random_(seed), flows_(flows) {
    dut_->reset();
    write(DCC_TICK_DIV_OFFSET, 64);
    write(DCC_TIMER_INTERVAL_OFFSET, interval);
    write(DCC_FIRST_CUT_OFFSET, 0x8000);
    write(DCC_BYTE_THRESHOLD_OFFSET, 20'000);
    write(DCC_R_MAX_OFFSET, kMaximum);
    write(DCC_INITIAL_RATE_OFFSET, kInitial);
    for (std::uint32_t i = 0; i < 257; ++i) write(DCC_DECREASE_ENTRY_OFFSET(i), 0x10000 - 64 * i);
    write(DCC_CTRL_OFFSET, kEnabled);
  }

  /// Runs one cycle, and appends the controller's answer, if any, to `answers`.
  void cycle(const Inputs& in, const ApbPins& apb = {}) {
    pins_ = dut_->drive(in, apb);
    if (pins_.rate_valid) answers.push_back(pins_.rate);
    ++cycles;
    ASSERT_TRUE(dut_->edge()) << "an assertion failed";
  }

  std::uint32_t access(bool is_write, std::uint32_t address, std::uint32_t value = 0) {
    end_access();
    ApbPins apb{true, false, is_write, address, value};
    for (int i = 0; i < 6000; ++i) {
      cycle({}, apb);
      if (apb.penable && pins_.pready) return pins_.prdata;
      apb.penable = true;
    }
    ADD_FAILURE() << "access of " << address << " does not end";
    return 0;
  }
  void write(std::uint32_t address, std::uint32_t value) { access(true, address, value); }
  std::uint32_t read(std::uint32_t address) { return access(false, address); }

  /// Runs one cycle of random load. A register access takes several cycles.
  void load() {
    Inputs in;
    const auto flow = [this] {
      return static_cast<std::uint32_t>(random_() % (random_() % 4 != 0 ? kBusyFlows : flows_));
    };
    in.cnp = random_() % 16 == 0;
    in.cnp_flow = flow();
    in.cnp_marks = 1 + random_() % 3;
    in.cnp_dscp = in.bytes_dscp = random_() % 64;
    in.bytes = random_() % 3 == 0;
    in.bytes_flow = flow();
    in.bytes_length = static_cast<std::uint32_t>(random_() % 9000);
    in.command = random_() % (releases ? 8 : 40) == 0;
    in.command_query = random_() % 4 != 0 && !releases;
    in.command_flow = flow();
    if (!apb_.psel && random_() % 150 == 0) {
      constexpr std::uint32_t kWindows[] = {DCC_SLOTS_OFFSET, DCC_FREE_SLOTS_OFFSET, DCC_MI_OFFSET};
      const std::uint32_t at = kWindows[random_() % 3];
      const std::uint32_t word = at == DCC_SLOTS_OFFSET ? random_() % (8 * kSlots) : 0;
      apb_ = {true, false, at == DCC_MI_OFFSET, at + 4 * word, 0};
      since_ = cycles;
    }
    cycle(in, apb_);
    if (!apb_.psel) return;
    if (apb_.penable && pins_.pready)
      apb_ = {};
    else
      apb_.penable = true;
    ASSERT_LT(cycles - since_, 6000u) << "an access does not end";
  }
  void end_access() {
    while (apb_.psel) {
      cycle({}, apb_);
      if (apb_.penable && pins_.pready)
        apb_ = {};
      else
        apb_.penable = true;
      ASSERT_LT(cycles - since_, 6000u) << "an access does not end";
    }
  }

  ControllerDut& dut() { return *dut_; }
  bool ready() const { return pins_.ready; }
  bool irq() const { return pins_.irq; }
  MemoryWords words(const std::string& name) { return named_memory(name).memory.words(*dut_); }

  std::vector<Answer> answers;
  std::uint64_t cycles = 0;
  bool releases = false;  // true: all commands are releases, and commands are more frequent

 private:
  std::unique_ptr<ControllerDut> dut_;
  std::mt19937_64 random_;
  std::uint32_t flows_;
  Pins pins_{};
  ApbPins apb_;
  std::uint64_t since_ = 0;
};

/// Checks that flow table and slots agree: the flow of every bound slot leads to that slot, and no
/// other flow leads to a slot.
void expect_consistent(Loaded& block) {
  const MemoryWords store = block.words("store"), slot_of = block.words("slot_of");
  const MemoryWords flow_of = block.words("flow_of");
  std::uint32_t bound = 0, named = 0;
  for (std::uint32_t s = 0; s < kSlots; ++s) {
    if (field(store[s], kBoundBit, 1) == 0) continue;
    ++bound;
    const std::uint32_t flow = field(store[s], kFlowBit, kFlowBits);
    EXPECT_EQ(field(slot_of[flow], 0, kSlotBits + 1), 1u << kSlotBits | s);
    EXPECT_EQ(field(flow_of[s], 0, kFlowBits), flow);
  }
  for (const auto& word : slot_of) named += field(word, kSlotBits, 1);
  EXPECT_EQ(named, bound);
}

/// Rewrites a lost word of a table, as software does.
void write_table(Loaded& block, const std::string& name, std::uint32_t word) {
  const auto even = [&](std::uint32_t i) {
    block.write(DCC_DECREASE_ENTRY_OFFSET(i), 0x10000 - 64 * i);
  };
  if (name == "factor")
    block.write(DCC_FACTOR_ENTRY_OFFSET(word), 0x10000100);
  else if (name == "floor" || name == "limits_floor")
    block.write(DCC_FLOOR_ENTRY_OFFSET(word), 0);
  else if (name == "ceiling" || name == "limits_ceiling")
    block.write(DCC_CEILING_ENTRY_OFFSET(word), ~0u);
  else if (name == "decay_hi")
    block.write(DCC_DECAY_HI_ENTRY_OFFSET(word), 0x10000);
  else if (name == "decay_lo")
    block.write(DCC_DECAY_LO_ENTRY_OFFSET(word), 0x10000);
  else
    even(2 * word + (name == "decrease_odd" ? 1 : 0));
}

class Rebuild : public testing::TestWithParam<SecdedMemory> {};

TEST_P(Rebuild, CostsTheFlowOfTheWordAtMost) {
  const SecdedMemory& one = GetParam();
  const std::string name = one.memory.name;
  const bool table = one.memory.cause == DCC_MEMORY_ERROR_TABLES_MASK;
  const bool wheel = one.memory.cause == DCC_MEMORY_ERROR_WHEEL_MASK;
  const bool passing = one.memory.cause == DCC_MEMORY_ERROR_QUEUES_MASK ||
                       one.memory.cause == DCC_MEMORY_ERROR_DELAYS_MASK;
  // In a controller with many slots the random load alone would use few entries of the free list.
  const bool busy_list = name == "free_list" && kSlots > 64;
  const bool lists = wheel && name != "summaries" && name != "leaves";
  Loaded block(one.number + 1, lists ? kListInterval : kInterval,
               name == "slot_of" || busy_list ? kFlows : kBusyFlows);
  block.releases = busy_list;
  for (int i = 0; i < 3000; ++i) block.load();
  const std::size_t depth = one.memory.words(block.dut()).size();
  const std::size_t tried = std::min<std::size_t>(depth, wheel ? 64 : kMostWords);
  std::uint32_t recoveries = 0, lost = 0, longest = 0;
  for (std::size_t at = 0; at < tried; ++at) {
    std::size_t word = at * (depth / tried);
    if (wheel) {  // chooses a word that the RTL wrote recently, and thus uses
      const MemoryWords old = one.memory.words(block.dut());
      for (int i = 0; i < 300; ++i) block.load();
      const MemoryWords now = one.memory.words(block.dut());
      for (std::size_t i = 0; i < depth && now[word] == old[word]; ++i) word = (word + 1) % depth;
    }
    SCOPED_TRACE(name + " word " + std::to_string(word));
    unsigned bit = static_cast<unsigned>(at * 7 % one.data), other = bit;
    do other = (other + 1) % one.data;
    while (one.part_of(other) != one.part_of(bit));
    const auto flip = [&] {
      one.memory.flip_word(block.dut(), word, bit);
      if (!one.parity) one.memory.flip_word(block.dut(), word, other);
    };
    const std::uint32_t before = recoveries;
    // Assertions of the rate unit hold only while it reads no wrong word.
    block.dut().check_assertions(!table && name != "store");
    // A word of a queue is in use for a few cycles only, so the test flips it in each cycle.
    for (int round = 0; round < (passing ? 20'000 : 1) && recoveries == before; ++round) {
      flip();
      MemoryWords flipped;
      if (!passing) flipped = one.memory.words(block.dut());
      int i = 0;
      for (; i < (passing ? 1 : table ? 2000 : busy_list ? 24'000 : 6000) && block.ready(); ++i)
        block.load();
      // the word was not used; the test restores a word that was not overwritten
      if (block.ready()) {
        if (!passing && one.memory.words(block.dut())[word] == flipped[word]) flip();
        continue;
      }
      ++recoveries;
      MemoryWords store;
      std::uint64_t since = block.cycles;
      block.answers.clear();
      if (table) {  // the controller stops until software has rewritten the table word
        for (i = 0; i < 1500; ++i) block.load();
        ASSERT_FALSE(block.ready());
        block.end_access();
        ASSERT_EQ(block.read(DCC_STATUS_OFFSET) & DCC_STATUS_FAULT_MASK, DCC_STATUS_FAULT_MASK);
        store = block.words("store");
        since = block.cycles;
        write_table(block, name, static_cast<std::uint32_t>(word));
      }
      // Saves the words of the slots before the recovery's walk over all slots. The sweep before it
      // writes no slot.
      for (i = 0; i < static_cast<int>(kRecovery) + 1000 && !block.ready(); ++i) {
        block.load();
        if (!table && block.cycles - since == 100) store = block.words("store");
      }
      ASSERT_TRUE(block.ready());
      block.dut().check_assertions(true);
      longest = std::max(longest, static_cast<std::uint32_t>(block.cycles - since));
      MemoryWords after = block.words("store");
      std::uint32_t flow = kFlows;
      bool bound = false;
      if (name == "store") {
        bound = (field(store[word], kBoundBit, 1) != 0) != (bit == kBoundBit || other == kBoundBit);
        lost += bound;
        flow = field(block.words("flow_of")[word], 0, kFlowBits);
        EXPECT_EQ(field(after[word], kBoundBit, 1), 0u);
        EXPECT_EQ(field(after[word], kFlowBit, kFlowBits), flow);
        after[word] = store[word];
      }
      for (std::uint32_t s = 0; s < kSlots; ++s) EXPECT_EQ(after[s], store[s]) << s;
      expect_consistent(block);
      for (i = 0; i < 100; ++i) block.load();  // lets later events be answered
      EXPECT_EQ(std::count_if(block.answers.begin(), block.answers.end(),
                              [&](const Answer& a) {
                                return !a.query && a.bound && a.flow == flow && a.rate == kMaximum;
                              }),
                bound ? 1 : 0);
      block.end_access();
      const std::uint32_t place = block.read(DCC_MEMORY_WORD_OFFSET);
      EXPECT_EQ(place & DCC_MEMORY_WORD_WRONG_MASK, DCC_MEMORY_WORD_WRONG_MASK);
      EXPECT_EQ(place >> DCC_MEMORY_WORD_MEMORY_SHIFT & 31, one.number);
      EXPECT_EQ(place >> DCC_MEMORY_WORD_INDEX_SHIFT, word);
      EXPECT_EQ(block.read(DCC_MEMORY_ERROR_OFFSET), one.memory.cause);
      EXPECT_EQ(block.read(DCC_MEMORY_LOST_OFFSET) >> 16, recoveries);
      EXPECT_EQ(block.read(DCC_STATUS_OFFSET) & DCC_STATUS_FAULT_MASK, 0u);
      EXPECT_NE(block.read(DCC_IRQ_STATUS_OFFSET) & DCC_IRQ_STATUS_MEMORY_MASK, 0u);
      for (i = 0; i < 300; ++i) block.load();
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
  const std::uint32_t cost = block.read(DCC_MEMORY_LOST_OFFSET) & 0xFFFF;
  std::printf("%s: %u recoveries for %zu words of %zu, %u flows lost, %u cycles at most\n",
              name.c_str(), recoveries, tried, depth, cost, longest);
  // The test flips every other word of a table. With many slots the load uses few of these words.
  if (!table || kSlots == 64) {
    EXPECT_GT(recoveries, wheel || table ? 0u : tried / 8);
  }
  EXPECT_EQ(cost, lost);
  EXPECT_LE(longest, kRecovery);

  // Lets the timers of all slots expire, until all slots are free. Afterwards all slots can be
  // bound, each once.
  block.write(DCC_R_AI_OFFSET, 1u << 25);
  block.write(DCC_R_HAI_OFFSET, 1u << 25);
  block.write(DCC_TIMER_INTERVAL_OFFSET, 10);
  for (int i = 0; i < 400 && block.read(DCC_FREE_SLOTS_OFFSET) != kSlots; ++i)
    for (int k = 0; k < 10'000; ++k) block.cycle({});
  EXPECT_EQ(block.read(DCC_FREE_SLOTS_OFFSET), kSlots);
  EXPECT_EQ(block.read(DCC_EVENTS_PENDING_OFFSET), 0u);
  EXPECT_NE(block.read(DCC_STATUS_OFFSET) & DCC_STATUS_IDLE_MASK, 0u);
  block.write(DCC_IRQ_STATUS_OFFSET, 0xF);
  block.write(DCC_TIMER_INTERVAL_OFFSET, 1000);  // no timer expires while the slots are bound
  for (std::uint32_t flow = 0; flow < kSlots; ++flow) {
    Inputs in;
    in.cnp = true;
    in.cnp_flow = flow;
    in.cnp_marks = 1;
    block.cycle(in);
  }
  for (int i = 0; i < 200; ++i) block.cycle({});
  expect_consistent(block);
  EXPECT_EQ(block.read(DCC_FREE_SLOTS_OFFSET), 0u);
  EXPECT_EQ(block.read(DCC_IRQ_STATUS_OFFSET), 0u);
}

/// The rates that flow 1 is told after its only CNP, each with its cycle, until a timer event. A
/// second CNP at `wait_at` lets the timer event wait for its flow, and a recovery begins
/// meanwhile. A third CNP comes at `cnp_at`. (0: none)
std::vector<std::pair<std::uint64_t, std::uint32_t>> rates_around(std::uint64_t wait_at,
                                                                  std::uint64_t cnp_at) {
  const SecdedMemory& one = named_memory("slot_of");
  unsigned other = 1;
  while (one.part_of(other) != one.part_of(0)) ++other;
  Loaded block(1, kRecovery / 64 + 10, kBusyFlows);
  block.write(DCC_CTRL_OFFSET, kEnabled & ~DCC_CTRL_TIMER_RESTART_MASK);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> rates;
  for (std::uint64_t now = 0; now < 2 * kRecovery + 1500; ++now) {
    Inputs in;
    in.cnp = now == 0 || (wait_at != 0 && now == wait_at) || (cnp_at != 0 && now == cnp_at);
    in.cnp_flow = in.cnp_marks = 1;
    in.command = in.command_query = wait_at != 0 && now == wait_at + 6;
    in.command_flow = 2;
    if (in.command) {
      one.memory.flip_word(block.dut(), 2, 0);
      one.memory.flip_word(block.dut(), 2, other);
    }
    block.answers.clear();
    block.cycle(in);
    for (const Answer& answer : block.answers)
      if (!answer.query && answer.flow == 1) rates.emplace_back(now, answer.rate);
  }
  EXPECT_EQ(block.read(DCC_MEMORY_LOST_OFFSET) >> 16, wait_at != 0 ? 1u : 0u);
  return rates;
}

TEST(RebuildOrder, ATimerThatWaitedBeforeDoesNotPrecedeACnp) {
  const auto plain = rates_around(0, 0);
  ASSERT_GE(plain.size(), 2u);
  const std::uint64_t answered = plain[0].first;  // cycles from a CNP to its answer
  const auto expired = rates_around(plain[1].first - answered - 4, 0);
  ASSERT_GE(expired.size(), 2u);
  EXPECT_GT(expired[1].first, plain[1].first + kFlows) << "the recovery came first";
  EXPECT_GT(expired[1].second, expired[0].second);
  // In the edge in which the timer event is issued there, a CNP of its flow is at the head.
  const auto both = rates_around(plain[1].first - answered - 4, expired[1].first - answered);
  ASSERT_GE(both.size(), 2u);
  // The CNP changes no rate so soon after a cut, but the timer event follows a pipeline later.
  EXPECT_EQ(both[1].first, expired[1].first + 32) << "the timer event precedes the CNP";
}

INSTANTIATE_TEST_SUITE_P(All, Rebuild, testing::ValuesIn(rebuild_memories()),
                         [](const auto& one) { return std::string(one.param.memory.name); });

}  // namespace
}  // namespace dcc::page
