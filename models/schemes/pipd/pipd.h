// PIPD: a window that grows and shrinks by powers of itself (power increase, power decrease).
#pragma once

#include "describe/quantities.h"
#include "schemes/common/delay_window.h"

namespace dcc {

struct EcnParameters;

/// Yan, Min and Awan, "An Enhanced Congestion Control Mechanism in InfiniBand Networks for High
/// Performance Computing Systems", AINA 2006: source response by power functions, with a window
/// that limits a rate. Bansal and Balakrishnan call algorithms with these functions binomial
/// (INFOCOM 2001).
struct PipdParameters final : DelayWindowParameters {
  Ratio alpha{1};    // α, number of packets by which a window of one packet grows in a round trip
  Ratio beta{1, 2};  // β, number of packets by which a window of one packet shrinks at a mark
  Ratio rise{1, 2};  // power k of the window in the increase
  Ratio fall{1, 2};  // power l of the window in the decrease

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
  void ask_marking(EcnParameters& ecn) const override;
};

/// The rule, once a round trip, for a window of w packets:
///
///     w ← w + alpha / w^k    if no acknowledgement of the round trip reported a mark
///     w ← w − beta · w^l     otherwise
///
/// k = 0 and l = 1 are additive increase and multiplicative decrease. Where a share p of the round
/// trips has a mark, w is near (alpha (1 − p) / (beta p))^(1 / (k + l)). With k + l > 0 flows that
/// see marks together come to equal windows; with l < 1 a large window is cut by a smaller part
/// than a small one, so that its rate is smoother. The sender paces a window below one packet.
class Pipd final : public DelayWindow {
 public:
  Pipd(AlgorithmHost& host, const PipdParameters& parameters, std::uint32_t mtu);

  AlgorithmNeeds needs() const override;

 private:
  long double next_window(FlowNumber number, const Flow& flow) override;

  const long double alpha_, beta_, rise_, fall_;
};

}  // namespace dcc
