#include "controller/parameters.h"

namespace dcc {

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

std::vector<std::string> validate(const ControllerParameters& p, std::uint32_t largest_packet) {
  std::vector<std::string> errors;
  const auto require = [&errors](bool holds, const std::string& sentence) {
    if (!holds) errors.push_back(sentence);
  };
  const RateRegisters& r = p.rate;

  require(p.tick_div >= kMinTickDiv && p.tick_div <= 65535, "TICK_DIV is " + number(p.tick_div) +
                                                                " clock cycles; it must be " +
                                                                number(kMinTickDiv) + " to 65535.");
  require(p.timer_interval >= 1 && p.timer_interval <= kMaxDelay,
          "TIMER_INTERVAL is " + number(p.timer_interval) + " ticks; it must be 1 to 65535.");
  require(p.decrease_period <= kMaxDelta, "DECREASE_PERIOD is " + number(p.decrease_period) +
                                              " ticks; it must be at most " + number(kMaxDelta) +
                                              ".");
  if (p.byte_counter) {
    const std::uint32_t least =
        largest_packet > kMinByteThreshold ? largest_packet : kMinByteThreshold;
    require(p.byte_threshold >= least, "BYTE_THRESHOLD is " + number(p.byte_threshold) +
                                           " bytes; it must be at least one packet, " +
                                           number(least) + " bytes.");
  }
  require(r.r_min >= 1, "R_MIN is 0; a flow at rate 0 never sends, and so never recovers.");
  require(r.r_min <= r.r_max, "R_MIN is above R_MAX.");
  require(p.initial_rate >= 1, "INITIAL_RATE is 0; it must be a rate.");
  require(p.initial_alpha <= kOne16, "INITIAL_ALPHA is above 1.0 (65536).");
  require(r.first_cut <= kOne16, "FIRST_CUT is above 1.0 (65536).");
  require(r.mark_shift <= kMaxMarkShift, "MARK_SHIFT is " + number(r.mark_shift) +
                                             "; it must be 0 to " + number(kMaxMarkShift) + ".");
  require(r.alpha_recip >= 1u << 20,
          "ALPHA_RECIP is " + number(r.alpha_recip) +
              "; alpha intervals are 1 to 4096 ticks, so it must be at least 1048576.");
  require(
      r.averaging || r.r_ai > 0 || r.mi > 0,
      "R_AI and MI are 0 without AVERAGING; rates would never rise and slots never be released.");
  require(!r.averaging || r.r_ai > 0 || r.mi > 0 || r.r_hai > 0,
          "R_AI, R_HAI and MI are 0; rates would never rise above their target.");
  return errors;
}

}  // namespace dcc
