// A hash table with open addressing for a switch's state by flow or host. The table grows with the
// number of entries, since a switch of a large network sees few of all flows and hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/random.h"
#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

template <class Value>
class KeyTable {
 public:
  /// Finds the value of a key; null if the table has none.
  const Value* find(std::uint64_t key) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[place_of(key)];
    return entry.key == 0 ? nullptr : &entry.value;
  }
  Value* find(std::uint64_t key) {
    return const_cast<Value*>(static_cast<const KeyTable&>(*this).find(key));
  }
  /// Returns the key's value, and true if the value was in the table already. A new value is
  /// default-constructed. The pointer is valid until the next call.
  std::pair<Value*, bool> find_or_add(std::uint64_t key) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[place_of(key)];
    if (entry.key != 0) return {&entry.value, true};
    entry.key = key + 1;
    ++used_;
    return {&entry.value, false};
  }
  /// Calls visit(key, value) for every entry of the table, in unspecified order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.key != 0) visit(entry.key - 1, entry.value);
    }
  }
  void clear() {
    entries_.clear();
    used_ = 0;
  }
  void add_state(StateDigest& d) const {
    d.unordered([this](auto one) {
      this->for_each([&](std::uint64_t key, const Value& value) { one(key, value); });
    });
  }

 private:
  struct Entry {
    std::uint64_t key = 0;  // the caller's key plus 1; 0: the entry of the table is free
    Value value{};
  };

  /// Index of the key's entry, or of the free entry where the key would be inserted.
  std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = mix64(key) & mask;
    while (entries_[at].key != 0 && entries_[at].key != key + 1) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (Entry& entry : old) {
      if (entry.key != 0) entries_[place_of(entry.key - 1)] = std::move(entry);
    }
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

/// Key of a flow's packets in one direction, for a KeyTable.
inline std::uint64_t flow_key(std::uint32_t flow, HostId source, HostId destination) {
  return std::uint64_t{flow} << 1 | (source < destination ? 1u : 0u);
}
inline std::uint64_t flow_key(const Packet& packet) {
  return flow_key(packet.flow, packet.source, packet.destination);
}

}  // namespace dcc
