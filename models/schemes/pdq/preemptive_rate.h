// A port that gives the rate of its link to the most critical flows and pauses the others (PDQ).
#pragma once

#include "schemes/common/asked_port.h"
#include "schemes/pdq/preemptive_allocator.h"

namespace dcc {

struct PreemptiveRateParameters final : AskedPortParameters {
  PreemptiveAllocatorParameters rates;

  void describe(ParameterVisitor& v) override;
};

/// Stores the SchedulingHeader in the telemetry stack of a packet.
struct SchedulingHeaderOn {
  static bool way_out(const Packet& packet) {
    return packet.telemetry != nullptr &&
           (packet.kind == PacketKind::kData || packet.kind == PacketKind::kRequest);
  }
  static bool way_back(const Packet& packet) {
    return packet.telemetry != nullptr &&
           (packet.kind == PacketKind::kAck || packet.kind == PacketKind::kCredit);
  }
  static SchedulingHeader read(const Packet& packet) {
    const IntHop& first = packet.telemetry->hop[0];
    const IntHop& second = packet.telemetry->hop[1];
    return {first.rate,
            first.tx_bytes,
            first.timestamp,
            second.timestamp,
            PicoSeconds(first.queue),
            PicoSeconds(second.queue),
            PicoSeconds(static_cast<std::int64_t>(second.tx_bytes))};
  }
  /// Writes the scheduling header into a packet. Precondition: the packet has a stack
  /// (PacketPool::attach_places).
  static void write(Packet& packet, const SchedulingHeader& header) {
    IntHop& first = packet.telemetry->hop[0];
    IntHop& second = packet.telemetry->hop[1];
    first = {header.deadline, header.paused_by, header.round_trip.count, header.rate};
    second = {
        header.left, static_cast<std::uint64_t>(header.waited.count), header.probe_after.count, {}};
  }
};

/// The port of PDQ: handles packets with a SchedulingHeader on the forward path and their answers
/// on the reverse path.
class PreemptiveRatePort final : public ModelledPort<PreemptiveAllocator> {
 public:
  PreemptiveRatePort(const PreemptiveRateParameters& parameters, const DisciplineContext& context);

  bool needs_reverse_packets() const override { return true; }
  void reverse_packet(const Packet& packet) override;

 private:
  void asked(Packet& packet) override;
};

}  // namespace dcc
