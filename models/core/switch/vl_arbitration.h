// InfiniBand's virtual lane arbitration: a high-priority and a low-priority table of weighted
// lanes. InfiniBand Architecture Specification 1.3, volume 1, section 7.6.9.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct VlArbitrationParameters {
  static constexpr std::size_t kMaxEntries = 64;
  static constexpr unsigned kUnlimited = 255;

  struct Entry {
    unsigned lane = 0;    // virtual lane of the table entry, equal to the priority
    unsigned weight = 1;  // weight of the table entry in units of 64 bytes; 0: the entry is skipped
  };
  std::vector<Entry> high;
  std::vector<Entry> low;
  /// Number of bytes sent from the table `high` before a packet from the table `low`, in units of
  /// 4096; 0: one packet.
  unsigned limit = kUnlimited;

  void describe(ParameterVisitor& v);
  /// Throws ParameterError if no table entry has a weight or a table is too long.
  void check() const;
};

/// Work-conserving arbiter that picks a virtual lane that has packets. The lane of an entry sends
/// until the entry's weight is used up; the last packet is sent whole. The table then proceeds to
/// the next entry whose lane has packets. Lanes in neither table send when no other lane can send.
class VlArbiter {
 public:
  explicit VlArbiter(const VlArbitrationParameters& parameters);

  /// Returns the virtual lane that sends next. Bit l of `eligible`: lane l may send. Precondition:
  /// `eligible` is not 0.
  int pick(unsigned eligible);
  /// Charges the table entry picked last for a packet of this many wire bytes.
  void charge(Bytes bytes);
  void add_state(StateDigest& d) const { d(high_.at, high_.left, low_.at, low_.left, high_left_); }

 private:
  struct Entry {
    int lane;
    Bytes bytes;
  };
  struct Table {
    std::vector<Entry> entries;  // table entries with a weight above 0
    unsigned lanes = 0;          // mask of the virtual lanes in the table
    std::size_t at = 0;          // index of the present table entry
    Bytes left = 0;              // bytes that the lane of the present entry may still send
    int pick(unsigned eligible);
  };
  static Table table_of(const std::vector<VlArbitrationParameters::Entry>& entries);

  Table high_;
  Table low_;
  Table* last_ = nullptr;  // table that chose the last packet; null: no packet yet
  bool unlimited_;
  Bytes limit_;      // bytes sent from table high_ before a packet from table low_
  Bytes high_left_;  // bytes that table high_ may still send before a packet from table low_
};

}  // namespace dcc
