#include "rate_bench.h"

#include <algorithm>
#include <utility>

#include "controller/rate_unit.h"

namespace dcc {
namespace {

constexpr std::uint32_t kSweepCycles = 129;

std::string text(std::uint64_t value) { return std::to_string(value); }

RateInputs access(std::uint32_t table, std::uint32_t index) {
  RateInputs in;
  in.tbl_valid = true;
  in.tbl_table = static_cast<std::uint8_t>(table);
  in.tbl_index = static_cast<std::uint16_t>(index);
  return in;
}

std::string asked(const RateInputs& in) {
  if (in.tbl_valid && !in.req_valid) {
    return "read of table " + text(in.tbl_table) + " entry " + text(in.tbl_index);
  }
  if (in.req_increase) {
    return "increase rc " + text(in.req_rc) + " rt " + text(in.req_rt) + " dscp " +
           text(in.req_dscp) + " stage " + text(in.req_stage);
  }
  return "decrease rc " + text(in.req_rc) + " alpha " + text(in.req_alpha) + " delta " +
         text(in.req_delta) + " dscp " + text(in.req_dscp) + " marks " + text(in.req_marks) +
         (in.req_first ? " first" : "");
}

}  // namespace

void RateBench::check(bool truth, const char* what) const {
  if (!truth) {
    throw RateMismatch(unit_.name() + ", cycle " + text(counts_.cycles) + ": " + what +
                       (inside_.back().valid ? "; on offer: " + asked(inside_.back().asked) : ""));
  }
}

RateBench::Stage RateBench::expected(const RateInputs& in) const {
  Stage e;
  e.valid = true;
  e.asked = in;
  e.increase = in.req_increase;
  if (e.increase) {
    const IncreaseResult r = compute_increase(
        {in.req_rc, in.req_rt, in.req_dscp, static_cast<IncreaseStage>(in.req_stage)}, registers_,
        tables_);
    e.rc = r.rc;
    e.rt = r.rt;
    e.at_maximum = r.at_maximum;
  } else {
    const DecreaseResult r = compute_decrease(
        {in.req_rc, in.req_alpha, in.req_delta, in.req_dscp, in.req_marks, in.req_first},
        registers_, tables_);
    e.rc = r.rc;
    e.rt = r.rt;
    e.alpha = r.alpha;
  }
  return e;
}

void RateBench::check_answer(const RateOutputs& out) {
  const Stage& e = inside_.back();
  if (out.rsp_increase == e.increase && out.rsp_rc == e.rc && out.rsp_rt == e.rt &&
      (e.increase ? out.rsp_at_maximum == e.at_maximum : out.rsp_alpha == e.alpha)) {
    return;
  }
  throw RateMismatch(unit_.name() + ", cycle " + text(counts_.cycles) + ": " + asked(e.asked) +
                     ": model rc " + text(e.rc) + " rt " + text(e.rt) + " alpha " + text(e.alpha) +
                     " at maximum " + text(e.at_maximum) + ", unit " +
                     (out.rsp_increase ? "increase" : "decrease") + " rc " + text(out.rsp_rc) +
                     " rt " + text(out.rsp_rt) + " alpha " + text(out.rsp_alpha) + " at maximum " +
                     text(out.rsp_at_maximum));
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
    if (last.increase) counts_.at_maximum += last.at_maximum;
    if (!last.increase) counts_.least += last.rc == registers_.r_min;
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
      inside_.front() = expected(in);
    }
  }
  return out;
}

void RateBench::sweep() {
  unit_.reset();
  tables_ = RateTables();
  inside_.fill(Stage{});
  reading_ = false;
  RateInputs in = access(0, 0);
  in.tbl_write = in.req_valid = true;
  for (std::uint32_t i = 0; i < kSweepCycles; ++i) {
    const RateOutputs out = unit_.cycle(in);
    check(!out.init_done && !out.req_ready && !out.tbl_ready && !out.rsp_valid && !out.busy,
          "something is taken or offered before the sweep is over");
  }
  step(RateInputs{});
}

void RateBench::write(RateTable table, std::uint32_t index, std::uint32_t word) {
  RateInputs in = access(static_cast<std::uint32_t>(table), index);
  in.tbl_write = true;
  in.tbl_wdata = word;
  step(in);
  tables_.write(table, index, word);
}

void RateBench::read_everything() {
  for (std::uint32_t table = 0; table < 8; ++table) {  // two more than there are
    for (std::uint32_t index = 0; index < kDecreaseEntries + 3; ++index) {
      RateInputs in = access(table, index);
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
  RateInputs in;
  in.req_valid = true;
  in.req_increase = random_.one_in(2);
  if (in.req_increase) {
    const IncreaseRequest r = random_.increase();
    in.req_rc = r.rc;
    in.req_rt = r.rt;
    in.req_dscp = r.dscp;
    in.req_stage = static_cast<std::uint8_t>(r.stage);
  } else {
    const DecreaseRequest r = random_.decrease();
    in.req_rc = r.rc;
    in.req_alpha = r.alpha;
    in.req_delta = r.delta;
    in.req_dscp = r.dscp;
    in.req_marks = r.marks;
    in.req_first = r.first;
  }
  return in;
}

void RateBench::requests(std::uint32_t cycles) {
  const std::uint32_t offer = 1 + random_.below(3), take = 1 + random_.below(4);
  RateInputs in;
  bool reading = false;
  RateInputs read;
  const auto pins = [&](bool ready) {
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
      const std::uint32_t table = random_.below(kRateTables);
      read = access(table, random_.below(entries(static_cast<RateTable>(table)) + 1));
      reading = true;
    }
    pins(random_.one_in(take));
  }
  while (in.req_valid || reading) pins(true);
  for (std::uint32_t i = 0; i < kRateLatency; ++i) pins(true);
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
