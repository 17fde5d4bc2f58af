// A switch's flowlet table: by hash of the flow, with the path and the time of the last packet
// (Sinha, Kandula, Katabi, HotNets'04).
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/path_choice.h"
#include "sim/state_digest.h"

namespace dcc {

class ParameterVisitor;

/// A flowlet: packets of a flow with pauses shorter than `gap` between them. After a longer pause
/// the next flowlet may take another path.
struct FlowletParameters {
  PicoSeconds gap = kMicroSecond * 100;
  // number of entries of the flowlet table; flows with equal hashes share an entry
  unsigned entries = 16'384;

  void describe(ParameterVisitor& v);
};

class FlowletTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF;
  struct Entry {
    PicoSeconds last{};
    std::uint32_t way = kNone;  // index of the port that the flowlet takes, in the port set
  };

  FlowletTable(const FlowletParameters& parameters, std::uint64_t hash_seed)
      : parameters_(parameters), hash_seed_(hash_seed) {}

  /// Ends all flowlets: the next packet of every flow may take a new path.
  void clear() { entries_.clear(); }
  Entry& of(const Packet& packet) {
    if (entries_.empty()) entries_.resize(parameters_.entries);
    return entries_[place_of(packet)];
  }
  Entry peek(const Packet& packet) const {
    return entries_.empty() ? Entry{} : entries_[place_of(packet)];
  }
  /// True if a packet that arrives now continues the entry's flowlet. False also when the entry's
  /// path does not exist for this destination: flows to different destinations may share an entry.
  bool goes_on(const Entry& entry, PicoSeconds now, std::uint32_t ways) const {
    return entry.way < ways && now - entry.last < parameters_.gap;
  }
  void add_state(StateDigest& d) const {
    std::size_t count = 0;
    for (std::size_t place = 0; place < entries_.size(); ++place) {
      if (entries_[place].way == kNone) continue;
      d(place, entries_[place].last, entries_[place].way);
      ++count;
    }
    d(count);
  }

 private:
  std::size_t place_of(const Packet& packet) const {
    return scaled_down(flow_hash(packet, hash_seed_), parameters_.entries);
  }

  FlowletParameters parameters_;
  std::uint64_t hash_seed_;
  // flowlet table, indexed by the hash of the flow; allocated at the first packet
  std::vector<Entry> entries_;
};

}  // namespace dcc
