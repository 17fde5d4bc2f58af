#include "net/path_choice.h"

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/random.h"

namespace dcc {

namespace {

/// Turns of the destinations that packets really had a choice to: a hash table with open addresses,
/// since most switches of a large network see few of them.
class Spray final : public PathChoice {
 public:
  std::uint32_t peek(const Packet& packet, PortSet) const override {
    return entries_.empty() ? 0 : entries_[find(packet.destination)].turn;
  }

  std::uint32_t choose(const Packet& packet, PortSet ports) override {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[find(packet.destination)];
    if (entry.key == 0) {
      entry.key = packet.destination + 1;
      ++used_;
    }
    const std::uint32_t turn = entry.turn;
    if (++entry.turn >= ports.size()) entry.turn = 0;
    return turn;
  }

 private:
  struct Entry {
    std::uint32_t key = 0;  // the destination and one more; 0: free
    std::uint32_t turn = 0;
  };

  /// The destination's entry, or the free one that is to be its.
  std::size_t find(HostId destination) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = mix64(destination) & mask;
    while (entries_[at].key != 0 && entries_[at].key != destination + 1) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.key != 0) entries_[find(entry.key - 1)] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

class Lmc final : public PathChoice {
 public:
  Lmc(unsigned lmc, std::uint64_t hash_seed) : mask_((1u << lmc) - 1u), hash_seed_(hash_seed) {}

  std::uint32_t peek(const Packet& packet, PortSet ports) const override {
    const std::uint64_t path = packet.flow & mask_;
    return scaled_down(mix64(hash_seed_ ^ (std::uint64_t{packet.destination} << 8 | path)),
                       ports.size());
  }

 private:
  std::uint32_t mask_;
  std::uint64_t hash_seed_;
};

}  // namespace

std::unique_ptr<PathChoice> make_spray() { return std::make_unique<Spray>(); }

std::unique_ptr<PathChoice> make_lmc(unsigned lmc, std::uint64_t hash_seed) {
  if (lmc > kGreatestLmc) throw std::invalid_argument("routing: lmc is above 7");
  return std::make_unique<Lmc>(lmc, hash_seed);
}

}  // namespace dcc
