// Parameters of the congestion-control algorithms, and what the presets mean.
#include "config/schema.h"

namespace dcc::vp {
namespace {

/// Values of a named set; single parameters in the YAML come on top.
void apply_preset(Preset preset, DcqcnConfig& c, CnpConfig& cnp) {
  switch (preset) {
    case Preset::kSig15:
      break;  // the structs' own defaults
    case Preset::kAdapter:
      c.g = Ratio(5, 1024);
      c.f = 1;
      c.alpha_timer = kMicroSecond;
      c.decrease_period = kMicroSecond * 4;
      c.increase_timer = kMicroSecond * 300;
      c.byte_counter = 32'767;
      c.r_ai = 5_Mbps;
      c.r_hai = 50_Mbps;
      cnp.interval = kMicroSecond * 4;
      break;
    case Preset::kReference:
      c.f = 1;
      c.alpha_timer = kMicroSecond;
      c.decrease_period = kMicroSecond * 4;
      c.increase_timer = kMicroSecond * 300;
      c.byte_counter = 0;
      c.r_ai = 5_Mbps;
      c.r_hai = 50_Mbps;
      cnp.interval = PicoSeconds(0);
      break;
  }
}

/// The proportional policy works on marks, on a free-running timer and without stages.
void apply_proportional(DcqcnConfig& c, CnpConfig& cnp) {
  c.f = 0;
  c.byte_counter = 0;
  c.timer_restart = false;
  c.r_ai = BitRate(13'700'000);
  c.r_hai = 400_Mbps;
  c.r_min = 5_Mbps;
  c.mi = Ratio(0);
  c.g = Ratio(4, 5);
  c.increase_timer = kMicroSecond * 22;
  c.first_cut = Ratio(1, 32);
  c.decrease_period = kMicroSecond * 10;
  cnp.interval = kMicroSecond * 2;
  cnp.carry_marks = true;
}

void describe_dcqcn(ParameterVisitor& v, DcqcnConfig& c) {
  const char* const sig15 = "SIGCOMM'15, section 5";
  v.field("g", c.g, {"1/65536", "1"}, {"weight of news in alpha", sig15});
  v.field("f", c.f, {"0", "255"}, {"events of fast recovery", sig15});
  v.field("alpha_timer", c.alpha_timer, {"1us", "10ms"}, {"K: alpha decays after this", sig15});
  v.field("increase_timer", c.increase_timer, {"1us", "60ms"},
          {"T: time between increases", sig15});
  v.field("decrease_period", c.decrease_period, {"0us", "10ms"},
          {"least time between two cuts; 0us: every CNP cuts", ""});
  v.field("byte_counter", c.byte_counter, {"0B", "1GB"},
          {"B: bytes between increases; 0B: off", sig15});
  v.field("r_ai", c.r_ai, {"0bps", "1Tbps"}, {"additive increase", sig15});
  v.field("r_hai", c.r_hai, {"0bps", "1Tbps"}, {"hyper increase", sig15});
  v.field("r_min", c.r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", ""});
  v.field("r_max", c.r_max, "link", {"1Mbps", "10Tbps"},
          {"a rate never rises above this (link: 5/4 of it with policy: proportional)", ""});
  v.field("initial_rate", c.initial_rate, "link", {"1Mbps", "10Tbps"},
          {"rate at which a flow starts", "SIGCOMM'15: line rate"});
  v.field("initial_alpha", c.initial_alpha, {"0", "1"}, {"alpha of a new flow", sig15});
  v.field("timer_restart", c.timer_restart, {}, {"a cut restarts the increase timer", ""});
  v.field("mi", c.mi, {"0", "1"}, {"multiplicative increase on top, share of the rate", ""});
}

void describe_qcn(ParameterVisitor& v, QcnConfig& c) {
  const char* const qau = "IEEE 802.1Qau-2010";
  v.field("q_eq", c.q_eq, {"1KB", "1GB"}, {"queue length the switch aims at", qau});
  v.field("w", c.w, {"0", "16"}, {"weight of the queue's growth", qau});
  v.field("sample_bytes", c.sample_bytes, {"1KB", "100MB"},
          {"bytes between two samples of an idle queue", qau});
  v.field("gd", c.gd, {"1/65536", "1"}, {"gain of a decrease", qau});
  v.field("min_decrease_factor", c.min_decrease_factor, {"0", "1"},
          {"a cut leaves at least this share", qau});
  v.field("byte_counter", c.byte_counter, {"1KB", "1GB"}, {"rpgByteReset", qau});
  v.field("timer", c.timer, {"1us", "1s"}, {"rpgTimeReset", qau});
  v.field("threshold", c.threshold, {"1", "255"}, {"rpgThreshold: cycles of recovery", qau});
  v.field("r_ai", c.r_ai, {"0bps", "1Tbps"}, {"rpgAiRate", qau});
  v.field("r_hai", c.r_hai, {"0bps", "1Tbps"}, {"rpgHaiRate", qau});
  v.field("r_min", c.r_min, {"1Mbps", "1Tbps"}, {"rpgMinRate", qau});
}

void describe_timely(ParameterVisitor& v, TimelyConfig& c) {
  const char* const paper = "TIMELY, SIGCOMM'15";
  v.choice("variant", c.variant, {"as published, or patched", "ECN or Delay, CoNEXT'16"});
  v.choice("update", c.update, {"the rate changes once a segment, or once a round trip", paper});
  v.field("ewma", c.ewma, {"0", "1"}, {"weight of the newest RTT difference", paper});
  v.field("beta", c.beta, {"0", "1"}, {"gain of a decrease", paper});
  v.field("additive_step", c.additive_step, {"1Mbps", "1Tbps"}, {"delta", paper});
  v.field("t_low", c.t_low, {"0us", "1s"}, {"RTT under which the rate rises", paper});
  v.field("t_high", c.t_high, {"1us", "1s"}, {"RTT above which the rate falls", paper});
  v.field("min_rtt", c.min_rtt, {"100ns", "1s"}, {"RTT of the empty network", paper});
  v.field("hai_after", c.hai_after, {"1", "255"}, {"increases before hyper increase", paper});
  v.field("hai_factor", c.hai_factor, {"1", "255"}, {"steps of a hyper increase", paper});
  v.field("hai_below_low", c.hai_below_low, {}, {"hyper increase also under t_low", ""});
  v.field("segment", c.segment, {"64B", "64KiB"}, {"bytes between two completions", paper});
  v.field("bursts", c.bursts, {}, {"segments leave at line rate, gaps between them", paper});
  v.field("app_limit", c.app_limit, {"0", "1"},
          {"no increase for who uses less than this share of his rate", paper});
  v.field("outstanding", c.outstanding, "none", {"1KB", "1GB"},
          {"cap on unacknowledged bytes", paper});
  v.field("r_min", c.r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", ""});
  v.field("initial_rate", c.initial_rate, "link", {"1Mbps", "10Tbps"},
          {"rate at which a flow starts", ""});
}

void describe_dctcp(ParameterVisitor& v, DctcpConfig& c) {
  const char* const paper = "DCTCP, SIGCOMM'10; RFC 8257";
  v.choice("form", c.form, {"control the window or the rate", ""});
  v.field("g", c.g, {"1/65536", "1"}, {"weight of news in alpha", paper});
  v.field("r_ai", c.r_ai, {"1Mbps", "1Tbps"}, {"rate form: increase per RTT", ""});
  v.field("r_min", c.r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", ""});
  v.field("initial_window", c.initial_window, "bdp", {"1KB", "1GB"},
          {"window of a new flow; bdp: rate x base RTT", ""});
  v.field("d2tcp_exponent", c.d2tcp_exponent, {"1/4", "4"},
          {"cut by alpha to this power; 1: DCTCP", "D2TCP, SIGCOMM'12"});
}

void describe_hpcc(ParameterVisitor& v, HpccConfig& c) {
  const char* const paper = "HPCC, SIGCOMM'19";
  v.field("eta", c.eta, {"1/2", "1"}, {"utilisation aimed at", paper});
  v.field("max_stage", c.max_stage, {"0", "255"}, {"additive stages before a full update", paper});
  v.field("w_ai_rate", c.w_ai_rate, {"1Mbps", "1Tbps"},
          {"additive increase, as a rate: W_AI = rate x base RTT", paper});
  v.field("base_rtt", c.base_rtt, "auto", {"100ns", "1s"},
          {"T; auto: the longest of the topology", paper});
  v.field("r_min", c.r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", ""});
}

void describe_ibcc(ParameterVisitor& v, IbccConfig& c) {
  const char* const iba = "InfiniBand spec. vol. 1, annex A10";
  v.field("ccti_increase", c.ccti_increase, {"1", "65535"}, {"CCTI steps a BECN", iba});
  v.field("ccti_limit", c.ccti_limit, {"1", "65535"}, {"greatest CCTI", iba});
  v.field("ccti_min", c.ccti_min, {"0", "65535"}, {"least CCTI", iba});
  v.field("ccti_timer", c.ccti_timer, {"1us", "1s"}, {"CCTI falls by one after this", iba});
  v.field("ccti_timer_restart", c.ccti_timer_restart, {},
          {"a BECN starts the timer anew; false: it runs free", ""});
  v.field("cct_scale", c.cct_scale, {"1/1000000", "1000"},
          {"table: delay of entry i is scale x i^2 in us", "14 i^2 / 106^2"});
  v.field("threshold", c.threshold, {"0", "15"}, {"0: never mark … 15: mark earliest", iba});
  v.field("marking_rate", c.marking_rate, {"0", "65535"}, {"packets between two marked ones", iba});
  v.field("aggregate", c.aggregate, {"1", "64"}, {"packets between two looks at the delay", iba});
  v.choice("gate", c.gate, {"packet spacing of 4 delays, or 4 packets in one delay", ""});
  v.list(
      "schedule", c.schedule, {"changes by the central manager, in order of time", ""},
      [&](IbccChange& change) {
        v.field("at", change.at, {"0us", "1000s"}, {"from then on", ""});
        v.field("dscp", change.dscp, {"0", "63"}, {"of the flows it is for", ""});
        v.field("ccti_increase", change.ccti_increase, {"1", "65535"}, {"CCTI steps a BECN", iba});
        v.field("ccti_min", change.ccti_min, "unchanged", {"0", "65535"}, {"least CCTI", iba});
        v.field("ccti_limit", change.ccti_limit, "unchanged", {"1", "65535"},
                {"greatest CCTI, at most the one outside the schedule", iba});
      });
  v.field("per_qp", c.per_qp, {}, {"control queue pairs, not service levels", iba});
}

}  // namespace

void describe_congestion_control(ParameterVisitor& v, CongestionControlConfig& c, CnpConfig& cnp) {
  v.choice("algorithm", c.algorithm, {"dcc: the hardware controller; others: in the NIC", ""});
  const bool dcc = c.algorithm == AlgorithmKind::kDcc;
  const bool dcqcn = c.algorithm == AlgorithmKind::kDcqcn;
  v.when(dcc, "algorithm: dcc", [&] {
    v.choice("policy", c.dcqcn.policy,
             {"contents of the look-up tables; proportional: bandwidth follows the weights", ""});
  });
  v.when(dcqcn, "algorithm: dcqcn", [&] {
    v.choice("variant", c.dcqcn.variant, {"the published rules, or the slotted ones", ""});
  });
  v.when(dcc || dcqcn, "algorithm: dcc or dcqcn", [&] {
    v.choice("preset", c.preset, {"a set of parameters; single ones come on top", ""});
    if (v.reading()) {
      apply_preset(c.preset, c.dcqcn, cnp);
      if (c.dcqcn.policy == Policy::kProportional) apply_proportional(c.dcqcn, cnp);
    }
    describe_dcqcn(v, c.dcqcn);
  });
  v.when(dcc, "algorithm: dcc", [&] {
    v.field("first_cut", c.dcqcn.first_cut, {"0", "1"},
            {"first cut of a flow leaves this share; 0: as any other (proportional: 1/32)", ""});
    v.field(
        "reference_rate", c.dcqcn.reference_rate, "none", {"1Mbps", "10Tbps"},
        {"r_ai and r_hai are for slowest links of this rate: by its square for faster, by its cube "
         "for slower ones",
         ""});
  });
  v.when(c.algorithm == AlgorithmKind::kQcn, "algorithm: qcn", [&] { describe_qcn(v, c.qcn); });
  v.when(c.algorithm == AlgorithmKind::kTimely, "algorithm: timely",
         [&] { describe_timely(v, c.timely); });
  v.when(c.algorithm == AlgorithmKind::kDctcp, "algorithm: dctcp",
         [&] { describe_dctcp(v, c.dctcp); });
  v.when(c.algorithm == AlgorithmKind::kHpcc, "algorithm: hpcc", [&] { describe_hpcc(v, c.hpcc); });
  v.when(c.algorithm == AlgorithmKind::kIbcc, "algorithm: ibcc", [&] {
    if (v.reading()) cnp.interval = PicoSeconds(0);  // every FECN brings a BECN back
    describe_ibcc(v, c.ibcc);
  });
}

}  // namespace dcc::vp
