// A port that gives out its link's rate to those who ask for it (D3).
#pragma once

#include "schemes/common/asked_port.h"
#include "schemes/d3/rate_allocator.h"

namespace dcc {

struct ExplicitRateParameters final : AskedPortParameters {
  RateAllocatorParameters rates;

  void describe(ParameterVisitor& v) override;
};

/// What a request's header carries, of a packet of its own (PacketKind::kRequest) or of data, and
/// its ports read and write. The stack of telemetry has a place for each port on the way, in order:
/// what it gave last time, over which it writes what it gives now. `immediate` counts the ports so
/// far. Ports beyond the last place take no part. The `last` of kRequest wants nothing any more.
struct RateRequestHeader {
  static bool is_on(const Packet& packet) {
    return packet.telemetry != nullptr &&
           (packet.kind == PacketKind::kRequest || packet.kind == PacketKind::kData);
  }
  static bool leaves(const Packet& packet) {
    return packet.kind == PacketKind::kRequest && packet.last;
  }
  static BitRate desired(const Packet& packet) { return BitRate(packet.scheme); }
  static BitRate past_desired(const Packet& packet) { return BitRate(packet.remote_address); }
  static RateAllocator::Lease lease(const IntHop& hop) { return {hop.rate, hop.timestamp}; }
  static void write(IntHop& hop, const RateAllocator::Lease& lease) {
    hop.rate = lease.rate;
    hop.timestamp = lease.until;
  }
};

/// Requests are for some of the link's rate.
class ExplicitRatePort final : public AskedPort {
 public:
  ExplicitRatePort(const ExplicitRateParameters& parameters, const DisciplineContext& context);

  void add_state(StateDigest& d) const override;

  const RateAllocator& rates() const { return rates_; }

 private:
  void set_link(BitRate rate) override { rates_.set_link(rate); }
  void asked(Packet& packet) override;

  RateAllocator rates_;
};

}  // namespace dcc
