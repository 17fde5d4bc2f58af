// A port that charges a price per bit (FCP).
#pragma once

#include "schemes/common/asked_port.h"
#include "schemes/common/number_bits.h"
#include "schemes/fcp/link_price.h"

namespace dcc {

struct PricedParameters final : AskedPortParameters {
  LinkPriceParameters prices;

  void describe(ParameterVisitor& v) override;
};

/// The header of data and of probes (PacketKind::kRequest). The telemetry stack has one entry per
/// port of the path, in order: the price per bit that the packet pays, which the port replaces by
/// its present price. `immediate` counts the ports passed. Ports beyond the last entry are not
/// paid. A probe also carries the flow's LinkPrice announcement.
struct PriceHeader {
  static bool is_on(const Packet& packet) {
    return packet.telemetry != nullptr &&
           (packet.kind == PacketKind::kRequest || packet.kind == PacketKind::kData);
  }
  static double price(const IntHop& hop) { return number_of(hop.tx_bytes); }
  static void write(IntHop& hop, double price) { hop.tx_bytes = bits_of(price); }

  static LinkPrice::Preload preload(const Packet& packet) {
    return {number_of(packet.scheme), number_of(packet.remote_address),
            packet.telemetry->hop[0].queue, packet.telemetry->hop[0].timestamp};
  }
  /// Writes a flow's announcement into a packet. Precondition: the packet has a telemetry stack.
  static void write(Packet& packet, const LinkPrice::Preload& ahead) {
    packet.scheme = bits_of(ahead.budget);
    packet.remote_address = bits_of(ahead.elsewhere);
    packet.telemetry->hop[0].queue = ahead.bytes;
    packet.telemetry->hop[0].timestamp = ahead.round_trip;
  }
};

/// A port at which packets pay on arrival and receive the present price.
class PricedPort final : public ModelledPort<LinkPrice> {
 public:
  PricedPort(const PricedParameters& parameters, const DisciplineContext& context);

 private:
  void asked(Packet& packet) override;
};

}  // namespace dcc
