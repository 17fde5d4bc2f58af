#include "fabric/route_table.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace dcc {

namespace {
void require_route(bool condition, const char* sentence) {
  if (!condition) throw std::invalid_argument(std::string("routes: ") + sentence);
}
}  // namespace

RouteTable::RouteTable(HostId hosts) : hosts_(hosts) {
  require_route(hosts <= kMaxHosts, "more than 1048576 hosts");
}

bool RouteTable::is_same(const Group& group, const PortSet& ports) const {
  if (group.count != ports.size()) return false;
  const PortSet own = ports_of(group);
  for (std::uint32_t i = 0; i < own.size(); ++i) {
    if (own[i] != ports[i]) return false;
  }
  return true;
}

/// Reuses equal port lists, because ranges of hosts often have the same ports.
RouteTable::Group RouteTable::keep(const PortSet& ports) {
  require_route(ports.size() <= 0xFFFF, "more than 65535 equally good ports");
  Group group;
  group.count = static_cast<std::uint16_t>(ports.size());
  if (ports.empty()) return group;
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    require_route(ports[i] >= 0 && (i == 0 || ports[i - 1] < ports[i]), "ports do not ascend");
  }
  const auto last = static_cast<std::uint32_t>(ports[ports.size() - 1]);
  ports_needed_ = std::max(ports_needed_, last + 1);
  group.first = static_cast<std::uint32_t>(ports.front());
  if (last - group.first + 1 == ports.size()) return group;
  require_route(last <= 0xFFFF, "a port above 65535");
  group.listed = true;
  for (const Range& range : ranges_) {
    if (range.group.listed && is_same(range.group, ports)) return range.group;
  }
  group.first = static_cast<std::uint32_t>(lists_.size());
  for (const int port : ports) lists_.push_back(static_cast<std::uint16_t>(port));
  return group;
}

void RouteTable::from(HostId host, const PortSet& ports) {
  const bool first = !std::exchange(begun_, true);
  if (first && host == 0) {
    elsewhere_ = keep(ports);
    return;
  }
  require_route((ranges_.empty() ? 0 : ranges_.back().begin) < host, "hosts do not ascend");
  if (is_same(ranges_.empty() ? elsewhere_ : ranges_.back().group, ports)) return;
  if (ranges_.empty()) ranges_.push_back({0, elsewhere_});
  ranges_.push_back({host, keep(ports)});
}

void RouteTable::set_block(HostId low, std::uint32_t blocks, std::uint32_t per_block,
                           std::uint32_t first) {
  require_route(blocks >= 1 && per_block >= 1, "a block without hosts");
  require_route(std::uint64_t{low} + std::uint64_t{blocks} * per_block <= hosts_,
                "a block of hosts that do not exist");
  low_ = low;
  span_ = blocks * per_block;
  first_ = first;
  reciprocal_ = ((std::uint64_t{1} << kReciprocalBits) + per_block - 1) / per_block;
  ports_needed_ = std::max(ports_needed_, first + blocks);
}

void RouteTable::renumber(std::shared_ptr<const std::vector<HostId>> place_of_host) {
  require_route(place_of_host->size() == hosts_, "places for another number of hosts");
  place_of_host_ = std::move(place_of_host);
}

RouteTable RouteTable::among(
    const std::shared_ptr<const std::vector<HostId>>& place_of_host) const {
  require_route(place_of_host->size() <= kMaxHosts, "more than 1048576 hosts");
  RouteTable table = *this;
  table.from(hosts_, PortSet());
  table.hosts_ = static_cast<HostId>(place_of_host->size());
  table.place_of_host_ = place_of_host;
  if (place_of_host_ == nullptr) return table;
  std::vector<HostId> places = *place_of_host;
  for (HostId& place : places) place = place < hosts_ ? (*place_of_host_)[place] : hosts_;
  table.place_of_host_ = std::make_shared<const std::vector<HostId>>(std::move(places));
  return table;
}

}  // namespace dcc
