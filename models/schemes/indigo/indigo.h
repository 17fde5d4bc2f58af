// Indigo: a window moved by the actions of a trained policy.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "schemes/common/delay_window.h"

namespace dcc {

/// Table of actions by state, which is Indigo's trained policy. A state is a level of the queueing
/// delay in base round trips, a level of the window in bandwidth-delay products, and the previous
/// action. The lowest level of the delay ends at 1/32, that of the window at 1/64; above, four
/// levels make an octave.
class IndigoPolicy {
 public:
  enum Action : std::uint8_t { kHalve, kLess, kStay, kMore, kDouble };
  static constexpr std::size_t kLevels = 32;
  static constexpr std::size_t kActions = 5;

  /// Parses a table: a line for each level of the delay; in it a digit, the action's number, for
  /// each level of the window and within it for each previous action. Lines that begin with # are
  /// comments. Throws std::invalid_argument with the line's number.
  explicit IndigoPolicy(std::string_view text);
  /// Reads a policy table from a file. Throws std::invalid_argument.
  static IndigoPolicy read(const std::string& path);

  /// Action of the policy for a state. `delay`: queueing delay in base round trips, `window`:
  /// window in bandwidth-delay products; both must not be negative.
  Action action(long double delay, long double window, Action before) const;

 private:
  std::vector<std::uint8_t> actions_;
};

/// Yan, Ma, Hill, Raghavan, Wahby, Levis, Winstein, "Pantheon: the training ground for Internet
/// congestion-control research", USENIX ATC 2018, section 6.
struct IndigoParameters final : DelayWindowParameters {
  // path of a policy table; "trained": the policy table that is built in
  std::string policy = "trained";
  // change of the window by the actions "less" and "more", in bandwidth-delay products
  Ratio step{1, 64};

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
};

/// Once a round trip Indigo looks up the mean queueing delay of the round trip, the window and the
/// previous action in the policy. The policy's action is one of W / 2, W − step, W, W + step and
/// 2·W.
class Indigo final : public DelayWindow {
 public:
  /// Makes the Indigo algorithm. Precondition: parameters.check() passed.
  Indigo(AlgorithmHost& host, const IndigoParameters& parameters, std::uint32_t mtu);

  void release(FlowNumber flow) override;

 private:
  struct State {
    long double product = 0;   // line rate × base RTT of the flow in bytes
    long double base_rtt = 0;  // base RTT of the flow in ps
    IndigoPolicy::Action before = IndigoPolicy::kStay;
  };

  void begin(FlowNumber number, const Flow& flow) override;
  long double next_window(FlowNumber number, const Flow& flow) override;

  const IndigoPolicy policy_;
  const long double step_, line_;
  NumberedTable<State> states_;
};

}  // namespace dcc
