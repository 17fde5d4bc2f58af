// A port that lowers the rate in a packet to the rate that the port gives to every flow (RCP).
#pragma once

#include "schemes/common/asked_port.h"
#include "schemes/rcp/fair_rate.h"

namespace dcc {

struct FairRatePortParameters final : AskedPortParameters {
  FairRateParameters rates;

  void describe(ParameterVisitor& v) override;
};

/// The header of data and of requests: the first entry of the telemetry stack. All ports of a path
/// share the entry, so paths may have any length.
struct FairRateHeader {
  static bool is_on(const Packet& packet) {
    return packet.telemetry != nullptr &&
           (packet.kind == PacketKind::kRequest || packet.kind == PacketKind::kData);
  }
  static BitRate rate(const Packet& packet) { return packet.telemetry->hop[0].rate; }
  static PicoSeconds round_trip(const Packet& packet) { return packet.telemetry->hop[0].timestamp; }
  static void write(Packet& packet, BitRate rate, PicoSeconds round_trip) {
    packet.telemetry->hop[0].rate = rate;
    packet.telemetry->hop[0].timestamp = round_trip;
  }
};

class FairRatePort final : public ModelledPort<FairRate> {
 public:
  FairRatePort(const FairRatePortParameters& parameters, const DisciplineContext& context);

 private:
  void asked(Packet& packet) override;
};

}  // namespace dcc
