#include "subnet/reservations.h"

#include <algorithm>
#include <utility>

#include "units.h"

namespace dcc {

unsigned Reservations::entries_for(std::uint64_t granted, std::uint64_t rate) const {
  if (rate == 0) return 0;
  return static_cast<unsigned>((Uint128(granted) * kEntries + rate - 1) / rate);
}

/// Rate that requests of a lane can still get on one wire.
std::uint64_t Reservations::left(const SubnetManager::Hop& wire, unsigned lane) const {
  const std::uint64_t rate = manager_.port(wire).rate;
  const auto at = sums_.find(wire);
  if (at == sums_.end()) return rate;
  const Sums& sums = at->second;
  std::uint64_t others = 0;
  unsigned entries = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (l == lane) continue;
    others += sums[l];
    entries += entries_for(sums[l], rate);
  }
  const std::uint64_t free =
      !by_tables_ ? rate - std::min(rate, others)
                  : static_cast<std::uint64_t>(Uint128(rate) *
                                               (kEntries - std::min(kEntries, entries)) / kEntries);
  return free - std::min(free, sums[lane]);
}

std::uint64_t Reservations::available(const std::vector<SubnetManager::Hop>& path,
                                      unsigned lane) const {
  if (path.empty()) return 0;
  std::uint64_t least = UINT64_MAX;
  for (const SubnetManager::Hop& wire : path) least = std::min(least, left(wire, lane));
  return least;
}

void Reservations::add(const std::vector<SubnetManager::Hop>& path, unsigned lane,
                       std::int64_t rate) {
  for (const SubnetManager::Hop& wire : path) {
    sums_[wire][lane] += static_cast<std::uint64_t>(rate);
  }
}

void Reservations::grant(std::uint32_t flow, std::vector<SubnetManager::Hop> path, unsigned lane,
                         std::uint64_t rate) {
  lane %= kLanes;
  add(path, lane, static_cast<std::int64_t>(rate));
  granted_[flow] = {std::move(path), lane, rate};
}

void Reservations::move(std::uint32_t flow, std::vector<SubnetManager::Hop> path) {
  const auto at = granted_.find(flow);
  if (at == granted_.end()) return;
  Grant& grant = at->second;
  add(grant.path, grant.lane, -static_cast<std::int64_t>(grant.rate));
  add(path, grant.lane, static_cast<std::int64_t>(grant.rate));
  grant.path = std::move(path);
}

std::vector<SubnetManager::Hop> Reservations::release(std::uint32_t flow) {
  const auto at = granted_.find(flow);
  if (at == granted_.end()) return {};
  add(at->second.path, at->second.lane, -static_cast<std::int64_t>(at->second.rate));
  std::vector<SubnetManager::Hop> path = std::move(at->second.path);
  granted_.erase(at);
  return path;
}

std::array<unsigned, Reservations::kLanes> Reservations::entries(
    const SubnetManager::Hop& wire) const {
  std::array<unsigned, kLanes> entries{};
  const std::uint64_t rate = manager_.port(wire).rate;
  const auto at = sums_.find(wire);
  unsigned taken = 0;
  unsigned without = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (at != sums_.end()) entries[l] = entries_for(at->second[l], rate);
    taken += entries[l];
    if (entries[l] == 0) ++without;
  }
  for (unsigned l = 0; l < kLanes && taken < kEntries && without != 0; ++l) {
    if (entries[l] != 0) continue;
    entries[l] = (kEntries - taken) / without--;
    taken += entries[l];
  }
  return entries;
}

VlArbitrationParameters Reservations::table(const SubnetManager::Hop& wire, unsigned weight) const {
  const std::array<unsigned, kLanes> entries = this->entries(wire);
  VlArbitrationParameters table;
  std::array<int, kLanes> due{};  // table entries that each lane lacks so far, in 1/64
  for (unsigned place = 0; place < kEntries; ++place) {
    unsigned next = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
      due[l] += static_cast<int>(entries[l]);
      if (due[l] > due[next]) next = l;
    }
    due[next] -= static_cast<int>(kEntries);
    table.low.push_back({next, std::clamp(weight, 1u, 255u)});
  }
  return table;
}

}  // namespace dcc
