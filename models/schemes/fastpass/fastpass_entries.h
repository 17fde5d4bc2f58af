// Messages between Fastpass's hosts and its arbiter: short lists in control packets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// One entry of a Fastpass message. Slot counts are totals of a pair of hosts since the start of
/// the run, so a lost message is recovered by the next one.
struct FastpassEntry {
  enum class Kind : std::uint8_t {
    kDemand,  // host to arbiter: total number of slots that the host wants
    // host to arbiter: total number of slots that the host wants, with a request for the number of
    // slots given. `slot` is 1 if the host sent this demand before
    kAsk,
    kSlot,  // arbiter to host: one slot, and the total number of slots given including this slot
    // arbiter to host: total number of slots given. `slot` is 1 if the arbiter had not received the
    // demand that the host sent before
    kGiven,
  };
  Kind kind = Kind::kDemand;
  // first port choice of the path, from 1, as in OverlayHeader; 0: any port
  std::uint8_t first_way = 0;
  std::uint8_t second_way = 0;
  std::uint8_t slot = 0;  // number of the timeslot relative to the packet's base slot
  HostId host = 0;        // destination host of the timeslot
  std::uint64_t total = 0;

  void add_state(StateDigest& d) const { d(kind, first_way, second_way, slot, host, total); }
};

/// Stores entries in the telemetry stack of a packet. The base slot is in Packet::scheme, the
/// number of entries in Packet::immediate.
struct FastpassEntries {
  static constexpr std::size_t kMax = kMaxIntHops * 2;
  // Wire bytes of an entry after the control packet's header: destination and count, or destination
  // and path.
  static constexpr std::uint32_t kDemandBytes = 6;
  static constexpr std::uint32_t kSlotBytes = 4;

  /// Adds an entry. Precondition: the packet has a telemetry stack with room.
  static void add(Packet& packet, const FastpassEntry& entry) {
    const std::uint64_t word =
        static_cast<std::uint64_t>(entry.kind) << 56 | std::uint64_t{entry.first_way} << 48 |
        std::uint64_t{entry.second_way} << 40 | std::uint64_t{entry.slot} << 32 | entry.host;
    IntHop& hop = packet.telemetry->hop[packet.immediate / 2];
    if (packet.immediate % 2 == 0) {
      // Clears the whole telemetry hop, so that old content of the pooled stack gets into no packet
      // or digest.
      hop = {{}, word, static_cast<Bytes>(entry.total), {}};
    } else {
      hop.timestamp.count = static_cast<std::int64_t>(word);
      hop.rate.bits_per_second = entry.total;
    }
    ++packet.immediate;
    packet.telemetry_hops = static_cast<std::uint8_t>((packet.immediate + 1) / 2);
    packet.wire_bytes += entry.kind == FastpassEntry::Kind::kSlot ? kSlotBytes : kDemandBytes;
  }
  static FastpassEntry get(const Packet& packet, std::size_t index) {
    const IntHop& hop = packet.telemetry->hop[index / 2];
    const bool even = index % 2 == 0;
    const std::uint64_t word =
        even ? hop.tx_bytes : static_cast<std::uint64_t>(hop.timestamp.count);
    FastpassEntry entry;
    entry.kind = static_cast<FastpassEntry::Kind>(word >> 56);
    entry.first_way = static_cast<std::uint8_t>(word >> 48);
    entry.second_way = static_cast<std::uint8_t>(word >> 40);
    entry.slot = static_cast<std::uint8_t>(word >> 32);
    entry.host = static_cast<HostId>(word);
    entry.total = even ? static_cast<std::uint64_t>(hop.queue) : hop.rate.bits_per_second;
    return entry;
  }
};

}  // namespace dcc
