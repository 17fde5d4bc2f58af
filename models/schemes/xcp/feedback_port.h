// A port that writes changes of window sizes into packets (XCP).
#pragma once

#include "schemes/common/asked_port.h"
#include "schemes/common/number_bits.h"
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
  /// Number of bytes by which the window of the packet's flow is to change.
  static double feedback(const Packet& packet) {
    return number_of(packet.telemetry->hop[0].tx_bytes);
  }
  static void write_feedback(Packet& packet, double bytes) {
    packet.telemetry->hop[0].tx_bytes = bits_of(bytes);
  }
  static void write(Packet& packet, const FeedbackController::Flow& flow, double wanted) {
    packet.telemetry->hop[0].queue = static_cast<Bytes>(flow.window);
    packet.telemetry->hop[0].timestamp = flow.round_trip;
    write_feedback(packet, wanted);
  }
};

/// The port of XCP; a packet keeps the least change of all ports that it passed.
class FeedbackPort final : public ModelledPort<FeedbackController> {
 public:
  FeedbackPort(const FeedbackPortParameters& parameters, const DisciplineContext& context);

 private:
  void asked(Packet& packet) override;
};

}  // namespace dcc
