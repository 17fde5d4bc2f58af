#include "rate_bench.h"

#include <algorithm>
#include <utility>

#include "rate_pins.h"

namespace dcc {
namespace {

constexpr std::uint32_t kSweepCycles = 129;

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
  tables_.write(table, index, word);
}

void RateBench::read_everything() {
  for (std::uint32_t table = 0; table < 8; ++table) {  // two more than there are
    for (std::uint32_t index = 0; index < kDecreaseEntries + 3; ++index) {
      RateInputs in = pins(static_cast<RateTable>(table), index);
      if (table >= kRateTables) in.tbl_index = static_cast<std::uint16_t>(index & 3);
      while (!step(in).tbl_ready) {
      }
      if (index >= (table < kRateTables ? entries(static_cast<RateTable>(table)) + 3 : 3)) break;
    }
  }
}

void RateBench::load_tables() {
  for (std::uint32_t i = 0; i < kRateTables; ++i) {
    const auto table = static_cast<RateTable>(i);
    if (random_.one_in(3)) continue;  // keeps what it has
    for (std::uint32_t k = 0; k < entries(table); ++k) write(table, k, random_.table_word(table));
    // Beyond the end, where the low bits name another entry, and a table that is none.
    const std::uint32_t beyond = entries(table) + random_.below(512 - entries(table));
    write(table, beyond, random_.word());
    write(static_cast<RateTable>(6 + random_.below(2)), random_.below(512), random_.word());
  }
}

RateInputs RateBench::request() {
  return random_.one_in(2) ? pins(random_.increase()) : pins(random_.decrease());
}

void RateBench::requests(std::uint32_t cycles) {
  const std::uint32_t offer = 1 + random_.below(3), take = 1 + random_.below(4);
  RateInputs in;
  bool reading = false;
  RateInputs read;
  const auto cycle = [&](bool ready) {
    in.rsp_ready = ready;
    in.tbl_valid = reading;
    in.tbl_table = read.tbl_table;
    in.tbl_index = read.tbl_index;
    const RateOutputs out = step(in);
    if (out.req_ready) in.req_valid = false;
    if (out.tbl_ready) reading = false;
  };
  for (std::uint32_t i = 0; i < cycles; ++i) {
    if (!in.req_valid && random_.one_in(offer)) in = request();
    if (!reading && random_.one_in(40)) {
      const auto table = static_cast<RateTable>(random_.below(kRateTables));
      read = pins(table, random_.below(entries(table) + 1));
      reading = true;
    }
    cycle(random_.one_in(take));
  }
  while (in.req_valid || reading) cycle(true);
  for (std::uint32_t i = 0; i < kRateLatency; ++i) cycle(true);
  check(std::none_of(inside_.begin(), inside_.end(), [](auto& s) { return s.valid; }),
        "something is left at the end");
}

RateBenchCounts RateBench::run(std::uint32_t rounds) {
  counts_ = RateBenchCounts();
  sweep();
  read_everything();
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
