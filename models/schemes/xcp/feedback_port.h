// A port that writes changes of windows into packets (XCP).
#pragma once

#include <cstring>

#include "schemes/common/asked_port.h"
#include "schemes/xcp/feedback_controller.h"

namespace dcc {

struct FeedbackPortParameters final : AskedPortParameters {
  FeedbackParameters feedback;

  void describe(ParameterVisitor& v) override;
};

/// The congestion header of a data packet: the first entry of the telemetry stack. All ports of a
/// path share the entry, so paths may have any length.
struct CongestionHeader {
  static bool is_on(const Packet& packet) {
    return packet.telemetry != nullptr && packet.kind == PacketKind::kData;
  }
  static FeedbackController::Flow flow(const Packet& packet) {
    return {static_cast<double>(packet.telemetry->hop[0].queue),
            packet.telemetry->hop[0].timestamp};
  }
  /// Bytes by which the window is to change.
  static double feedback(const Packet& packet) {
    double value = 0;
    static_assert(sizeof value == sizeof packet.telemetry->hop[0].tx_bytes);
    std::memcpy(&value, &packet.telemetry->hop[0].tx_bytes, sizeof value);
    return value;
  }
  static void write_feedback(Packet& packet, double bytes) {
    std::memcpy(&packet.telemetry->hop[0].tx_bytes, &bytes, sizeof bytes);
  }
  static void write(Packet& packet, const FeedbackController::Flow& flow, double wanted) {
    packet.telemetry->hop[0].queue = static_cast<Bytes>(flow.window);
    packet.telemetry->hop[0].timestamp = flow.round_trip;
    write_feedback(packet, wanted);
  }
};

/// A packet keeps the least change of the ports that it passed.
class FeedbackPort final : public AskedPort {
 public:
  FeedbackPort(const FeedbackPortParameters& parameters, const DisciplineContext& context);

  void add_state(StateDigest& d) const override;

 private:
  void set_link(BitRate rate) override { controller_.set_link(rate); }
  void asked(Packet& packet) override;

  FeedbackController controller_;
};

}  // namespace dcc
