// A discipline with a bounded queue: it drops arriving packets for which the queue has no room,
// optionally drops some earlier (RED), or trims payloads (CP).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "describe/quantities.h"
#include "switch/discipline.h"

namespace dcc {

struct DropTailParameters final : DisciplineParameters {
  Bytes limit = 375'000;  // limit of a port's queue in wire bytes: 250 packets of 1500 bytes
  bool red = false;       // true: the queue uses random early detection (RED)
  Bytes min_threshold = 30'000;
  Bytes max_threshold = 90'000;
  Ratio max_probability{1, 10};
  Ratio weight{1, 512};  // weight of the newest queue length in RED's average
  // queue length in bytes above which payloads are trimmed; empty: never
  std::optional<Bytes> cut_above;
  Bytes header = 74;  // wire bytes of a trimmed packet

  void describe(ParameterVisitor& v) override;
  void check() const override;
};

/// A drop-tail queue that serves the highest priority first, and packets of one priority in order
/// of arrival. All priorities share one limit; an arrival without room is dropped whatever its
/// priority.
///
/// RED (Floyd and Jacobson, 1993; RFC 2309): an arrival that finds the average queue length between
/// the thresholds is marked, or dropped if not ECT. The probability grows with the average and with
/// the number of arrivals since the last victim, and is 1 above the upper threshold. The average is
/// taken over the queue lengths that arriving packets find. For an empty port the average decays as
/// if full packets had arrived back to back. Equal thresholds with a weight of 1 compare the queue
/// length itself, as DCTCP does.
///
/// CP: data that finds more than `cut_above` bytes queued loses its payload, and its header is
/// queued, so that the receiver learns of every packet in order (Cheng et al., "Catch the Whole Lot
/// in an Action: Rapid Precise Packet Loss Notification in Data Centers", NSDI 2014).
class DropTailPort final : public PortDiscipline {
 public:
  DropTailPort(const DropTailParameters& parameters, const DisciplineContext& context);

  void attach(const LinkParameters& link) override;
  bool needs_every_packet() const override { return parameters_.red; }
  EnqueueResult enqueue(Packet* packet) override;
  Packet* dequeue() override;
  bool empty() const override { return present_ == 0; }
  Bytes bytes() const override { return bytes_; }
  void add_state(StateDigest& d) const override;

  /// RED's average queue length, in bytes.
  double average() const { return average_; }

 private:
  bool is_early_victim();

  const DropTailParameters parameters_;
  const double weight_;
  DisciplineContext context_;
  PicoSeconds packet_time_{};  // time that a full packet takes on the wire; 0 before attach()
  std::array<PacketFifo, kPriorities> waiting_;
  unsigned present_ = 0;  // mask of priorities with queued packets
  Bytes bytes_ = 0;
  double average_ = 0;
  // number of arrivals since RED last chose a packet; -1: the average is below the thresholds
  std::int64_t spared_ = -1;
  PicoSeconds empty_since_{};
};

}  // namespace dcc
