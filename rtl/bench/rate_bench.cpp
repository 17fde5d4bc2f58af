#include "rate_bench.h"

#include <algorithm>
#include <utility>

#include "rate_pins.h"

namespace dcc {
namespace {

constexpr std::uint32_t kSweepCycles = 129;

// Returns the number of the last stage (1 … kRateLatency) that reads the table at the end of the
// cycle; 0 if the table is read when the request enters the unit.
constexpr std::size_t look_up_stage(RateTable table) {
  switch (table) {
    case RateTable::kFactor:
      return 0;
    case RateTable::kDecayHi:
    case RateTable::kDecayLo:
      return 3;
    case RateTable::kDecrease:
      return 7;
    default:
      return 10;
  }
}

std::string text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

void RateBench::check(bool truth, const char* what) const {
  if (!truth) {
    throw RateMismatch(
        unit_.name() + ", cycle " + text(counts_.cycles) + ": " + what +
        (inside_.back().valid ? "; on offer: " + described(inside_.back().asked) : ""));
  }
}

void RateBench::check_answer(const RateOutputs& out) const {
  const Stage& e = inside_.back();
  if (agrees(out, e.answer)) return;
  throw RateMismatch(unit_.name() + ", cycle " + text(counts_.cycles) + ": " + described(e.asked) +
                     ": " + compared(out, e.answer));
}

RateOutputs RateBench::step(const RateInputs& in) {
  const RateOutputs out = unit_.cycle(in);
  const Stage& last = inside_.back();
  const bool on_offer = last.valid && !last.read;
  const bool read_leaves = last.valid && last.read;
  const bool move = !on_offer || in.rsp_ready;
  const bool read_enters = in.tbl_valid && !in.tbl_write && !reading_ && move;
  check(out.init_done, "the tables are being swept");
  check(out.rsp_valid == on_offer, "an answer is offered too early, too late or not at all");
  check(out.req_ready == (move && !read_enters), "req_ready");
  check(out.tbl_ready == (in.tbl_valid && (in.tbl_write || read_leaves)), "tbl_ready");
  check(!out.error, "a word with wrong parity, and nobody turned a bit round");
  check(out.busy == std::any_of(inside_.begin(), inside_.end(), [](auto& s) { return s.valid; }),
        "busy");
  if (on_offer) check_answer(out);
  if (read_leaves) check(out.tbl_rdata == last.word, "a word that was read");

  ++counts_.cycles;
  if (in.req_valid && !out.req_ready) ++counts_.stalled;
  if (on_offer && in.rsp_ready) {
    ++counts_.answers;
    counts_.at_maximum += last.answer.at_maximum;
    if (!last.answer.increase) counts_.least += last.answer.rc == registers_.r_min;
  }
  if (read_leaves) {
    ++counts_.reads;
    reading_ = false;
  }
  if (in.tbl_valid && in.tbl_write)
    written(static_cast<RateTable>(in.tbl_table), in.tbl_index, in.tbl_wdata);
  if (move) {
    std::move_backward(inside_.begin(), inside_.end() - 1, inside_.end());
    inside_.front() = Stage{};
    if (read_enters) {
      reading_ = true;
      inside_.front().valid = inside_.front().read = true;
      inside_.front().word = tables_.read(static_cast<RateTable>(in.tbl_table), in.tbl_index);
      inside_.front().asked = in;
    } else if (in.req_valid) {
      inside_.front().valid = true;
      inside_.front().answer = expected_answer(in, registers_, tables_);
      inside_.front().seen = std::make_shared<RateTables>(tables_);
      inside_.front().asked = in;
    }
  }
  return out;
}

void RateBench::sweep() {
  unit_.reset();
  tables_ = RateTables();
  inside_.fill(Stage{});
  reading_ = false;
  RateInputs in = pins(RateTable{}, 0);
  in.tbl_write = in.req_valid = true;
  for (std::uint32_t i = 0; i < kSweepCycles; ++i) {
    const RateOutputs out = unit_.cycle(in);
    check(!out.init_done && !out.req_ready && !out.tbl_ready && !out.rsp_valid && !out.busy,
          "something is taken or offered before the sweep is over");
  }
  step(RateInputs{});
}

void RateBench::write(RateTable table, std::uint32_t index, std::uint32_t word) {
  RateInputs in = pins(table, index);
  in.tbl_write = true;
  in.tbl_wdata = word;
  step(in);
}

void RateBench::written(RateTable table, std::uint32_t index, std::uint32_t word) {
  tables_.write(table, index, word);
  // inside_[i] holds the request in pipeline stage i + 1
  for (std::size_t i = 0; i < look_up_stage(table); ++i) {
    Stage& stage = inside_[i];
    if (stage.seen == nullptr) continue;
    stage.seen->write(table, index, word);
    stage.answer = expected_answer(stage.asked, registers_, *stage.seen);
  }
}

void RateBench::read_everything() {
  // two of the eight table numbers belong to no table
  for (std::uint32_t table = 0; table < 8; ++table) {
    for (std::uint32_t index = 0; index < kDecreaseEntries + 3; ++index) {
      RateInputs in = pins(static_cast<RateTable>(table), index);
      if (table >= kRateTables) in.tbl_index = static_cast<std::uint16_t>(index & 3);
      while (!step(in).tbl_ready) {
      }
      if (index >= (table < kRateTables ? entries(static_cast<RateTable>(table)) + 3 : 3)) break;
    }
  }
}

void RateBench::meet_reads() {
  registers_ = RateRegisters();
  registers_.cut_by_marks = 1;  // a cut by m marks reads the decrease table's entries m and m + 1
  registers_.mark_shift = 8;
  registers_.r_min = 1;
  registers_.r_max = 0xFFFFFFFF;
  unit_.set_registers(registers_);
  constexpr std::size_t kReading = look_up_stage(RateTable::kDecrease) - 1;
  // bit 9 stands for the entry that the request itself reads
  for (std::uint32_t bit = 0; bit <= 9; ++bit) {
    for (std::uint32_t marks = 0; marks < 256 + kRateLatency; ++marks) {
      RateInputs in;
      if (marks < 256) {
        DecreaseRequest cut;
        cut.rc = cut.rt = 0x80000000;
        cut.marks = static_cast<std::uint8_t>(marks);
        in = pins(cut);
      }
      in.rsp_ready = true;
      const Stage& reading = inside_[kReading];
      if (reading.valid) {
        const RateInputs access =
            pins(RateTable::kDecrease, reading.asked.req_marks ^ (1u << bit & 0x1FF));
        in.tbl_valid = in.tbl_write = true;
        in.tbl_table = access.tbl_table;
        in.tbl_index = access.tbl_index;
        in.tbl_wdata = random_.word() & 0xFFFF;
      }
      step(in);
    }
  }
}

void RateBench::load_tables() {
  for (std::uint32_t i = 0; i < kRateTables; ++i) {
    const auto table = static_cast<RateTable>(i);
    if (random_.one_in(3)) continue;  // one rate table in three keeps its contents
    for (std::uint32_t k = 0; k < entries(table); ++k) write(table, k, random_.table_word(table));
    // Chooses an invalid access: an index beyond the end, whose low bits name another entry, or a
    // table that does not exist.
    const std::uint32_t beyond = entries(table) + random_.below(512 - entries(table));
    write(table, beyond, random_.word());
    write(static_cast<RateTable>(6 + random_.below(2)), random_.below(512), random_.word());
  }
}

// Makes a random request. Inputs that only the other kind of request uses have random values, which
// must have no effect.
RateInputs RateBench::request() {
  const IncreaseRequest increase = random_.increase();
  const DecreaseRequest decrease = random_.decrease();
  if (random_.one_in(2)) {
    RateInputs in = pins(increase);
    in.req_alpha = decrease.alpha;
    in.req_marks = decrease.marks;
    in.req_first = decrease.first;
    return in;
  }
  RateInputs in = pins(decrease);
  in.req_stage = static_cast<std::uint8_t>(increase.stage);
  return in;
}

void RateBench::requests(std::uint32_t cycles) {
  const std::uint32_t offer = 1 + random_.below(3), take = 1 + random_.below(4);
  RateInputs in;
  bool accessing = false;
  RateInputs access;
  const auto cycle = [&](bool ready) {
    in.rsp_ready = ready;
    in.tbl_valid = accessing;
    in.tbl_write = access.tbl_write;
    in.tbl_table = access.tbl_table;
    in.tbl_index = access.tbl_index;
    in.tbl_wdata = access.tbl_wdata;
    const RateOutputs out = step(in);
    if (out.req_ready) in.req_valid = false;
    if (out.tbl_ready) accessing = false;
  };
  for (std::uint32_t i = 0; i < cycles; ++i) {
    if (!in.req_valid && random_.one_in(offer)) in = request();
    if (!accessing && random_.one_in(20)) {
      const auto table = static_cast<RateTable>(random_.below(kRateTables));
      access = pins(table, random_.below(entries(table) + 1));
      accessing = true;
      if (random_.one_in(2)) {  // mostly chooses an entry that a request will read soon
        access.tbl_write = true;
        access.tbl_wdata = random_.table_word(table);
        const RateInputs& near = random_.one_in(2) ? in : inside_[random_.below(10)].asked;
        const bool by_dscp = look_up_stage(table) % 10 == 0;
        if (by_dscp && !random_.one_in(4)) {
          access.tbl_index = near.req_dscp;
          // chooses one of the first or last entries of the table
        } else if (!by_dscp && !random_.one_in(4)) {
          const std::uint32_t most = entries(table) - 1;
          access.tbl_index = static_cast<std::uint16_t>(random_.pick({0, 1, most - 1, most}));
        }
        ++counts_.writes;
      }
    }
    cycle(random_.one_in(take));
  }
  while (in.req_valid || accessing) cycle(true);
  for (std::uint32_t i = 0; i < kRateLatency; ++i) cycle(true);
  check(std::none_of(inside_.begin(), inside_.end(), [](auto& s) { return s.valid; }),
        "something is left at the end");
}

RateBenchCounts RateBench::run(std::uint32_t rounds) {
  counts_ = RateBenchCounts();
  sweep();
  read_everything();
  meet_reads();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    registers_ = random_.registers();
    unit_.set_registers(registers_);
    load_tables();
    requests(1500);
    if (round % 16 == 15) read_everything();
  }
  return counts_;
}

}  // namespace dcc
