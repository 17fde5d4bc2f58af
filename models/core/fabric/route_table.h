// The route table of one switch: the ports that lead to each host. The table stores the structure
// of the network: blocks of hosts behind consecutive ports, and ranges of hosts with the same
// ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "wire/packet.h"

namespace dcc {

/// A set of equally good ports in ascending order: consecutive ports, or a list that the route
/// table owns. A PortSet has the size of two words; pass it by value.
class PortSet {
 public:
  class Iterator {
   public:
    Iterator(const PortSet& set, std::uint32_t index) : set_(&set), index_(index) {}
    int operator*() const { return (*set_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const PortSet* set_;
    std::uint32_t index_;
  };

  PortSet() = default;
  PortSet(const std::uint16_t* list, std::uint32_t count) : list_(list), count_(count) {}
  static PortSet consecutive(std::uint32_t first, std::uint32_t count) {
    PortSet set;
    set.first_ = first;
    set.count_ = count;
    return set;
  }

  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int operator[](std::uint32_t i) const {
    return static_cast<int>(list_ == nullptr ? first_ + i : list_[i]);
  }
  int front() const { return (*this)[0]; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, count_}; }

 private:
  const std::uint16_t* list_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

/// A switch's route table, which maps host numbers to ports. The memory of the table grows with the
/// number of ports and the irregularity of the network, not with the number of hosts. The route
/// tables of a tree use no heap memory: ports() computes the port.
class RouteTable {
 public:
  RouteTable() = default;
  /// Makes a route table for `hosts` hosts, without routes. Throws std::invalid_argument above
  /// kMaxHosts.
  explicit RouteTable(HostId hosts);
  static constexpr HostId kMaxHosts = 1 << 20;

  // --- Building -------------------------------------------------------------------------------
  /// Sets the ports of the hosts from `host` up to the host of the next call; an empty set means no
  /// route. Hosts must ascend from call to call.
  void from(HostId host, const PortSet& ports);
  /// Puts the hosts low … low + blocks · per_block − 1 behind the ports first, first + 1, …, with
  /// per_block hosts behind each port; this block overrides from(). A table has one such block.
  void set_block(HostId low, std::uint32_t blocks, std::uint32_t per_block, std::uint32_t first);
  /// Makes ports() look up a host by place_of_host[host] instead of its number.
  void renumber(std::shared_ptr<const std::vector<HostId>> place_of_host);
  /// Returns the same table for more hosts. place_of_host holds the number that each host has in
  /// this table, or any greater number for a host without a route.
  RouteTable among(const std::shared_ptr<const std::vector<HostId>>& place_of_host) const;

  // --- Reading --------------------------------------------------------------------------------
  // The best ports towards a host; empty for a host that does not exist. The function is always
  // inlined, because every packet calls it at every switch.
  [[gnu::always_inline]] PortSet ports(HostId host) const {
    if (host >= hosts_) return {};
    if (place_of_host_ != nullptr) host = (*place_of_host_)[host];
    const std::uint32_t offset = host - low_;
    if (offset < span_) {
      return PortSet::consecutive(
          first_ + static_cast<std::uint32_t>(offset * reciprocal_ >> kReciprocalBits), 1);
    }
    return ports_of(ranges_.empty() ? elsewhere_ : range_of(host));
  }
  /// Number of ports that the switch needs for this route table.
  std::uint32_t ports_needed() const { return ports_needed_; }
  /// Heap memory of the route table in bytes.
  std::size_t bytes() const {
    return ranges_.capacity() * sizeof(Range) + lists_.capacity() * sizeof(std::uint16_t);
  }

 private:
  /// Number of bits of the rounded-up reciprocal that replaces a division. The division is exact
  /// for offsets and block sizes below 2^20, and the product fits 64 bits.
  static constexpr int kReciprocalBits = 40;

  struct Group {
    std::uint32_t first = 0;  // number of the first port of the set, or an index into lists_
    std::uint16_t count = 0;
    bool listed = false;
  };
  struct Range {
    HostId begin = 0;
    Group group;
  };

  PortSet ports_of(const Group& group) const {
    return group.listed ? PortSet(lists_.data() + group.first, group.count)
                        : PortSet::consecutive(group.first, group.count);
  }
  /// Returns the last range of hosts that begins at or before `host`. The search has no branch that
  /// depends on the host, since destinations come in random order.
  const Group& range_of(HostId host) const {
    const Range* base = ranges_.data();
    for (std::size_t left = ranges_.size(); left > 1;) {
      const std::size_t half = left / 2;
      base += base[half].begin <= host ? half : 0;
      left -= half;
    }
    return base->group;
  }
  Group keep(const PortSet& ports);
  bool is_same(const Group& group, const PortSet& ports) const;

  HostId hosts_ = 0;
  HostId low_ = 0;
  std::uint32_t span_ = 0;
  std::uint32_t first_ = 0;
  std::uint64_t reciprocal_ = 0;
  Group elsewhere_;  // ports towards all hosts outside the table's block; used if ranges_ is empty
  // ranges of hosts, sorted by their first host; the first range begins at host 0
  std::vector<Range> ranges_;
  std::vector<std::uint16_t> lists_;
  std::shared_ptr<const std::vector<HostId>> place_of_host_;
  std::uint32_t ports_needed_ = 0;
  bool begun_ = false;
};

}  // namespace dcc
