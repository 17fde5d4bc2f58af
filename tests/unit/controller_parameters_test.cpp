#include <gtest/gtest.h>

#include "controller/parameters.h"

namespace dcc {
namespace {

/// The one error the change causes; empty if none, "several" if more.
template <class Change>
std::string error_of(Change change, std::uint32_t largest_packet = 1086) {
  ControllerParameters parameters;
  change(parameters);
  const std::vector<std::string> errors = validate(parameters, largest_packet);
  if (errors.size() > 1) return "several";
  return errors.empty() ? "" : errors[0];
}

TEST(ControllerParameters, ResetValuesAreUsable) {
  EXPECT_TRUE(validate(ControllerParameters{}, 9216).empty());
}

TEST(ControllerParameters, EveryErrorNamesItsRegister) {
  using P = ControllerParameters;
  const struct {
    const char* name;
    void (*change)(P&);
  } cases[] = {
      {"TICK_DIV", [](P& p) { p.tick_div = 3; }},
      {"TICK_DIV", [](P& p) { p.tick_div = 65536; }},
      {"TIMER_INTERVAL", [](P& p) { p.timer_interval = 0; }},
      {"TIMER_INTERVAL", [](P& p) { p.timer_interval = 65536; }},
      {"DECREASE_PERIOD", [](P& p) { p.decrease_period = 1u << 20; }},
      {"BYTE_THRESHOLD", [](P& p) { p.byte_threshold = 1085; }},
      {"R_MIN", [](P& p) { p.rate.r_min = 0; }},
      {"R_MIN", [](P& p) { p.rate.r_min = p.rate.r_max + 1; }},
      {"INITIAL_RATE", [](P& p) { p.initial_rate = 0; }},
      {"INITIAL_ALPHA", [](P& p) { p.initial_alpha = 65537; }},
      {"FIRST_CUT", [](P& p) { p.rate.first_cut = 65537; }},
      {"MARK_SHIFT", [](P& p) { p.rate.mark_shift = 11; }},
      {"ALPHA_RECIP", [](P& p) { p.rate.alpha_recip = (1u << 20) - 1; }},
      {"R_AI", [](P& p) { p.rate.averaging = false, p.rate.r_ai = 0; }},
      {"R_AI", [](P& p) { p.rate.r_hai = p.rate.r_ai = 0; }},
  };
  for (const auto& c : cases) {
    const std::string error = error_of(c.change);
    EXPECT_EQ(error.rfind(c.name, 0), 0u) << "'" << error << "' should begin with " << c.name;
    EXPECT_EQ(error.back(), '.');
  }
}

TEST(ControllerParameters, LimitsThemselvesAreAllowed) {
  EXPECT_EQ(error_of([](ControllerParameters& p) {
              p.tick_div = 4;
              p.timer_interval = 65535;
              p.decrease_period = (1u << 20) - 1;
              p.byte_threshold = 1086;
              p.rate.r_min = p.rate.r_max;
              p.rate.alpha_recip = alpha_reciprocal(4096);
            }),
            "");
}

TEST(ControllerParameters, ThresholdDoesNotMatterWithoutTheByteCounter) {
  EXPECT_EQ(error_of([](ControllerParameters& p) { p.byte_counter = false, p.byte_threshold = 0; }),
            "");
}

}  // namespace
}  // namespace dcc
