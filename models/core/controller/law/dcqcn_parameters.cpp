#include "controller/law/dcqcn_parameters.h"

#include "describe/visitor.h"
#include "nic/nic_parameters.h"

namespace dcc {

void DcqcnParameters::apply_preset() {
  if (preset_name == Preset::kSig15) return;  // the members' own initialisers
  f = 1;
  alpha_timer = kMicroSecond;
  decrease_period = kMicroSecond * 4;
  increase_timer = kMicroSecond * 300;
  r_ai = 5_Mbps;
  r_hai = 50_Mbps;
  byte_counter = 0;
  if (preset_name == Preset::kAdapter) {
    g = Ratio(5, 1024);
    byte_counter = 32'767;
  }
}

void DcqcnParameters::preset(CnpParameters& cnp) const {
  if (preset_name == Preset::kAdapter) cnp.interval = kMicroSecond * 4;
  if (preset_name == Preset::kReference) cnp.interval = PicoSeconds(0);
}

void DcqcnParameters::describe(ParameterVisitor& v) {
  v.choice("variant", variant, {"the published rules, or the slotted ones", ""});
  v.choice("preset", preset_name, {"a set of parameters; single ones come on top", ""});
  if (v.reading()) apply_preset();
  describe_rules(v, Ratio(1), false);
}

void DcqcnParameters::describe_rules(ParameterVisitor& v, const Ratio& most, bool runtime) {
  const char* const sig15 = "SIGCOMM'15, section 5";
  v.field("g", g, {"1/65536", most}, {"weight of news in alpha", sig15, runtime});
  v.field("f", f, {"0", "255"}, {"events of fast recovery", sig15, runtime});
  v.field("alpha_timer", alpha_timer, {"1us", "10ms"},
          {"K: alpha decays after this", sig15, runtime});
  v.field("increase_timer", increase_timer, {"1us", "60ms"},
          {"T: time between increases", sig15, runtime});
  v.field("decrease_period", decrease_period, {"0us", "10ms"},
          {"least time between two cuts; 0us: every CNP cuts", "", runtime});
  v.field("byte_counter", byte_counter, {"0B", "1GB"},
          {"B: bytes between increases; 0B: off", sig15, runtime});
  v.field("r_ai", r_ai, {"0bps", "1Tbps"}, {"additive increase", sig15, runtime});
  v.field("r_hai", r_hai, {"0bps", "1Tbps"}, {"hyper increase", sig15, runtime});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", "", runtime});
  v.field(
      "r_max", r_max, "link", {"1Mbps", "10Tbps"},
      {"a rate never rises above this (link: 5/4 of it with policy: proportional)", "", runtime});
  v.field("initial_rate", initial_rate, "link", {"1Mbps", "10Tbps"},
          {"rate at which a flow starts", "SIGCOMM'15: line rate", runtime});
  v.field("initial_alpha", initial_alpha, {"0", "1"}, {"alpha of a new flow", sig15, runtime});
  v.field("timer_restart", timer_restart, {}, {"a cut restarts the increase timer", "", runtime});
  v.field("mi", mi, {"0", most},
          {"multiplicative increase on top, share of the rate", "", runtime});
}

void DcqcnParameters::check(Bytes largest_packet) const {
  if (byte_counter != 0 && byte_counter < largest_packet) {
    throw ParameterError({"byte_counter", "preset"},
                         "a byte threshold of " + text_of(byte_counter) + " is under one packet (" +
                             text_of(largest_packet) + ")");
  }
  if (r_max && *r_max < r_min) throw ParameterError({"r_min", "r_max"}, "r_min is above r_max");
  if (initial_rate && *initial_rate < r_min) {
    throw ParameterError({"initial_rate", "r_min"}, "initial_rate is below r_min");
  }
  if (variant == Variant::kSlotted && decrease_period.count == 0) {
    throw ParameterError({"decrease_period", "variant"},
                         "variant: slotted cuts at the ends of slots of this length: 0us is none "
                         "(preset: adapter and reference have 4us)");
  }
}

}  // namespace dcc
