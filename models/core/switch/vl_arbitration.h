// InfiniBand's virtual lane arbitration: a table of high and one of low priority, by weight in
// each. InfiniBand Architecture Specification 1.3, volume 1, 7.6.9.
#pragma once

#include <cstdint>
#include <vector>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct VlArbitrationParameters {
  static constexpr std::size_t kMaxEntries = 64;
  static constexpr unsigned kUnlimited = 255;

  struct Entry {
    unsigned lane = 0;    // a priority
    unsigned weight = 1;  // of 64 bytes each; 0: the entry is passed over
  };
  std::vector<Entry> high;
  std::vector<Entry> low;
  unsigned limit = kUnlimited;  // of 4096 bytes from `high` before a packet from `low`; 0: a packet

  void describe(ParameterVisitor& v);
  /// Throws ParameterError when no entry has a weight.
  void check() const;
};

/// Picks a lane that has packets. An entry's lane sends until its weight is used up, its last
/// packet whole; then the table goes on to the next entry whose lane has something. Lanes of no
/// table send when nobody else can: work-conserving.
class VlArbiter {
 public:
  explicit VlArbiter(const VlArbitrationParameters& parameters);

  /// Precondition: eligible is not 0.
  int pick(unsigned eligible);
  /// What was picked last had this many wire bytes.
  void charge(Bytes bytes);
  template <class Digest>
  void add_state(Digest& d) const {
    d(high_.at, high_.left, low_.at, low_.left, high_left_);
  }

 private:
  struct Entry {
    int lane;
    Bytes bytes;
  };
  struct Table {
    std::vector<Entry> entries;  // those with a weight
    unsigned lanes = 0;          // bit l: lane l is in it
    std::size_t at = 0;
    Bytes left = 0;
    int pick(unsigned eligible);
  };
  static Table table_of(const std::vector<VlArbitrationParameters::Entry>& entries);

  Table high_;
  Table low_;
  Table* last_ = nullptr;  // null: a lane of neither
  bool unlimited_;
  Bytes limit_;
  Bytes high_left_;
};

}  // namespace dcc
