#include "controller/law/dcqcn_parameters.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/nic_parameters.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
constexpr const char* kReaction =
    "four base RTTs, so that each reaction sees the one before; at most 50us (SIGCOMM'15), at "
    "least one base RTT";

/// Amount that an increase step adds to the target rate. Sent for an interval, this amount is 1/125
/// of the product of rate and base RTT, so the steps of N flows in one interval queue N/125
/// products, whatever rate and distance are.
BitRate step_for(const NetworkScale& network) {
  const PicoSeconds interval = network.reaction();
  const auto rtt = static_cast<std::uint64_t>(network.base_rtt.count);
  const auto time = static_cast<std::uint64_t>(interval.count);
  // The interval is at least a round trip, unless that exceeds the greatest interval.
  const auto share = static_cast<std::uint64_t>(Uint128(rtt) * 1'000'000 / time);
  return network.share(Ratio(std::min<std::uint64_t>(share, 1'000'000), 125'000'000));
}

/// Default byte counter, scaled from SIGCOMM'15: 10 MB are the bytes that 40 Gb/s send in 36
/// intervals of 55 us.
Bytes byte_counter_for(const NetworkScale& network) {
  constexpr Bytes kMost = 1'000'000'000;
  const Bytes wanted = network.sent_in(network.reaction() * 36);
  return std::min(kMost, std::max<Bytes>(100 * network.packet, wanted) / 1'000 * 1'000);
}
}  // namespace

void DcqcnParameters::apply_preset() {
  // The initial values of the members are those of SIGCOMM'15.
  if (preset_name == Preset::kSig15 || preset_name == Preset::kAuto) return;
  f = 1;
  alpha_timer = kMicroSecond;
  decrease_period = kMicroSecond * 4;
  increase_timer = kMicroSecond * 300;
  r_ai = 5_Mbps;
  r_hai = 50_Mbps;
  r_min = 100_Mbps;
  byte_counter = 0;
  clamp_target = Clamp::kAfterTimer;
  if (preset_name == Preset::kAdapter) {
    g = Ratio(5, 1024);
    initial_alpha = Ratio(1023, 1024);
    byte_counter = 32'767;
    r_min = 1_Mbps;
    cut_floor = Ratio(1, 2);
  }
}

const char* const DcqcnParameters::kPresetMeaning =
    "a set of parameters; those in the file override it. auto: values that follow the "
    "network; sig15: for 40 Gb/s (SIGCOMM'15); adapter: defaults of ConnectX adapters at any "
    "speed, slow to recover above 25 Gb/s; reference: the reference simulator's, for 25 Gb/s";

void DcqcnParameters::preset(CnpParameters& cnp) const {
  if (preset_name == Preset::kAdapter) cnp.interval = kMicroSecond * 4;
  if (preset_name == Preset::kReference) cnp.interval = PicoSeconds(0);
  cnp.follows_network = follows_network();
}

void DcqcnParameters::ask_marking(EcnParameters& ecn) const {
  if (follows_network()) ecn.rule = EcnParameters::Rule::kDcqcn;
}

void DcqcnParameters::describe(ParameterVisitor& v) {
  v.choice("variant", variant, {"the published rules, or the slotted ones"});
  v.choice("preset", preset_name, {kPresetMeaning});
  if (v.reading()) apply_preset();
  describe_rules(v, Ratio(1), false);
  v.field("cut_divisor", cut_divisor, {"1", "32768"},
          {"a cut takes alpha over this of the rate", "adapters' rpg_gd: 2^(rpg_gd - 10)"});
  v.field("first_rate", first_rate, "none", {"1Mbps", "10Tbps"},
          {"rate and target that a first CNP sets in place of a cut; a slower flow keeps its rate",
           "adapters' rate_to_set_on_first_cnp"});
}

