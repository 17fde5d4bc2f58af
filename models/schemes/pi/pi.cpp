#include "schemes/pi/pi.h"

#include <algorithm>
#include <cmath>

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const Disciplines::Registered<PiParameters> kPi{
    "pi", "a bounded queue that marks or drops arrivals by a proportional-integral controller",
    kMakes<PiPort>};

double in_seconds(PicoSeconds time) { return static_cast<double>(time.count) * 1e-12; }
}  // namespace

void PiParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Hollot et al., INFOCOM'01";
  v.field("limit", limit, {"64B", "1GB"}, {"bytes that may wait at a port"});
  v.field("target", target, {"64B", "1GB"}, {"target for the bytes that wait at a port", paper});
  v.field("period", period, {"100ns", "1s"},
          {"time between two calculations of the probability", paper});
  v.field("flows", flows, {"1", "1000000"},
          {"least number of flows for which the gains are chosen", paper});
  v.field("rtt", rtt, {"100ns", "10s"},
          {"greatest round-trip time for which the gains are chosen", paper});
  v.field("packet", packet, {"64B", "64KB"}, {"wire bytes of a packet, the queue's unit", paper});
  v.field("ecn", ecn, {}, {"marks packets that can be marked instead of dropping them"});
}

void PiParameters::check() const {
  if (limit < target) throw ParameterError({"limit", "target"}, "limit is below target");
  if (rtt < period) throw ParameterError({"rtt", "period"}, "period is longer than rtt");
}

PiGains PiGains::design(double packets_per_second, double flows, double rtt_s, double period_s) {
  // number of packets on the link in one round trip
  const double window = rtt_s * packets_per_second;
  const double omega = 2 * flows / (rtt_s * window);
  const double slope = std::sqrt(omega * rtt_s * (omega * rtt_s) + 1);
  const double gain = omega * slope * 4 * flows * flows / (window * window * window);
  return {gain * (1 / omega + period_s / 2), gain * (1 / omega - period_s / 2)};
}

PiPort::PiPort(const PiParameters& parameters, const DisciplineContext& context)
    : parameters_(parameters), context_(context) {}

void PiPort::attach(const LinkParameters& link) {
  const double packets_per_second =
      static_cast<double>(link.rate.bits_per_second) / 8 / static_cast<double>(parameters_.packet);
  gains_ = PiGains::design(packets_per_second, parameters_.flows, in_seconds(parameters_.rtt),
                           in_seconds(parameters_.period));
}

// Brings the marking probability up to date. Only arrivals and departures change the queue, and
// both call this function first. So the queue had its present length at the end of each period
// since the last call. From the second of these periods on the difference from the target is
// constant, and the probability changes by the same amount in each period.
void PiPort::advance() {
  const PicoSeconds now = context_.clock.now();
  if (now < next_update_) return;
  const std::int64_t periods = (now - next_update_).count / parameters_.period.count;
  const double error =
      static_cast<double>(bytes_ - parameters_.target) / static_cast<double>(parameters_.packet);
  const auto limited = [](double p) { return std::min(1.0, std::max(0.0, p)); };
  probability_ = limited(probability_ + gains_.a * error - gains_.b * error_);
  probability_ =
      limited(probability_ + static_cast<double>(periods) * (gains_.a - gains_.b) * error);
  error_ = error;
  next_update_ = next_update_ + PicoSeconds((periods + 1) * parameters_.period.count);
}

PortDiscipline::EnqueueResult PiPort::enqueue(Packet* packet) {
  advance();
  EnqueueResult result;
  bool keep = bytes_ + packet->wire_bytes <= parameters_.limit;
  if (keep && probability_ > 0 &&
      context_.random.chance(static_cast<std::uint64_t>(probability_ * 4294967296.0))) {
    keep = parameters_.ecn && EcnMarker::mark(*packet);
    if (keep) ++result.marked;
  }
  if (!keep) {
    result.dropped.push(packet);
    return result;
  }
  waiting_.push(packet);
  bytes_ += packet->wire_bytes;
  return result;
}

Packet* PiPort::dequeue() {
  advance();
  Packet* const packet = waiting_.pop();
  bytes_ -= packet->wire_bytes;
  return packet;
}

void PiPort::add_state(StateDigest& d) const {
  d(waiting_, bytes_, probability_, error_, next_update_);
}

}  // namespace dcc
