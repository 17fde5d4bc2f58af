// A port that gives its link's rate to the most critical flows and pauses the others (PDQ).
#pragma once

#include "net/discipline/drop_tail.h"
#include "net/discipline/preemptive_allocator.h"

namespace dcc {

struct PreemptiveRateParameters final : DisciplineParameters {
  PreemptiveAllocatorParameters rates;
  Bytes limit = 375'000;  // that may wait

  void describe(ParameterVisitor& v) override;
};

/// Where a packet carries its SchedulingHeader: the stack of telemetry has room for it.
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
    return {first.rate,       first.tx_bytes,           first.timestamp,
            second.timestamp, PicoSeconds(first.queue), PicoSeconds(second.queue)};
  }
  /// Precondition: it has a stack.
  static void write(Packet& packet, const SchedulingHeader& header) {
    IntHop& first = packet.telemetry->hop[0];
    IntHop& second = packet.telemetry->hop[1];
    first = {header.deadline, header.paused_by, header.round_trip.count, header.rate};
    second = {header.left, 0, header.probe_after.count, {}};
    packet.telemetry_hops = kMaxIntHops;  // nobody else writes there
  }
};

/// Packets that carry a flow's header ask when they come, and answers pass on the way back. Queued
/// is as in a drop-tail port: the highest priority first, first come first served, room for so many
/// bytes.
class PreemptiveRatePort final : public PortDiscipline {
 public:
  PreemptiveRatePort(const PreemptiveRateParameters& parameters, const DisciplineContext& context);

  void attach(const LinkParameters& link) override;
  bool wants_every_packet() const override { return true; }
  bool wants_the_way_back() const override { return true; }
  Verdict enqueue(Packet* packet) override;
  void came_back(const Packet& packet) override;
  Packet* dequeue() override { return queue_.dequeue(); }
  bool empty() const override { return queue_.empty(); }
  Bytes bytes() const override { return queue_.bytes(); }
  void add_state(StateDigest& d) const override;

  const PreemptiveAllocator& rates() const { return rates_; }

 private:
  PreemptiveAllocator rates_;
  DropTailPort queue_;
  DisciplineContext context_;
};

}  // namespace dcc
