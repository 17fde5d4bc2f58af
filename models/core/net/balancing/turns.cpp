// In turn: the packets to a destination (spray), or the flows at a switch (per_flow).
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "net/path_choice.h"

namespace dcc {

namespace {

/// Numbers by key: a hash table with open addresses, since most switches of a large network see few
/// of all that there are.
class NumberTable {
 public:
  struct Entry {
    std::uint64_t key = 0;  // one more than what it was asked for; 0: free
    std::uint32_t number = 0;
  };

  /// Null when there is none.
  const Entry* find(std::uint64_t key) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[place_of(key)];
    return entry.key == 0 ? nullptr : &entry;
  }
  /// The key's entry, and whether it was there.
  std::pair<Entry*, bool> find_or_add(std::uint64_t key) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[place_of(key)];
    if (entry.key != 0) return {&entry, true};
    entry.key = key + 1;
    ++used_;
    return {&entry, false};
  }
  void clear() {
    entries_.clear();
    used_ = 0;
  }

 private:
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
    for (const Entry& entry : old) {
      if (entry.key != 0) entries_[place_of(entry.key - 1)] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

class Spray final : public PathChoice {
 public:
  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const NumberTable::Entry* const turn = turns_.find(packet.destination);
    return turn == nullptr || turn->number >= ports.size() ? 0 : turn->number;
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    std::uint32_t& next = turns_.find_or_add(packet.destination).first->number;
    const std::uint32_t turn = next < ports.size() ? next : 0;
    next = turn + 1 < ports.size() ? turn + 1 : 0;
    return turn;
  }

 private:
  NumberTable turns_;
};

/// The first packet of a flow takes the next port of the destination's, and all others follow it.
class PerFlow final : public PathChoice {
 public:
  void routes_changed() override { ports_.clear(); }

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const NumberTable::Entry* const port = ports_.find(key_of(packet));
    return port != nullptr ? port->number : turn_ % ports.size();
  }
  std::uint32_t choose(Packet& packet, PortSet ports) override {
    const auto [port, known] = ports_.find_or_add(key_of(packet));
    if (!known) port->number = turn_++ % ports.size();
    return port->number;
  }

 private:
  /// Flow and direction.
  static std::uint64_t key_of(const Packet& packet) {
    return std::uint64_t{packet.flow} << 1 | (packet.source < packet.destination ? 1u : 0u);
  }

  NumberTable ports_;
  std::uint32_t turn_ = 0;
};

}  // namespace

std::unique_ptr<PathChoice> make_spray() { return std::make_unique<Spray>(); }

std::unique_ptr<PathChoice> make_per_flow() { return std::make_unique<PerFlow>(); }

}  // namespace dcc