void DcqcnParameters::describe_rules(ParameterVisitor& v, const Ratio& most, bool runtime) {
  const char* const sig15 = "SIGCOMM'15, section 5";
  v.field("g", g, {"1/65536", most}, {"weight of the newest sample in alpha", sig15, runtime});
  v.field("f", f, {"0", "255"}, {"events of fast recovery", sig15, runtime});
  v.field("alpha_timer", alpha_timer, {"1us", "10ms"},
          {"K: alpha decays after this", sig15, runtime});
  const bool follow = follows_network();
  v.follows(follow, kReaction,
            [this](const NetworkScale& network) { alpha_timer = network.reaction(); });
  v.field("increase_timer", increase_timer, {"1us", "60ms"},
          {"T: time between increases", sig15, runtime});
  v.follows(follow, kReaction,
            [this](const NetworkScale& network) { increase_timer = network.reaction(); });
  v.field("decrease_period", decrease_period, {"0us", "10ms"},
          {"least time between two cuts; 0us: every CNP cuts", "", runtime});
  v.follows(follow && variant == Variant::kSlotted, "variant slotted: as increase_timer",
            [this](const NetworkScale& network) { decrease_period = network.reaction(); });
  v.field("byte_counter", byte_counter, {"0B", "1GB"},
          {"B: bytes between increases; 0B: off", sig15, runtime});
  v.follows(follow, "what the slowest link sends in 36 times increase_timer, as in SIGCOMM'15",
            [this](const NetworkScale& network) { byte_counter = byte_counter_for(network); });
  const char* const step =
      "1/125 of the slowest link's rate, times base RTT over increase_timer: the steps of N flows "
      "queue N/125 bandwidth-delay products";
  v.field("r_ai", r_ai, {"0bps", "1Tbps"}, {"additive increase", sig15, runtime});
  v.follows(follow, step, [this](const NetworkScale& network) { r_ai = step_for(network); });
  v.field("r_hai", r_hai, {"0bps", "1Tbps"}, {"hyper increase", sig15, runtime});
  v.follows(follow, step, [this](const NetworkScale& network) { r_hai = step_for(network); });
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", "", runtime});
  v.follows(
      follow,
      "1/1000 of the slowest link's rate, as 40Mbps at 40Gbps; at most r_max, initial_rate and "
      "first_rate",
      [this](const NetworkScale& network) {
        r_min = network.share(Ratio(1, 1000));
        if (r_max) r_min = std::min(r_min, *r_max);
        if (initial_rate) r_min = std::min(r_min, *initial_rate);
        if (first_rate) r_min = std::min(r_min, *first_rate);
      });
  v.field(
      "r_max", r_max, "link", {"1Mbps", "10Tbps"},
      {"a rate never rises above this (link: 5/4 of it with policy: proportional)", "", runtime});
  v.field("initial_rate", initial_rate, "link", {"1Mbps", "10Tbps"},
          {"rate at which a flow starts", "SIGCOMM'15: line rate", runtime});
  v.field("initial_alpha", initial_alpha, {"0", "1"}, {"alpha of a new flow", sig15, runtime});
  v.field("timer_restart", timer_restart, {}, {"a cut restarts the increase timer", "", runtime});
  v.field("mi", mi, {"0", most},
          {"multiplicative increase on top, share of the rate", "", runtime});
  v.choice("clamp_target", clamp_target,
           {"when a cut sets the target rate to the rate before the cut: at every cut, or only if "
            "the increase timer has raised the rate since the cut before (variant: slotted: after "
            "any increase)",
            "SIGCOMM'15; adapters' clamp_tgt_rate and clamp_tgt_rate_after_time_inc", runtime});
  v.field("cut_floor", cut_floor, {"0", "1"},
          {"share of the rate that one cut leaves at least", "adapters' rpg_min_dec_fac", runtime});
}

void DcqcnParameters::check(Bytes largest_packet) const {
  if (byte_counter != 0 && byte_counter < largest_packet) {
    throw ParameterError({"byte_counter", "preset"},
                         "a byte threshold of " + text_of(byte_counter) + " is under one packet (" +
                             text_of(largest_packet) + ")");
  }
  if (first_rate && *first_rate < r_min) {
    throw ParameterError({"first_rate", "r_min"}, "first_rate is below r_min");
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
