// Parameters of every congestion-control algorithm, one struct an algorithm, each with the defaults
// of its publication. Adding one: a struct here, a member of CongestionControlConfig, a line for
// each parameter in schema_congestion_control.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "describe/quantities.h"

namespace dcc::vp {

enum class AlgorithmKind { kDcc, kDcqcn, kQcn, kTimely, kDctcp, kHpcc, kIbcc, kNone };

/// Named parameter sets of the DCQCN family (dcc and dcqcn).
///   kSig15      SIGCOMM'15, section 5: N = 50 us, K = 55 us, F = 5, 10 MB, 40 Mb/s
///   kAdapter    what shipping adapters start with: 4 us, 1 us, 300 us, 32767 B, F = 1, 5/50 Mb/s
///   kReference  the published reference simulator's default: as kAdapter with g = 1/256 and no
///   byte counter
enum class Preset { kSig15, kAdapter, kReference };

/// What the controller's look-up tables contain (dcc only).
enum class Policy { kDcqcn, kProportional };

/// DCQCN's rules as published, or the RoCE article's slotted form, which has other rules.
enum class DcqcnVariant { kStandard, kSlotted };

/// dcc and dcqcn. For `policy: proportional` see also first_cut, mi, reference_rate.
struct DcqcnConfig {
  DcqcnVariant variant = DcqcnVariant::kStandard;  // dcqcn only
  Policy policy = Policy::kDcqcn;                  // dcc only
  Ratio g{1, 256};
  unsigned f = 5;
  PicoSeconds alpha_timer = kMicroSecond * 55;
  PicoSeconds increase_timer = kMicroSecond * 55;
  PicoSeconds decrease_period{0};  // least time between two cuts; 0: every CNP cuts
  Bytes byte_counter = 10_MB;      // 0: off
  BitRate r_ai = 40_Mbps;
  BitRate r_hai = 40_Mbps;
  BitRate r_min = 40_Mbps;
  std::optional<BitRate> r_max;         // empty: the link's rate
  std::optional<BitRate> initial_rate;  // empty: the link's rate
  Ratio initial_alpha{1};
  bool timer_restart = true;
  Ratio mi{0};         // multiplicative increase, share of the rate per increase
  Ratio first_cut{0};  // the rate is multiplied by this at a flow's first CNP; 0: as any other cut
  // r_ai and r_hai are for a network whose slowest link has this rate and go with its square
  // (docs/differentiation.md); empty: they are what they are. dcc only.
  std::optional<BitRate> reference_rate;
};

/// IEEE 802.1Qau-2010, clause 30-32. The congestion point's parameters are the switch's.
struct QcnConfig {
  Bytes q_eq = 33_KB;           // equilibrium length of the queue
  Ratio w{2};                   // weight of the queue's growth
  Bytes sample_bytes = 150_KB;  // bytes between samples without congestion
  Ratio gd{1, 128};             // Gd: decrease gain
  Ratio min_decrease_factor{1, 2};
  Bytes byte_counter = 150_KB;            // rpgByteReset
  PicoSeconds timer = kMilliSecond * 15;  // rpgTimeReset
  unsigned threshold = 5;                 // rpgThreshold: fast recovery cycles
  BitRate r_ai = 5_Mbps;                  // rpgAiRate
  BitRate r_hai = 50_Mbps;                // rpgHaiRate
  BitRate r_min = 10_Mbps;                // rpgMinRate
};

enum class TimelyVariant { kOriginal, kPatched };
/// What updates the rate: a completed segment, or one ACK a round trip (reference simulator).
enum class TimelyUpdate { kSegment, kRoundTrip };

/// TIMELY, SIGCOMM'15, section 4; the patched form of "ECN or Delay", CoNEXT'16.
struct TimelyConfig {
  TimelyVariant variant = TimelyVariant::kOriginal;
  TimelyUpdate update = TimelyUpdate::kSegment;
  Ratio ewma{7, 8};  // weight of the newest difference
  Ratio beta{4, 5};
  BitRate additive_step = 10_Mbps;
  PicoSeconds t_low = kMicroSecond * 50;
  PicoSeconds t_high = kMicroSecond * 500;
  PicoSeconds min_rtt = kMicroSecond * 20;
  unsigned hai_after = 5;
  unsigned hai_factor = 5;
  bool hai_below_low = false;  // HAI also while the RTT is under t_low (reference simulator)
  Bytes segment = 16_KB;       // bytes between completions, at most 64 KB
  bool bursts = true;          // a segment leaves at line rate, the gap follows it
  Ratio app_limit{4, 5};       // an application below this share of its rate does not raise it
  std::optional<Bytes> outstanding;  // cap on unacknowledged bytes; empty: none
  BitRate r_min = 10_Mbps;
  std::optional<BitRate> initial_rate;
};

enum class DctcpForm { kWindow, kRate };

/// DCTCP, SIGCOMM'10 / RFC 8257; d2tcp_exponent as in D2TCP, SIGCOMM'12 (1: DCTCP).
struct DctcpConfig {
  DctcpForm form = DctcpForm::kWindow;
  Ratio g{1, 16};
  BitRate r_ai = 615_Mbps;  // rate form: increase per RTT
  BitRate r_min = 100_Mbps;
  std::optional<Bytes> initial_window;  // empty: bandwidth-delay product
  Ratio d2tcp_exponent{1};
};

/// HPCC, SIGCOMM'19, section 3 and table of section 5.
struct HpccConfig {
  Ratio eta{95, 100};
  unsigned max_stage = 5;
  BitRate w_ai_rate = 50_Mbps;          // additive increase, as a rate (W_AI = rate x base RTT)
  std::optional<PicoSeconds> base_rtt;  // T; empty: the longest of the topology
  BitRate r_min = 100_Mbps;
};

/// What an IRD of the table means: the least time for four packets as the partition paper's own
/// arithmetic has it (1024 B in 4 IRD), or by the letter of its algorithm 2 (4 packets in one IRD).
enum class IbccGate { kArithmetic, kLiteral };

/// The central manager's change of a DSCP's parameters, from a moment on.
struct IbccChange {
  PicoSeconds at{0};
  unsigned dscp = 0;
  unsigned ccti_increase = 1;
  std::optional<unsigned> ccti_min;  // empty: as before
  std::optional<unsigned> ccti_limit;
};

/// InfiniBand Architecture Specification vol. 1, annex A10.
struct IbccConfig {
  unsigned ccti_increase = 1;
  unsigned ccti_limit = 127;
  unsigned ccti_min = 0;
  PicoSeconds ccti_timer = PicoSeconds(1'024'000) * 150;  // CCTI_Timer: 150 x 1.024 us
  Ratio cct_scale{14, 11236};                             // CCT(i) = scale * i^2 in us
  unsigned threshold = 15;                                // 0 (never) … 15 (earliest marking)
  unsigned marking_rate = 0;  // packets left unmarked between two marked ones
  bool per_qp = true;         // else per service level
  unsigned aggregate = 4;     // packets between two looks at the clock (algorithm 2)
  IbccGate gate = IbccGate::kArithmetic;
  bool ccti_timer_restart = true;    // a BECN starts the timer anew
  std::vector<IbccChange> schedule;  // in order of time
};

struct CongestionControlConfig {
  AlgorithmKind algorithm = AlgorithmKind::kDcc;
  Preset preset = Preset::kSig15;
  DcqcnConfig dcqcn;  // also dcc
  QcnConfig qcn;
  TimelyConfig timely;
  DctcpConfig dctcp;
  HpccConfig hpcc;
  IbccConfig ibcc;
};

}  // namespace dcc::vp
