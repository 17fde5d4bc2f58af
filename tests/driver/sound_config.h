// A configuration that the controller's driver accepts, for tests to break.
#pragma once

#include "driver/dcc_driver.h"

namespace dcc::test {

inline dcc_config sound_config() {
  dcc_config config{};
  config.parameters = DCC_PARAMETERS_RESET;
  config.policy = DCC_POLICY_PROPORTIONAL;
  config.parameters.tick_div = 250;
  config.parameters.timer_interval = 22;
  config.byte_counter = 1;
  config.parameters.byte_threshold = 10'000'000;
  config.parameters.decrease_period = 4;
  config.parameters.f = 5;
  config.parameters.g = 256;
  config.parameters.mi = 459;
  config.parameters.r_ai = 6 << 8;
  config.parameters.r_hai = 150 << 8;
  config.parameters.r_min = 10 << 8;
  config.parameters.r_max = 100000 << 8;
  config.parameters.initial_rate = 90000 << 8;
  config.parameters.initial_alpha = 65536;
  config.parameters.first_cut = 32768;
  config.parameters.mark_shift = 10;
  config.timer_restart = 0;
  dcc_classes_equal(config.classes);
  return config;
}

}  // namespace dcc::test
