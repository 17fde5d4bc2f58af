#include "config/injected_faults.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace dcc::vp {

void check_injected_faults(bool rtl) {
  if (rtl) return;
  for (const char* variable : {"DCCVP_WHEEL_FAULT", "DCCVP_RATE_FAULT", "DCCVP_CONTROLLER_FAULT",
                               "DCCVP_NP_FAULT", "DCCVP_PARSER_FAULT", "DCCVP_PACER_FAULT"}) {
    if (std::getenv(variable) == nullptr) continue;
    throw std::runtime_error(std::string(variable) +
                             " is set, and this build has no RTL to put a fault into (configure "
                             "with -DDCCVP_RTL=ON)");
  }
}

}  // namespace dcc::vp
