// A port with one bounded queue that drops what finds no room, and if told to, some before that
// (RED), or cuts payloads off (CP).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "describe/quantities.h"
#include "switch/discipline.h"

namespace dcc {

struct DropTailParameters final : DisciplineParameters {
  Bytes limit = 375'000;  // that may wait at a port: 250 packets of 1500
  bool red = false;       // random early detection
  Bytes min_threshold = 30'000;
  Bytes max_threshold = 90'000;
  Ratio max_probability{1, 10};
  Ratio weight{1, 512};            // of the newest length of the queue in its average
  std::optional<Bytes> cut_above;  // bytes waiting beyond which payloads are cut; empty: never
  Bytes header = 74;               // what is left of a packet on the wire

  void describe(ParameterVisitor& v) override;
  void check() const override;
};

/// The highest priority goes first, of a priority who came first; room is one for all, and an
/// arrival that finds none is dropped whatever its priority. With RED (Floyd and Jacobson, 1993;
/// RFC 2309): each arrival that finds the average queue between the thresholds is marked, or
/// dropped if it cannot be, with a probability that grows along the average and with the arrivals
/// since the last one; beyond the upper threshold every arrival is. The average is of lengths that
/// arrivals find, and falls while the port is empty as if full packets had found it so.
///
/// Equal thresholds with a weight of 1 mark by the queue itself: DCTCP's step.
///
/// With `cut_above` data that finds more than that waiting loses its payload, and its header waits
/// in its place: the receiver hears of every packet, in order (Cheng et al., "Catch the Whole Lot
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

  /// Bytes, as RED has it.
  double average() const { return average_; }

 private:
  bool is_early_victim();

  const DropTailParameters parameters_;
  const double weight_;
  DisciplineContext context_;
  PicoSeconds packet_time_{};  // of a full packet, for the average of an empty queue
  std::array<PacketFifo, kPriorities> waiting_;
  unsigned present_ = 0;  // bit p: some of priority p wait
  Bytes bytes_ = 0;
  double average_ = 0;
  std::int64_t spared_ = -1;  // arrivals since the last victim; -1: below the thresholds
  PicoSeconds empty_since_{};
};

}  // namespace dcc
