// Writes registers with values close to those that the RTL compares them with, so that one bit
// decides the comparison.
#include <algorithm>
#include <vector>

#include "driver/dcc_regs.h"
#include "page_bench.h"

namespace dcc::page {

// Sets R_HAI at or just below the value at which the account of marks begins a rate hold, and sends
// a CNP that changes nothing else.
void Bench::plan_hold(std::uint32_t slot) {
  const Slot& s = oracle_.slot(slot);
  const std::int64_t owed = -s.length / 256 - 8;
  if (owed <= 0) return;
  const std::uint64_t edge = (std::uint64_t{4} * s.rt) / static_cast<std::uint64_t>(owed);
  const std::uint64_t r_hai = std::min<std::uint64_t>(edge + below(3), 0xFFFFFFFF);
  const std::uint64_t left = std::uint64_t{s.rt} * oracle_.registers.first_cut >> 16;
  planned_.push_back({DCC_G_OFFSET, below(2)});
  // decrease entries of 1.0, so that the previous cut takes nothing
  for (const std::uint32_t i : {0u, 1u}) planned_.push_back({DCC_DECREASE_OFFSET + 4 * i, 65536});
  planned_.push_back({DCC_R_HAI_OFFSET, static_cast<std::uint32_t>(r_hai)});
  if (oracle_.registers.first_cut == 0 || below(4) == 0)
    planned_.push_back({DCC_FIRST_CUT_OFFSET, 1 + below(65536)});
  const std::uint64_t of[] = {left, s.rt, s.rt - s.rt / 2};
  const std::uint64_t limit = of[below(3)] + below(64);
  if (below(3) == 0)
    planned_.push_back({DCC_FLOOR_ENTRY_OFFSET(s.dscp), static_cast<std::uint32_t>(limit)});
  if (below(3) == 0)
    planned_.push_back({DCC_CEILING_ENTRY_OFFSET(s.dscp), static_cast<std::uint32_t>(limit)});
  Inputs in;
  in.cnp = true;
  in.cnp_flow = s.flow;
  in.cnp_dscp = s.dscp;
  in.cnp_marks = 1;
  after_.push_back(in);
}

// Binds a flow with a random 32-bit initial rate, which the limits of the flow's class then clamp.
void Bench::plan_first(std::uint32_t flow) {
  const std::uint32_t dscp = below(64);
  const std::uint32_t one = 1 + static_cast<std::uint32_t>(random_() >> 33);
  // the value `one` with one bit inverted
  const std::uint32_t other = std::max(1u, one ^ 1u << below(32));
  const std::uint32_t next = std::max(1u, one ^ 1u << below(32));
  const bool floor_of_all = below(2) == 0, ceiling_of_all = below(2) == 0;
  // true: the global rate limit and the rate limit of the DSCP differ by one bit
  const bool both = below(3) == 0;
  const std::uint32_t floor = both ? next : 0, least = both ? next : 1;
  const std::uint32_t most = both ? next : 0xFFFFFFFF;
  planned_.push_back({DCC_FLOOR_ENTRY_OFFSET(dscp), floor_of_all ? floor : one});
  planned_.push_back({DCC_CEILING_ENTRY_OFFSET(dscp), ceiling_of_all ? most : other});
  planned_.push_back({DCC_R_MIN_OFFSET, floor_of_all ? one : least});
  planned_.push_back({DCC_R_MAX_OFFSET, ceiling_of_all ? other : most});
  planned_.push_back({DCC_INITIAL_RATE_OFFSET, 0xFFFFFFFF - magnitude(32) / 2});
  Inputs release;
  release.command = true;
  release.command_flow = flow;
  after_.push_back(release);
  after_.insert(after_.end(), 40, Inputs{});
  Inputs in;
  in.cnp = true;
  in.cnp_flow = flow;
  in.cnp_dscp = dscp;
  in.cnp_marks = 1;
  after_.push_back(in);
}

void Bench::aimed_access() {
  ++accesses;
  std::vector<const Slot*> bound;
  for (std::uint32_t i = 0; i < dut_->shape().slots; ++i)
    if (oracle_.slot(i).bound) bound.push_back(&oracle_.slot(i));
  static const Slot kNone;
  const Slot& s = bound.empty() ? kNone : *bound[below(static_cast<std::uint32_t>(bound.size()))];
  const Registers& r = oracle_.registers;
  if (r.g <= 1 && below(2) == 0) return begin(true, DCC_G_OFFSET, 0xFFFF - magnitude(8));
  const auto near = [&](std::uint64_t value) {
    const std::uint64_t off = std::uint64_t{1} << below(below(4) == 0 ? 12 : 2);
    value = below(2) == 0 ? value + off - 1 : value - std::min(value, off);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(value, 1, 0xFFFFFFFF));
  };
  const std::uint64_t rates[] = {s.rc,
                                 s.rt,
                                 std::uint64_t{s.rt} * r.first_cut >> 16,
                                 s.rt - s.rt / 2,
                                 r.initial_rate,
                                 r.r_min,
                                 r.r_max,
                                 magnitude(32)};
  const std::uint32_t rate = near(rates[below(8)]);
  const std::uint32_t dscp = below(4) == 0 ? below(64) : s.dscp;
  const std::int64_t owed = -s.length / 256 - 8;
  switch (below(16)) {
    case 0:
      return begin(true, DCC_FLOOR_ENTRY_OFFSET(dscp), below(3) == 0 ? 0 : rate);
    case 1:
      return begin(true, DCC_CEILING_ENTRY_OFFSET(dscp), below(3) == 0 ? 0xFFFFFFFF : rate);
    case 2:
      return begin(true, DCC_R_MIN_OFFSET, below(2) == 0 ? 1 : rate);
    case 3:
      return begin(true, DCC_R_MAX_OFFSET, below(2) == 0 ? 0xFFFFFFFF : rate);
    case 4:
      return begin(true, DCC_INITIAL_RATE_OFFSET, rate);
    case 5:  // R_HAI close to the value at which unpaid marks begin a rate hold
      if (!bound.empty() && owed > 0 && below(4) != 0)
        return plan_hold(static_cast<std::uint32_t>(&s - &oracle_.slot(0)));
      return begin(true, DCC_R_HAI_OFFSET,
                   owed > 0 ? near(std::uint64_t{4} * s.rt / static_cast<std::uint64_t>(owed))
                            : 1 + magnitude(32));
    case 6:  // R_HAI at the threshold of silence, or of too high a rate in a rate hold
      return begin(true, DCC_R_HAI_OFFSET,
                   near(below(2) == 0 ? std::uint64_t{s.rt} * s.bc / 4
                                      : std::uint64_t{s.rt} * s.t / (2 * std::max(1u, s.bc))));
    case 7:
      return begin(true, DCC_FIRST_CUT_OFFSET, below(65537));
    case 8:
      return begin(true, DCC_G_OFFSET, below(2) == 0 ? magnitude(16) : 0xFFFF - magnitude(8));
    case 9:
      return begin(true, DCC_SILENCE_OFFSET, std::clamp(near(s.bc), 1u, 255u));
    // DECREASE_PERIOD close to the age of the slot's latest CNP
    case 10:
      return begin(
          true, DCC_DECREASE_PERIOD_OFFSET,
          std::min((1u << 20) - 1, near(static_cast<std::uint32_t>(oracle_.tick()) - s.latest)));
    case 11: {  // an expiry one interval after the latest CNP
      const std::uint32_t apart = static_cast<std::uint32_t>(s.due) - s.latest;
      return begin(true, DCC_TIMER_INTERVAL_OFFSET,
                   apart >= 24 && apart < 63 ? apart + below(2) : 24 + below(40));
    }
    case 12:
    case 13:
      return plan_first(s.flow);
    case 14:
      return begin(true, DCC_BRISK_OFFSET, below(2) == 0 ? below(4) : below(kMaxFastPhase + 1));
    default:
      return begin(
          true, DCC_BYTE_THRESHOLD_OFFSET,
          std::max(64u, near(static_cast<std::uint64_t>(std::max<std::int64_t>(0, s.length)))));
  }
}

}  // namespace dcc::page
