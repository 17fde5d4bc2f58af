// Translates the controller's registers for DCQCN to the configuration values of
// firmware/programs/dcqcn_block.c.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/formats.h"
#include "controller/parameters.h"

namespace dcc::program_tests {

struct BlockValues {
  struct Class {
    std::uint8_t dscp;
    std::uint32_t weight;  // weight in units of 1/256
    RateBits least, most;
  };
  ControllerParameters of;
  std::uint32_t alpha_timer = 55;  // interval in ticks at which alpha decays
  std::vector<Class> classes;      // at most five traffic classes

  void set_alpha_timer(std::uint32_t ticks) {
    alpha_timer = ticks;
    of.rate.alpha_recip = alpha_reciprocal(ticks);
  }
  std::vector<unsigned> list() const {
    const RateRegisters& rate = of.rate;
    std::vector<unsigned> values{
        rate.r_ai,
        rate.r_hai,
        rate.r_min,
        rate.r_max,
        of.initial_rate,
        rate.g,
        rate.mi,
        of.initial_alpha,
        rate.first_cut,
        rate.cut_floor,
        of.timer_interval,
        alpha_timer,
        of.decrease_period,
        of.byte_counter ? of.byte_threshold : 0,
        of.fast_recovery + (of.keep_target ? 256u : 0u) + (of.timer_restart ? 0u : 512u)};
    for (const Class& one : classes) {
      values.insert(values.end(), {one.dscp * 65536u + one.weight, one.least, one.most});
    }
    return values;
  }
};

}  // namespace dcc::program_tests
