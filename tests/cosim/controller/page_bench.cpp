#include "page_bench.h"

#include <algorithm>
#include <sstream>

#include "driver/dcc_regs.h"

namespace dcc::page {
namespace {

std::uint32_t* entry(Tables& t, std::uint32_t address) {
  if (address >= DCC_FACTOR_OFFSET && address < DCC_FACTOR_OFFSET + 256)
    return &t.factor[(address - DCC_FACTOR_OFFSET) / 4];
  if (address >= DCC_FLOOR_OFFSET && address < DCC_FLOOR_OFFSET + 256)
    return &t.floor[(address - DCC_FLOOR_OFFSET) / 4];
  if (address >= DCC_CEILING_OFFSET && address < DCC_CEILING_OFFSET + 256)
    return &t.ceiling[(address - DCC_CEILING_OFFSET) / 4];
  if (address >= DCC_DECAY_HI_OFFSET && address < DCC_DECAY_HI_OFFSET + 256)
    return &t.decay_hi[(address - DCC_DECAY_HI_OFFSET) / 4];
  if (address >= DCC_DECAY_LO_OFFSET && address < DCC_DECAY_LO_OFFSET + 256)
    return &t.decay_lo[(address - DCC_DECAY_LO_OFFSET) / 4];
  if (address >= DCC_DECREASE_OFFSET && address < DCC_DECREASE_OFFSET + 4 * 257)
    return &t.decrease[(address - DCC_DECREASE_OFFSET) / 4];
  return nullptr;
}

}  // namespace

bool waits(bool write, std::uint32_t address) {
  return write || (address >= 0x1000 && (address & 0xFF000) != 0x3000);
}

Bench::Bench(std::unique_ptr<ControllerDut> dut, std::uint64_t seed)
    : dut_(std::move(dut)), oracle_(dut_->shape()), random_(seed) {
  dut_->reset();
}

void Bench::differ(const std::string& what) {
  if (!difference_.empty()) return;
  std::ostringstream text;
  text << "cycle " << oracle_.cycle() << ": " << what << "; issued by the oracle:";
  for (const std::string& issue : recent_) text << "\n  " << issue;
  difference_ = text.str();
}

// A random value of at most `bits` bits. Every number of significant bits has the same probability.
std::uint32_t Bench::magnitude(std::uint32_t bits) {
  const std::uint32_t width = 1 + below(bits);
  return static_cast<std::uint32_t>(random_() & ((std::uint64_t{1} << width) - 1));
}

Inputs Bench::random_inputs(const Profile& p) {
  Inputs in;
  const bool calm = p.burst != 0 && oracle_.cycle() % 4096 >= p.burst;
  in.cnp = chance(calm ? p.cnp / 10 : p.cnp);
  in.bytes = chance(calm ? p.bytes / 10 : p.bytes);
  in.command = chance(p.command);
  in.cnp_flow = below(p.flows);
  in.bytes_flow = below(p.flows);
  in.command_flow = below(p.flows);
  in.cnp_dscp = below(4) == 0 ? below(64) : below(3);
  in.bytes_dscp = in.cnp_dscp;
  in.cnp_marks = below(3) == 0 ? below(256) : below(5);
  in.cnp_packets = below(3) == 0 ? below(256) : below(40);
  in.bytes_length = below(4) == 0 ? magnitude(32) : 64 + below(4096);
  in.command_query = below(2) != 0;
  return in;
}

void Bench::begin(bool write, std::uint32_t address, std::uint32_t value) {
  access_ = {};
  access_.write = write;
  access_.address = address;
  access_.value = value;
  accessing_ = true;
}

void Bench::begin_soft_reset() {
  const Registers& r = oracle_.registers;
  begin(true, DCC_CTRL_OFFSET,
        DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK |
            (r.timer_restart ? DCC_CTRL_TIMER_RESTART_MASK : 0) |
            (r.dcqcn ? DCC_CTRL_LAW_MASK : 0) | (r.cut_by_marks ? DCC_CTRL_CUT_BY_MARKS_MASK : 0) |
            (r.byte_counter ? DCC_CTRL_BYTE_COUNTER_MASK : 0) |
            (r.keep_target ? DCC_CTRL_KEEP_TARGET_MASK : 0));
}

void Bench::random_access(const Profile& p) {
  ++accesses;
  if (chance(p.soft_reset)) return begin_soft_reset();
  const std::uint32_t what = p.change_registers ? below(26) : 22 + below(4);
  switch (what) {
    case 0:
      return begin(true, DCC_TIMER_INTERVAL_OFFSET, 24 + below(40));
    case 1:
      return begin(true, DCC_BYTE_THRESHOLD_OFFSET, 64 + magnitude(24));
    case 2:
      return begin(true, DCC_F_OFFSET, below(8));
    case 3:
      return begin(true, DCC_G_OFFSET, magnitude(16));
    case 4:
      return begin(true, DCC_R_AI_OFFSET, magnitude(20));
    case 5:
      return begin(true, DCC_R_HAI_OFFSET, magnitude(22));
    case 6:
      return begin(true, DCC_MI_OFFSET, magnitude(16));
    case 7:
      return begin(true, DCC_R_MIN_OFFSET, 1 + magnitude(20));
    case 8:
      return begin(true, DCC_R_MAX_OFFSET, 1 + magnitude(28));
    case 9:
      return begin(true, DCC_INITIAL_RATE_OFFSET, 1 + magnitude(28));
    case 10:
      return begin(true, DCC_INITIAL_ALPHA_OFFSET, below(65537));
    case 11:
      return begin(true, DCC_ALPHA_RECIP_OFFSET, 0x100000 + magnitude(31));
    case 12:
      return begin(true, DCC_DECREASE_PERIOD_OFFSET, below(4) == 0 ? magnitude(20) : below(8));
    case 13:
      return begin(true, DCC_MARK_SHIFT_OFFSET, below(11));
    case 14:
      return begin(true, DCC_FIRST_CUT_OFFSET, below(3) == 0 ? 0 : below(65537));
    case 15:
      return begin(true, DCC_TICK_DIV_OFFSET, 64 + below(64));
    case 16:
      return begin(true, DCC_FACTOR_ENTRY_OFFSET(below(4)), static_cast<std::uint32_t>(random_()));
    case 17:
      return begin(true, DCC_FLOOR_OFFSET + 4 * below(4), magnitude(24));
    case 18:
      return begin(true, DCC_CEILING_OFFSET + 4 * below(4), magnitude(32));
    case 19:
      return begin(true, DCC_DECREASE_OFFSET + 4 * below(257), below(65537));
    case 20:
      return begin(true, DCC_SILENCE_OFFSET, 1 + magnitude(8) % 255);
    case 21:
      return begin(true, DCC_CUT_FLOOR_OFFSET, below(3) == 0 ? 0 : below(65537));
    case 22:
      return begin(false, DCC_DECREASE_OFFSET + 4 * below(257), 0);
    case 23:
      return begin(false, DCC_CEILING_OFFSET + 4 * below(64), 0);
    default:
      return begin(false, DCC_SLOTS_ENTRY_OFFSET(below(dut_->shape().slots)) + 4 * below(8), 0);
  }
}

std::optional<std::uint32_t> Bench::expected_window(std::uint32_t address) const {
  if (address >= DCC_SLOTS_OFFSET) {
    const Slot& s = oracle_.slot((address - DCC_SLOTS_OFFSET) / 32);
    switch (address % 32) {
      case DCC_SLOTS_FLOW_WORD_OFFSET:
        return s.bound ? s.flow | 0x80000000u : 0;
      case DCC_SLOTS_RATE_WORD_OFFSET:
        return s.rc;
      case DCC_SLOTS_TARGET_WORD_OFFSET:
        return s.rt;
      case DCC_SLOTS_ALPHA_WORD_OFFSET:
        return s.alpha;
      case DCC_SLOTS_COUNTS_WORD_OFFSET:
        return s.t | s.bc << 8 | s.dscp << 16;
      case DCC_SLOTS_LENGTH_WORD_OFFSET:
        return static_cast<std::uint32_t>(s.length);
      case DCC_SLOTS_LATEST_WORD_OFFSET:
        return s.latest;
      default:
        return s.bound ? static_cast<std::uint32_t>(s.due & 0x1FFFF) | 0x80000000u : 0;
    }
  }
  Tables copy = oracle_.tables;
  const std::uint32_t* word = entry(copy, address);
  if (word != nullptr) return *word;
  return std::nullopt;
}

std::optional<std::uint32_t> Bench::will_read(std::uint32_t address) const {
  if (waits(false, address)) return expected_window(address);
  const Shape& shape = dut_->shape();
  if (address == DCC_ID_OFFSET) return 0x44434331u;
  if (address == DCC_R_AI_OFFSET) return oracle_.registers.r_ai;
  if (address == DCC_CAPS_OFFSET) {
    std::uint32_t log2 = 0;
    while ((1u << log2) < shape.slots) ++log2;
    return log2 | shape.latency << 8 | 5u << 16 | 5u << 20 | 6u << 24;
  }
  // the registers do not show the latest events yet
  if (oracle_.cycle() - last_issue_ < kQuiet) return std::nullopt;
  if (address == DCC_FREE_SLOTS_OFFSET) return oracle_.free_slots();
  const std::optional<std::uint64_t> count = counter(oracle_.counts(), address);
  if (!count.has_value()) return std::nullopt;
  return static_cast<std::uint32_t>(*count);
}

// Applies a register write to the oracle.
void Bench::act(std::uint32_t address, std::uint32_t value) {
  Registers& r = oracle_.registers;
  switch (address) {
    case DCC_CTRL_OFFSET:
      r.enable = (value & DCC_CTRL_ENABLE_MASK) != 0;
      r.timer_restart = (value & DCC_CTRL_TIMER_RESTART_MASK) != 0;
      r.dcqcn = (value & DCC_CTRL_LAW_MASK) != 0;
      r.cut_by_marks = (value & DCC_CTRL_CUT_BY_MARKS_MASK) != 0;
      r.byte_counter = (value & DCC_CTRL_BYTE_COUNTER_MASK) != 0;
      r.keep_target = (value & DCC_CTRL_KEEP_TARGET_MASK) != 0;
      if ((value & DCC_CTRL_SOFT_RESET_MASK) != 0) {
        oracle_.soft_reset();
        last_of_flow_.clear();
        reset_at_ = oracle_.cycle();
        ++resets;
      }
      break;
    case DCC_TICK_DIV_OFFSET:
      r.tick_div = value;
      break;
    case DCC_TIMER_INTERVAL_OFFSET:
      r.timer_interval = value;
      break;
    case DCC_BYTE_THRESHOLD_OFFSET:
      r.byte_threshold = value;
      break;
    case DCC_F_OFFSET:
      r.f = value;
      break;
    case DCC_G_OFFSET:
      r.g = value;
      break;
    case DCC_R_AI_OFFSET:
      r.r_ai = value;
      break;
    case DCC_R_HAI_OFFSET:
      r.r_hai = value;
      break;
    case DCC_MI_OFFSET:
      r.mi = value;
      break;
    case DCC_R_MIN_OFFSET:
      r.r_min = value;
      break;
    case DCC_R_MAX_OFFSET:
      r.r_max = value;
      break;
    case DCC_INITIAL_RATE_OFFSET:
      r.initial_rate = value;
      break;
    case DCC_INITIAL_ALPHA_OFFSET:
      r.initial_alpha = value;
      break;
    case DCC_ALPHA_RECIP_OFFSET:
      r.alpha_recip = value;
      break;
    case DCC_DECREASE_PERIOD_OFFSET:
      r.decrease_period = value;
      break;
    case DCC_MARK_SHIFT_OFFSET:
      r.mark_shift = value;
      break;
    case DCC_FIRST_CUT_OFFSET:
      r.first_cut = value;
      break;
    case DCC_SILENCE_OFFSET:
      r.silence = value;
      break;
    case DCC_BRISK_OFFSET:
      r.brisk = value;
      break;
    case DCC_CUT_FLOOR_OFFSET:
      r.cut_floor = value;
      break;
    case DCC_IRQ_MASK_OFFSET:
      irq_mask_ = value;
      break;
    case DCC_IRQ_STATUS_OFFSET:
      if ((value & DCC_IRQ_STATUS_TABLE_FULL_MASK) != 0) status_.table_full = false;
      break;
    case DCC_IRQ_TEST_OFFSET:
      if ((value & DCC_IRQ_TEST_TABLE_FULL_MASK) != 0) status_.table_full = true;
      break;
    default:
      if (std::uint32_t* word = entry(oracle_.tables, address)) *word = value;
  }
}

void Bench::step(const Inputs& inputs) {
  ApbPins apb;
  bool hold = false;
  if (accessing_) {
    apb = {true, access_.begun, access_.write, access_.address, access_.value};
    hold = waits(access_.write, access_.address);
    // A read returns the state at the edge at which a write would take effect. From that edge on
    // the controller issues events again.
    if (hold && access_.begun && oracle_.cycle() >= access_.acts) hold = false;
    if (access_.begun && oracle_.cycle() == access_.acts)
      access_.expected = expected_window(access_.address);
    if (!access_.begun) {
      access_.acts = oracle_.write_edge(oracle_.cycle());
      access_.ends = oracle_.write_end(oracle_.cycle());
      access_.expected.reset();
      access_.since = oracle_.cycle();
    }
  }
  const Pins pins = dut_->drive(inputs, apb);

  irq = pins.irq;
  ready = pins.ready;
  follow_status();

  // Compares the output pins of this cycle, unless a memory has lost bits.
  const bool only_full = (irq_mask_ & ~DCC_IRQ_MASK_TABLE_FULL_MASK) == 0;
  if (!faulty && only_full && pins.irq != (status_.table_full && irq_mask_ != 0))
    differ("irq_o is " + std::to_string(pins.irq));
  if (!faulty && pins.ready != oracle_.ready()) differ("ready_o is " + std::to_string(pins.ready));
  if (!faulty && pins.bytes_ready != oracle_.bytes_ready(inputs.bytes_flow, hold))
    differ("bytes_ready_o is " + std::to_string(pins.bytes_ready));
  if (!faulty && pins.command_ready != oracle_.command_ready(hold))
    differ("command_ready_o is " + std::to_string(pins.command_ready));
  const std::optional<Answer> answer = oracle_.answer();
  if (faulty && !pins.rate_valid) {
    // A register access has delayed the answer.
  } else if (pins.rate_valid != answer.has_value()) {
    std::ostringstream text;
    if (answer.has_value())
      text << "no answer, expected flow " << answer->flow << " rate " << answer->rate;
    else
      text << "answer for flow " << pins.rate.flow << " rate " << pins.rate.rate
           << ", none expected";
    differ(text.str());
  } else if (answer.has_value()) {
    ++answered;
    queries += answer->query;
    if (pins.rate.flow != answer->flow || pins.rate.query != answer->query ||
        pins.rate.bound != answer->bound || (answer->bound && pins.rate.rate != answer->rate)) {
      std::ostringstream text;
      text << "answer flow " << pins.rate.flow << " rate " << pins.rate.rate << " query "
           << pins.rate.query << " bound " << pins.rate.bound << ", expected flow " << answer->flow
           << " rate " << answer->rate << " query " << answer->query << " bound " << answer->bound;
      differ(text.str());
    }
  }
  back_pressure += inputs.bytes && !pins.bytes_ready;

  bool wrote = false;
  if (accessing_ && access_.begun && pins.pready) {
    refused += pins.pslverr;
    if (pins.pslverr && !may_refuse) differ("an access was refused");
    accessing_ = false;
    wrote = access_.write && !pins.pslverr;
    read_value_ = pins.prdata;
    if (!faulty && !access_.write && waits(false, access_.address) &&
        oracle_.cycle() < access_.acts) {
      differ("a read ends before what it reads stands");
    }
    if (!faulty && !access_.write && (access_.status || waits(false, access_.address))) {
      const std::optional<std::uint64_t> all =
          access_.status ? expected_status(access_.address) : access_.expected;
      if (access_.status && access_.address >= DCC_STAT_CNPS_RECEIVED_LO_OFFSET &&
          (access_.address & 4) == 0) {
        stat_high_.reset();
        if (all.has_value()) stat_high_ = static_cast<std::uint32_t>(*all >> 32);
      }
      std::optional<std::uint32_t> word;
      if (all.has_value()) word = static_cast<std::uint32_t>(*all);
      if (word.has_value() && *word != pins.prdata) {
        std::ostringstream text;
        text << "read of " << std::hex << access_.address << " gave " << pins.prdata
             << ", expected " << *word;
        differ(text.str());
      }
    }
  } else if (accessing_) {
    access_.begun = true;
    if (oracle_.cycle() - access_.since > 5000) {
      differ("an access hangs");
      accessing_ = false;
    }
  }

  if (!dut_->edge()) differ("an assertion of the RTL failed");
  const std::optional<Issue> issue = oracle_.edge(inputs, hold);
  if (issue.has_value()) {
    ++issued;
    last_issue_ = oracle_.cycle();
    static constexpr const char* kNames[] = {"CNP", "timer", "command", "bytes"};
    recent_.push_back("edge " + std::to_string(oracle_.cycle()) + " " + kNames[issue->kind] +
                      " flow " + std::to_string(issue->flow) + ", sampled " +
                      std::to_string(issue->sampled) + ", tick " + std::to_string(oracle_.tick()) +
                      ", due " + std::to_string(issue->due));
    if (recent_.size() > 24) recent_.pop_front();
    const auto before = last_of_flow_.find(issue->flow);
    if (before != last_of_flow_.end()) {
      const std::uint64_t apart =
          issue->sampled >= before->second.sampled ? issue->sampled - before->second.sampled : 0;
      ++pairs[before->second.kind][issue->kind][std::min<std::uint64_t>(64, apart)];
    }
    last_of_flow_.insert_or_assign(issue->flow, *issue);
  }
  // A write takes effect before its APB transfer ends. Only the end of the transfer tells the bench
  // whether the write was refused or delayed.
  const bool unsure = faulty || may_refuse;
  if (wrote && !unsure && oracle_.cycle() != access_.ends)
    differ("a write ends here, expected at edge " + std::to_string(access_.ends));
  const bool acts = accessing_ && access_.write && oracle_.cycle() == access_.acts;
  if (unsure ? wrote : acts) act(access_.address, access_.value);
}

void Bench::cycle(const Inputs& inputs) { step(inputs); }

void Bench::write(std::uint32_t address, std::uint32_t value) {
  begin(true, address, value);
  while (accessing_) step({});
}

std::uint32_t Bench::read(std::uint32_t address) {
  begin(false, address, 0);
  while (accessing_) step({});
  return read_value_;
}

void Bench::run(std::uint64_t cycles, const Profile& profile) {
  if (profile.status != 0 && issued == 0) begin_late();
  for (std::uint64_t i = 0; i < cycles && difference_.empty(); ++i) {
    if (!accessing_ && oracle_.ready() && !planned_.empty()) {
      begin(true, planned_.front().address, planned_.front().value);
      planned_.pop_front();
    } else if (!accessing_ && oracle_.ready() && !after_.empty()) {
      step(after_.front());
      after_.pop_front();
      continue;
    } else if (!accessing_ && oracle_.ready() && chance(profile.access)) {
      if (profile.aim != 0 && chance(profile.aim)) {
        aimed_access();
      } else {
        random_access(profile);
      }
    }
    if (!accessing_ && profile.states != 0 && oracle_.ready() && planned_.empty() &&
        after_.empty() && chance(profile.states)) {
      set_state();
    }
    if (!accessing_ && profile.status != 0 && chance(profile.status)) random_status();
    if (!accessing_ && profile.status != 0 && below(4096) == 0) set_counters();
    step(random_inputs(profile));
  }
  while (accessing_ && difference_.empty()) step({});
}

void Bench::program(bool dcqcn) {
  const std::uint32_t tick_div = 64 + below(100);
  write(DCC_TICK_DIV_OFFSET, tick_div);
  write(DCC_TIMER_INTERVAL_OFFSET, (8 * dut_->shape().slots + 64) / tick_div + 1 + below(50));
  write(DCC_FIRST_CUT_OFFSET, below(4) == 0 ? 0 : below(65537));
  write(DCC_CUT_FLOOR_OFFSET, below(2) == 0 ? 0 : below(65537));
  write(DCC_DECREASE_PERIOD_OFFSET, below(10));
  write(DCC_BYTE_THRESHOLD_OFFSET, 64 + magnitude(18));
  write(DCC_G_OFFSET, magnitude(16));
  write(DCC_R_HAI_OFFSET, magnitude(20));
  write(DCC_R_AI_OFFSET, magnitude(18));
  write(DCC_R_MAX_OFFSET, 1'000'000 + magnitude(25));
  write(DCC_MARK_SHIFT_OFFSET, below(11));
  write(DCC_SILENCE_OFFSET, below(2) == 0 ? 32 : 1 + below(12));
  for (std::uint32_t i = 0; i < 257; i += 1 + below(3))
    write(DCC_DECREASE_OFFSET + 4 * i, 65536 - (i * 32768) / 256);
  for (std::uint32_t i = 0; i < 64; ++i) {
    write(DCC_DECAY_HI_OFFSET + 4 * i, 65536 >> std::min(i, 16u));
    write(DCC_DECAY_LO_OFFSET + 4 * i, 65536 - 400 * i);
  }
  write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | (dcqcn ? DCC_CTRL_LAW_MASK : 0) |
                             (below(4) != 0 ? DCC_CTRL_TIMER_RESTART_MASK : 0) |
                             (below(2) != 0 ? DCC_CTRL_CUT_BY_MARKS_MASK : 0) |
                             (below(4) != 0 ? DCC_CTRL_BYTE_COUNTER_MASK : 0) |
                             (below(2) != 0 ? DCC_CTRL_KEEP_TARGET_MASK : 0));
  if (!dcqcn) write(DCC_BRISK_OFFSET, below(3) == 0 ? below(4) : below(kMaxFastPhase + 1));
}

void Bench::compare_slots() {
  for (std::uint32_t i = 0; i < dut_->shape().slots && difference_.empty(); ++i)
    for (std::uint32_t w = 0; w < 8; ++w) read(DCC_SLOTS_ENTRY_OFFSET(i) + 4 * w);
}

}  // namespace dcc::page
