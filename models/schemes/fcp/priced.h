// A port that charges a price per bit (FCP).
#pragma once

#include <cstring>

#include "schemes/common/asked_port.h"
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
  static double price(const IntHop& hop) { return number(hop.tx_bytes); }
  static void write(IntHop& hop, double price) { hop.tx_bytes = bits(price); }

  static LinkPrice::Preload preload(const Packet& packet) {
    return {number(packet.scheme), number(packet.remote_address), packet.telemetry->hop[0].queue,
            packet.telemetry->hop[0].timestamp};
  }
  /// Precondition: the packet has a stack.
  static void write(Packet& packet, const LinkPrice::Preload& ahead) {
    packet.scheme = bits(ahead.budget);
    packet.remote_address = bits(ahead.elsewhere);
    packet.telemetry->hop[0].queue = ahead.bytes;
    packet.telemetry->hop[0].timestamp = ahead.round_trip;
  }

 private:
  static double number(std::uint64_t bits) {
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  static std::uint64_t bits(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
};

/// Packets pay on arrival and receive the present price.
class PricedPort final : public AskedPort {
 public:
  PricedPort(const PricedParameters& parameters, const DisciplineContext& context);

  void add_state(StateDigest& d) const override;

  const LinkPrice& link() const { return link_; }

 private:
  void set_link(BitRate rate) override { link_.set_link(rate); }
  void asked(Packet& packet) override;

  LinkPrice link_;
};

}  // namespace dcc
