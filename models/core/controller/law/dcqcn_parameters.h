// Parameters of DCQCN's rules, for the algorithm "dcqcn" and as the base of the hardware
// controller's parameters.
#pragma once

#include <cstdint>
#include <optional>

#include "describe/enum_names.h"
#include "nic/algorithm/algorithm_parameters.h"

namespace dcc {

/// Parameters of DCQCN; see Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
/// SIGCOMM 2015, section 3.
struct DcqcnParameters : AlgorithmParameters {
  /// Named sets of DCQCN parameter values; parameters that the user writes override single values.
  enum class Preset : std::uint8_t {
    kAuto,   // auto: DCQCN's rates and times follow the network, see follow_network()
    kSig15,  // DCQCN's values in SIGCOMM'15, section 5: N = 50 us, K = 55 us, F = 5, 10 MB, 40 Mb/s
    // DCQCN defaults of adapters: 4 us, 1 us, 300 us, 32767 B, F = 1, 5/50 Mb/s, least rate 1 Mb/s;
    // targets stay at cuts that no timer increase precedes
    kAdapter,
    kReference,  // the published reference simulator's default: as kAdapter with g = 1/256, no byte
                 // counter and a least rate of 100 Mb/s
  };
  /// Condition under which a cut sets the target rate to the rate before the cut: at every cut
  /// (SIGCOMM'15), or, as adapters do, only if the increase timer has raised the rate since the
  /// previous cut.
  enum class Clamp : std::uint8_t { kAlways, kAfterTimer };
  /// Variant of DCQCN: the published rules, or the slotted variant of the RoCE article, in which α
  /// and cuts change at the end of time slots.
  enum class Variant : std::uint8_t { kStandard, kSlotted };

  Variant variant = Variant::kStandard;
  Preset preset_name = Preset::kAuto;
  Ratio g{1, 256};
  unsigned f = 5;  // F, number of byte or timer events in fast recovery
  PicoSeconds alpha_timer = kMicroSecond * 55;  // K, interval after which α decays without a CNP
  PicoSeconds increase_timer = kMicroSecond * 55;  // T, interval of the rate-increase timer
  PicoSeconds decrease_period{0};  // minimum time between two rate cuts; 0: every CNP cuts
  // B, sent bytes after which the byte counter raises the rate; 0: no byte counter
  Bytes byte_counter = 10_MB;
  BitRate r_ai = 40_Mbps;
  BitRate r_hai = 40_Mbps;
  BitRate r_min = 40_Mbps;
  std::optional<BitRate> r_max;         // maximum rate of a flow; empty: the line rate
  std::optional<BitRate> initial_rate;  // initial rate of a flow; empty: the line rate
  Ratio initial_alpha{1};
  bool timer_restart = true;  // true: a rate cut restarts the increase timer and the byte counter
  Ratio mi{0};                // multiplicative increase: share of the rate that an increase adds
  Clamp clamp_target = Clamp::kAlways;
  Ratio cut_floor{0};  // least share of the rate that remains after one rate cut
  // a cut lowers the rate by the share α / cut_divisor; only algorithm dcqcn
  unsigned cut_divisor = 2;
  std::optional<BitRate> first_rate;  // rate that a flow's first CNP sets; empty: the CNP cuts

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
  void preset(CnpParameters& cnp) const override;
  void ask_marking(EcnParameters& ecn) const override;

 protected:
  static const char* const kPresetMeaning;
  /// True if DCQCN's default rates and times follow the network.
  virtual bool follows_network() const { return preset_name == Preset::kAuto; }
  /// Sets DCQCN's parameters to the values of the preset `preset_name`.
  void apply_preset();
  /// Describes the parameters that the algorithms dcc and dcqcn share. `most`: the greatest gain g
  /// that can be stored.
  void describe_rules(ParameterVisitor& v, const Ratio& most, bool runtime);
};

DCC_ENUM_NAMES(DcqcnParameters::Preset, {DcqcnParameters::Preset::kAuto, "auto"},
               {DcqcnParameters::Preset::kSig15, "sig15"},
               {DcqcnParameters::Preset::kAdapter, "adapter"},
               {DcqcnParameters::Preset::kReference, "reference"});
DCC_ENUM_NAMES(DcqcnParameters::Clamp, {DcqcnParameters::Clamp::kAlways, "always"},
               {DcqcnParameters::Clamp::kAfterTimer, "after_timer"});
DCC_ENUM_NAMES(DcqcnParameters::Variant, {DcqcnParameters::Variant::kStandard, "standard"},
               {DcqcnParameters::Variant::kSlotted, "slotted"});

}  // namespace dcc
