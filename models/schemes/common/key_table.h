// What a switch remembers by key: a hash table with open addresses, since most switches of a large
// network see few of all flows and hosts that there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/random.h"
#include "wire/packet.h"

namespace dcc {

template <class Value>
class KeyTable {
 public:
  /// Null when there is none.
  const Value* find(std::uint64_t key) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[place_of(key)];
    return entry.key == 0 ? nullptr : &entry.value;
  }
  Value* find(std::uint64_t key) {
    return const_cast<Value*>(static_cast<const KeyTable&>(*this).find(key));
  }
  /// The key's value, and whether it was there; a new one has its defaults.
  std::pair<Value*, bool> find_or_add(std::uint64_t key) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[place_of(key)];
    if (entry.key != 0) return {&entry.value, true};
    entry.key = key + 1;
    ++used_;
    return {&entry.value, false};
  }
  /// In no order that means anything.
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
  template <class Digest>
  void add_state(Digest& d) const {
    d.unordered([this](auto one) {
      this->for_each([&](std::uint64_t key, const Value& value) { one(key, value); });
    });
  }

 private:
  struct Entry {
    std::uint64_t key = 0;  // one more than what it was asked for; 0: free
    Value value{};
  };

  /// The key's entry, or the free one that is to be its.
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

/// Of a flow in one direction.
inline std::uint64_t flow_key(std::uint32_t flow, HostId source, HostId destination) {
  return std::uint64_t{flow} << 1 | (source < destination ? 1u : 0u);
}

}  // namespace dcc
