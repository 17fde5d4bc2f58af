// Delays of each traffic class at one NIC: round trips of sent packets, one-way delays of received
// packets, the same for marked packets only, and times of sent messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "stats/log_histogram.h"
#include "stats/message_times.h"
#include "stats/size_bins.h"
#include "units.h"

namespace dcc {

/// Delays of packets in nanoseconds, of all packets and of `marked` ones: those with a CE mark,
/// which the packet or its ACK reported.
struct MarkedDelays {
  LogHistogram all;
  LogHistogram marked;

  void add(PicoSeconds delay, bool was_marked) {
    const auto ns = static_cast<std::uint64_t>(delay.count > 0 ? delay.count : 0) /
                    static_cast<std::uint64_t>(kNanoSecond.count);
    all.add(ns);
    if (was_marked) marked.add(ns);
  }
  void merge(const MarkedDelays& other) {
    all.merge(other.all);
    marked.merge(other.marked);
  }
};

struct ClassDelays {
  MarkedDelays round_trip;  // round-trip times of acknowledged packets
  MarkedDelays one_way;     // one-way delays of accepted packets, from sending to acceptance
  MarkedDelays as_read;     // round-trip times by the host's inexact clock, as algorithms read them
  // completion times of acknowledged messages by size bin, in nanoseconds
  std::array<LogHistogram, SizeBins::kCount> messages;

  void merge(const ClassDelays& other) {
    round_trip.merge(other.round_trip);
    one_way.merge(other.one_way);
    as_read.merge(other.as_read);
    for (std::size_t bin = 0; bin < messages.size(); ++bin) {
      messages[bin].merge(other.messages[bin]);
    }
  }
};

/// Packet delays by DSCP at one NIC. A NIC measures delays only if it has a DelaysByClass, because
/// each packet costs two histogram updates.
class DelaysByClass {
 public:
  ClassDelays& of(std::uint8_t dscp) {
    std::unique_ptr<ClassDelays>& place = classes_[dscp & 63u];
    if (place == nullptr) place = std::make_unique<ClassDelays>();
    return *place;
  }
  /// The delays of a traffic class; null if the NIC saw no packet of this class.
  const ClassDelays* seen(std::uint8_t dscp) const { return classes_[dscp & 63u].get(); }

  /// Record of the messages that are being sent. acknowledged() records the times of completed
  /// messages.
  MessageTimes& messages() { return messages_; }
  void acknowledged(std::uint32_t qpn, std::uint8_t dscp, std::uint64_t psn, PicoSeconds now) {
    messages_.acknowledged(qpn, psn, now, [&](Bytes bytes, PicoSeconds lasted) {
      of(dscp).messages[SizeBins::of(bytes)].add(
          static_cast<std::uint64_t>(lasted.count / kNanoSecond.count));
    });
  }

 private:
  std::array<std::unique_ptr<ClassDelays>, 64> classes_{};
  MessageTimes messages_;
};

}  // namespace dcc
