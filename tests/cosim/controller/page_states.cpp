// Sets slots to states that only days of traffic or very fast links would reach: ages, accounts,
// rates and products with any bit set, close to the values that the RTL compares them with. The
// bench sets a slot right after a register write took effect, while the pipeline is empty.
#include <algorithm>
#include <vector>

#include "driver/dcc_regs.h"
#include "page_bench.h"

namespace dcc::page {
namespace {

constexpr std::uint32_t kMax = 0xFFFFFFFF, kWhole = 65536, kMaxAge = (1u << 20) - 1;
constexpr std::int64_t kFullAccount = (1 << 27) - 1;

std::uint32_t at_most_32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kMax));
}
// Quotient a / b, rounded up.
std::uint64_t over(std::uint64_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

// A random number of at most `bits` bits: a power of two, a number close to one, or any number.
std::uint64_t Bench::sparse(std::uint32_t bits) {
  const std::uint64_t top = std::uint64_t{1} << below(bits);
  switch (below(4)) {
    case 0:
      return top;
    case 1:
      return top - 1;
    case 2:
      return top + below(4);
    default:
      return top | (random_() & (top - 1));
  }
}

std::uint32_t Bench::around(std::uint64_t value) {
  return at_most_32(std::max<std::uint64_t>(1, value + below(3)) - 1);
}

Slot Bench::any_state(const Slot& now) {
  Slot s = now;
  s.rc = 1 + magnitude(32) % kMax;
  s.rt = 1 + magnitude(32) % kMax;
  s.dscp = below(64);
  s.bc = below(2) == 0 ? below(4) : below(256);
  s.latest = static_cast<std::uint32_t>(oracle_.tick() - sparse(32));
  if (oracle_.registers.dcqcn) {
    s.t = below(2) == 0 ? below(4) : below(256);
    s.alpha = std::min<std::uint32_t>(kWhole, at_most_32(sparse(17)));
    s.length = at_most_32(sparse(32));
    return s;
  }
  s.t = below(2) == 0 ? 0 : below(2) == 0 ? 1 : below(256);
  s.alpha = s.t != 0 && s.t <= kMaxHold ? below(2)
                                        : std::min<std::uint32_t>(kWhole, at_most_32(sparse(17)));
  const auto account = static_cast<std::int64_t>(sparse(27));
  s.length = below(2) == 0 ? account : below(2) == 0 ? -account : kFullAccount - below(70'000);
  return s;
}

// Prepares a random input of the flow. A timer expiry needs no input.
Inputs Bench::event_of(std::uint32_t flow) {
  Inputs in;
  in.cnp_flow = in.bytes_flow = in.command_flow = flow;
  in.cnp_dscp = in.bytes_dscp = below(64);
  in.cnp_marks = below(4) == 0 ? 0 : below(2) == 0 ? 1 + below(3) : below(256);
  in.cnp_packets = below(3) == 0 ? in.cnp_marks : below(2) == 0 ? 255 * below(2) : below(256);
  in.bytes_length = at_most_32(sparse(32));
  in.command_query = below(2) != 0;
  return in;
}

// Sets the age of the latest CNP close to DECREASE_PERIOD, so that one bit decides whether the rate
// is cut.
void Bench::aim_age(State& state) {
  const std::uint64_t age = sparse(below(2) == 0 ? 20 : 32);
  write(DCC_DECREASE_PERIOD_OFFSET, std::min(kMaxAge, around(age)));
  state.slot = [this, age](Slot& s) {
    if (!oracle_.registers.dcqcn) s.t = 1;
    s.latest = static_cast<std::uint32_t>(oracle_.tick() - age);
  };
  state.in.cnp = true;
  state.in.cnp_marks = std::max(1u, state.in.cnp_marks);
}

// Sets unpaid marks close to the number of packets that the flow sends in four intervals, which
// begins a rate hold. The RTL compares a product of 52 bits with a rate.
void Bench::aim_owed(State& state) {
  const std::uint32_t owed = 1 + std::min(magnitude(19), (1u << 19) - 10);
  const std::uint64_t product = std::uint64_t{1} << below(51);
  const std::uint32_t r_hai = std::max(1u, at_most_32(over(product, owed)));
  const std::uint32_t rt =
      std::max(1u, below(2) == 0 ? around(std::uint64_t{r_hai} * owed / 4) : magnitude(32));
  write(DCC_G_OFFSET, below(2));
  write(DCC_R_HAI_OFFSET, r_hai);
  write(DCC_FIRST_CUT_OFFSET, 1 + below(kWhole));
  for (const std::uint32_t i : {0u, 1u}) write(DCC_DECREASE_ENTRY_OFFSET(i), kWhole);
  state.slot = [this, owed, rt](Slot& s) {
    s.t = 0;
    s.length = -256 * (std::int64_t{owed} + 8) - below(256);
    s.rt = rt;
  };
  state.in.cnp = true;
  state.in.cnp_marks = 1;
  state.in.cnp_packets = 255 * below(2);  // the number of packets is unknown (0) or saturated (255)
}

// Sets state close to the thresholds of silence: RT · BC to four times R_HAI, and BC to the
// register SILENCE.
void Bench::aim_silence(State& state) {
  const std::uint32_t bc = below(4) == 0 ? 254 + below(2) : 1 + below(255);
  const std::uint64_t product = std::uint64_t{1} << (below(3) == 0 ? 36 + below(4) : below(40));
  const std::uint32_t rt = std::max(1u, at_most_32(over(product, bc)));
  write(DCC_SILENCE_OFFSET, std::clamp(around(bc), 1u, 255u));
  write(DCC_R_HAI_OFFSET, below(2) == 0 ? around(std::uint64_t{rt} * bc / 4) : magnitude(32));
  state.slot = [bc, rt](Slot& s) {
    s.t = 0;
    s.bc = bc;
    s.rt = rt;
  };
  state.timer = true;
}

// Sets the rate of a slot in a rate hold close to the limit: RT · T to twice BC · R_HAI, soon or
// long after a CNP.
void Bench::aim_overrate(State& state) {
  const std::uint32_t t = 1 + below(255), bc = below(256);
  const std::uint64_t product = std::uint64_t{1} << (below(3) == 0 ? 36 + below(4) : below(40));
  const std::uint32_t rt = std::max(1u, at_most_32(over(product, t)));
  write(DCC_R_HAI_OFFSET, below(2) == 0   ? around(std::uint64_t{rt} * t / (2 * std::max(1u, bc)))
                          : below(2) == 0 ? at_most_32(over(product, 2 * std::max(1u, bc)))
                                          : magnitude(32));
  const std::uint32_t age = below(4) == 0 ? at_most_32(sparse(20)) : below(16);
  state.slot = [t, bc, rt, age](Slot& s) {
    s.t = t;
    s.bc = bc;
    s.rt = rt;
    s.alpha = 0;
    s.latest = static_cast<std::uint32_t>(s.due) - age;
  };
  state.timer = true;
}

// Sets state close to the end of a rate hold: the age of the latest CNP to the patience, for
// intervals of any length, and the hold's length to its maximum.
void Bench::aim_patience(State& state) {
  const std::uint32_t interval =
      below(2) == 0 ? std::min(0xFFFFu, at_most_32(sparse(16))) : oracle_.registers.timer_interval;
  const std::uint32_t t = below(3) == 0 ? 1 : below(2) == 0 ? around(kMaxHold) : 1 + below(255);
  const std::uint32_t promised = below(2);
  const std::uint64_t patience = promised != 0 ? std::uint64_t{64} * interval
                                               : interval + std::uint64_t{interval} * (t - 1) / 8;
  const std::uint64_t limit = below(3) == 0 ? interval : patience;
  const std::uint32_t age = std::min(kMaxAge + 1, around(limit));
  state.interval = std::max(1u, interval);
  state.slot = [t, promised, age](Slot& s) {
    s.t = t;
    s.alpha = promised;
    s.latest = static_cast<std::uint32_t>(s.due) - age;
  };
  state.timer = true;
}

// Sets the account of packets and the count of sent packets close to their limits.
void Bench::aim_account(State& state) {
  const std::int64_t off = static_cast<std::int64_t>(magnitude(18));
  const std::int64_t length = below(2) == 0 ? kFullAccount - off : -kFullAccount - 1 + off;
  const std::uint32_t alpha = below(2) == 0 ? kWhole - below(3) : at_most_32(sparse(16));
  write(DCC_G_OFFSET, 0xFFFF - magnitude(16));
  state.slot = [length, alpha](Slot& s) {
    s.t = 0;
    s.length = length;
    s.alpha = alpha;
  };
  (below(2) == 0 ? state.in.cnp : state.in.bytes) = true;
}

// Sets state close to the limits of the fast phase after a rate hold: four times the packets and
// marks, and the last interval.
void Bench::aim_fast_phase(State& state) {
  const std::uint32_t t = below(3) == 0   ? 255
                          : below(2) == 0 ? around(kMaxHold)
                                          : kMaxHold + 1 + below(kMaxFastPhase);
  const std::int64_t packets = static_cast<std::int64_t>(
      std::min(around(std::uint64_t{1} << (below(3) == 0 ? 18 : below(19))), (1u << 19) - 1));
  const std::int64_t length = below(4) == 0 ? -256 * packets : 256 * packets + below(256);
  write(DCC_R_AI_OFFSET, 1 + magnitude(12));
  state.slot = [t, length](Slot& s) {
    s.t = t;
    s.length = length;
    s.bc = 0;
  };
  state.in.cnp_marks = below(2) == 0 ? 62 + below(4) : 1 + below(80);
  (below(2) == 0 ? state.timer : state.in.cnp) = true;
}

// Sets the due tick of a slot after or before the tick of its timer event.
void Bench::aim_due(State& state) {
  const std::uint64_t apart = std::uint64_t{1} << below(16);
  const bool later = below(2) == 0;
  state.slot = [apart, later](Slot& s) {
    s.due = later ? s.due + apart : s.due - std::min(s.due, apart);
  };
  state.timer = state.far = true;
}

// Sets state close to limits of DCQCN: bytes to the byte threshold (a sum of 33 bits), and T and BC
// to F.
void Bench::aim_counts(State& state) {
  const std::uint32_t f = below(2) == 0 ? below(8) : below(253);
  const std::uint32_t length = at_most_32(sparse(32));
  write(DCC_F_OFFSET, f);
  write(DCC_BYTE_THRESHOLD_OFFSET,
        std::max(64u, below(2) == 0 ? around(std::uint64_t{length} + state.in.bytes_length)
                                    : at_most_32(sparse(32))));
  const std::uint32_t t = below(4) == 0 ? 255 : f + below(3),
                      bc = below(4) == 0 ? 255 : f + below(3);
  state.slot = [t, bc, length](Slot& s) {
    s.t = t;
    s.bc = bc;
    s.length = length;
  };
  (below(2) == 0 ? state.timer : state.in.bytes) = true;
}

// Sets a timer interval of 1 to 65 535 ticks, the greatest distance of a due tick from the present
// one.
void Bench::aim_interval(State& state) {
  state.interval = std::clamp(at_most_32(sparse(16)), 1u, 0xFFFFu);
  (below(2) == 0 ? state.timer : state.in.cnp) = true;
}

void Bench::set_state() {
  if (dut_->set_slot == nullptr || oracle_.registers.timer_interval > 200) return;
  // Chooses the bound slot whose timer expires first, or any bound slot.
  std::vector<std::uint32_t> bound;
  for (std::uint32_t i = 0; i < dut_->shape().slots; ++i)
    if (oracle_.slot(i).bound && oracle_.due_of(i) > oracle_.tick()) bound.push_back(i);
  if (bound.empty()) return;
  const std::uint32_t next = *std::min_element(bound.begin(), bound.end(), [this](auto a, auto b) {
    return oracle_.due_of(a) < oracle_.due_of(b);
  });
  State state;
  const bool dcqcn = oracle_.registers.dcqcn;
  const std::uint32_t what = below(12);
  const std::uint32_t before = oracle_.registers.timer_interval;
  state.in = event_of(0);
  if (what == 0) {
    aim_due(state);
  } else if (what == 1) {
    aim_interval(state);
  } else if (what < 4) {
    aim_age(state);
  } else if (what == 4) {
    (below(2) == 0 ? state.in.command : state.in.cnp) = true;
  } else if (dcqcn) {
    aim_counts(state);
  } else {
    using Aim = void (Bench::*)(State&);
    static constexpr Aim kAims[] = {&Bench::aim_owed,     &Bench::aim_silence,
                                    &Bench::aim_overrate, &Bench::aim_patience,
                                    &Bench::aim_account,  &Bench::aim_fast_phase};
    (this->*kAims[below(6)])(state);
  }
  const std::uint32_t at =
      state.timer ? next : bound[below(static_cast<std::uint32_t>(bound.size()))];
  // Makes the last register write. The write ends some cycles after it takes effect, so events may
  // be in flight again.
  write(DCC_TIMER_INTERVAL_OFFSET, state.interval != 0 ? state.interval : before);
  for (int i = 0; i < 4000 && oracle_.since_issue() < kQuiet && difference_.empty(); ++i) step({});
  if (!difference_.empty() || oracle_.since_issue() < kQuiet) return;
  const std::uint64_t due = oracle_.due_of(at);
  if (oracle_.slot(at).bound && due > oracle_.tick()) {
    ++states;
    Slot slot = any_state(oracle_.slot(at));
    slot.due = due;  // a later due tick would only delay the event by a lazy restart
    if (state.slot) state.slot(slot);
    dut_->set_slot(*dut_, at, slot);
    oracle_.set_slot(at, slot);
    state.in.cnp_flow = state.in.bytes_flow = state.in.command_flow = slot.flow;
    if (!state.timer) step(state.in);
    const std::uint32_t patience = state.timer ? 8 * oracle_.registers.tick_div : 0;
    for (std::uint32_t i = 0; i < patience && oracle_.due_of(at) == due && difference_.empty(); ++i)
      step({});
    for (int i = 0; i < 40 && difference_.empty(); ++i) step({});
    for (std::uint32_t w = 0; w < 8 && difference_.empty(); ++w)
      read(DCC_SLOTS_ENTRY_OFFSET(at) + 4 * w);
  }
  if (!difference_.empty()) return;
  if (state.interval != 0) write(DCC_TIMER_INTERVAL_OFFSET, 24 + below(40));
  // a soft reset removes timers that would expire only after hours
  if (state.interval > 100 || state.far) {
    begin_soft_reset();
    while (accessing_ || (!oracle_.ready() && difference_.empty())) step({});
  }
}

}  // namespace dcc::page
