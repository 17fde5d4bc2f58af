// A port that grants the rate of its link to requests (D3).
#pragma once

#include "schemes/common/asked_port.h"
#include "schemes/d3/rate_allocator.h"

namespace dcc {

struct ExplicitRateParameters final : AskedPortParameters {
  RateAllocatorParameters rates;

  void describe(ParameterVisitor& v) override;
};

/// The header of a request, in a packet of its own (PacketKind::kRequest) or in data. The telemetry
/// stack has one entry per port of the path, in order: the previous grant, which the port replaces
/// by the new grant. `immediate` counts the ports passed. Ports beyond the last entry do not take
/// part. A kRequest with `last` set ends the flow's demand.
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
  static PicoSeconds round_trip(const IntHop& hop) { return PicoSeconds(hop.queue); }
  static void write_round_trip(IntHop& hop, PicoSeconds longest) { hop.queue = longest.count; }
  static bool is_crowded(const IntHop& hop) { return hop.tx_bytes != 0; }
  static void write_crowded(IntHop& hop, bool crowded) { hop.tx_bytes = crowded ? 1 : 0; }
  static RateAllocator::Lease lease(const IntHop& hop) { return {hop.rate, hop.timestamp}; }
  static void write(IntHop& hop, const RateAllocator::Lease& lease) {
    hop.rate = lease.rate;
    hop.timestamp = lease.until;
  }
};

/// A D3 port: a request asks for a part of the link's rate.
class ExplicitRatePort final : public ModelledPort<RateAllocator> {
 public:
  ExplicitRatePort(const ExplicitRateParameters& parameters, const DisciplineContext& context);

 private:
  void asked(Packet& packet) override;
};

}  // namespace dcc
