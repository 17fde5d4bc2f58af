// The program refuses to inject a hardware fault (by an environment variable) if the build lacks
// that hardware.
#include "config/injected_faults.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace dcc::vp {
namespace {

std::string refusal(bool rtl) {
  try {
    check_injected_faults(rtl);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST(InjectedFaults, AreRefusedWithoutRtl) {
  EXPECT_EQ(refusal(false), "");
  for (const std::string variable :
       {"DCCVP_WHEEL_FAULT", "DCCVP_RATE_FAULT", "DCCVP_CONTROLLER_FAULT", "DCCVP_NP_FAULT",
        "DCCVP_PARSER_FAULT", "DCCVP_PACER_FAULT"}) {
    ASSERT_EQ(setenv(variable.c_str(), "1", 1), 0);
    EXPECT_EQ(refusal(true), "") << variable;
    EXPECT_EQ(refusal(false), variable +
                                  " is set, and this build has no RTL to put a fault into "
                                  "(configure with -DDCCVP_RTL=ON)");
    unsetenv(variable.c_str());
  }
}

}  // namespace
}  // namespace dcc::vp
