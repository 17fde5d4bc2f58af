// PI: a port whose marking probability follows the queue and its growth by a proportional-integral
// controller.
#pragma once

#include <optional>

#include "switch/discipline.h"

namespace dcc {

/// Hollot, Misra, Towsley and Gong, "On Designing Improved Controllers for AQM Routers Supporting
/// TCP Flows", INFOCOM 2001, section V. The gains follow the link's rate by the paper's design rule
/// for the least number of flows and the greatest round-trip time.
struct PiParameters final : DisciplineParameters {
  Bytes limit = 375'000;  // queue limit of the port in wire bytes
  Bytes target = 50'000;  // target queue length in wire bytes
  PicoSeconds period = kMicroSecond * 10;
  std::uint32_t flows = 2;  // least number N of flows, from which the gains are computed
  // greatest round-trip time R, from which the gains are computed
  PicoSeconds rtt = kMicroSecond * 50;
  Bytes packet = 1500;  // wire bytes of a packet, from which the gains are computed
  bool ecn = true;      // true: packets with ECN capability are marked instead of dropped

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* replaces() const override { return "drop_tail"; }
};

/// Gains a and b of the PI controller p(k) = p(k − 1) + a · e(k) − b · e(k − 1), where p is the
/// marking probability and e is the queue length minus its target, in packets.
struct PiGains {
  double a = 0, b = 0;

  /// Computes the gains by the paper's design rule. With C the link's rate in packets per second,
  /// zero and crossover frequency are ω = 2N / (R² C), the gain is K = ω · |jωR + 1| · 4N² / (R
  /// C)³, and the bilinear transform with the period T gives a = K (1/ω + T/2), b = K (1/ω − T/2).
  static PiGains design(double packets_per_second, double flows, double rtt_s, double period_s);
};

/// The port of PI has one queue for all priorities, first come first served. An arriving packet is
/// marked (or dropped if it cannot be marked) with the probability p, which changes every period. A
/// packet that finds no room is dropped.
class PiPort final : public PortDiscipline {
 public:
  PiPort(const PiParameters& parameters, const DisciplineContext& context);

  void attach(const LinkParameters& link) override;
  bool needs_every_packet() const override { return true; }
  EnqueueResult enqueue(Packet* packet) override;
  Packet* dequeue() override;
  bool empty() const override { return waiting_.empty(); }
  Bytes bytes() const override { return bytes_; }
  void add_state(StateDigest& d) const override;

  double probability() const { return probability_; }

 private:
  void advance();

  const PiParameters parameters_;
  DisciplineContext context_;
  PiGains gains_;
  PacketFifo waiting_;
  Bytes bytes_ = 0;
  double probability_ = 0;
  double error_ = 0;  // difference of queue length and target at the last update, in packets
  PicoSeconds next_update_{};
};

}  // namespace dcc
