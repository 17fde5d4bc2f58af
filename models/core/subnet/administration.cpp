#include "subnet/administration.h"

#include <utility>

namespace dcc {

namespace {
// Offsets of PathRecord's fields (15.2.5.16). A GID's lower half is the GUID of the port.
constexpr std::size_t kRecord = Mad::kRecordData;
constexpr std::size_t kServiceId = kRecord, kDestinationGid = kRecord + 8,
                      kSourceGid = kRecord + 24, kDestinationLid = kRecord + 40,
                      kSourceLid = kRecord + 42, kServiceLevel = kRecord + 52,
                      kPreference = kRecord + 57;
constexpr std::size_t kComponents = 48;       // offset of the field ComponentMask in the SA header
constexpr std::uint64_t kHasServiceId = 0x3;  // both bits of ComponentMask that stand for ServiceID
constexpr std::uint64_t kHasGids = 0xC, kHasLevel = 0x8000;
}  // namespace

Mad PathQuery::encode() const {
  Mad mad(Mad::kAdministration, Mad::kGet, Mad::kPathRecord, 0);
  mad.set_transaction(flow);
  mad.put(kComponents, 8, kHasGids | kHasLevel | (rate != 0 ? kHasServiceId : 0));
  mad.put(kServiceId, 8, rate);
  mad.put(kDestinationGid + 8, 8, destination);
  mad.put(kSourceGid + 8, 8, source);
  mad.put(kServiceLevel, 2, lane & 0xF);
  mad.put(kPreference, 1, address);
  return mad;
}

PathQuery PathQuery::decode(const Mad& mad) {
  PathQuery query;
  query.flow = static_cast<std::uint32_t>(mad.transaction());
  const bool asks = (mad.get(kComponents, 8) & kHasServiceId) == kHasServiceId;
  query.rate = asks ? mad.get(kServiceId, 8) : 0;
  query.destination = mad.get(kDestinationGid + 8, 8);
  query.source = mad.get(kSourceGid + 8, 8);
  query.lane = static_cast<unsigned>(mad.get(kServiceLevel, 2) & 0xF);
  query.address = static_cast<unsigned>(mad.get(kPreference, 1));
  return query;
}

Mad Administration::answer(const Mad& asked) {
  path_.clear();
  Mad mad = asked;
  if (mad.attribute() != Mad::kPathRecord || mad.method() != Mad::kGet) {
    mad.answer(Mad::kUnsupported);
    return mad;
  }
  const PathQuery query = PathQuery::decode(asked);
  const auto from = manager_.find(query.source), to = manager_.find(query.destination);
  if (!from || !to || *from == *to || manager_.nodes()[*to].is_switch) {
    mad.answer(Mad::kNoRecords);
    return mad;
  }
  const unsigned addresses = 1u << manager_.lmc();
  std::uint64_t most = 0;
  unsigned best = query.address % addresses;
  bool any = false;
  for (unsigned i = 0; i < addresses; ++i) {
    const unsigned address = (query.address + i) % addresses;
    std::vector<SubnetManager::Hop> path = manager_.path(*from, *to, address);
    if (path.empty()) continue;
    const std::uint64_t left = reservations_.available(path, query.lane % Reservations::kLanes);
    if (any && left <= most) continue;
    any = true;
    most = left;
    best = address;
    path_ = std::move(path);
    if (left >= query.rate) break;
  }
  const bool granted = any && most >= query.rate;
  mad.answer(!any ? Mad::kNoRecords : granted ? Mad::kOk : Mad::kNoResources);
  mad.put(kServiceId, 8, most);
  mad.put(kDestinationLid, 2, std::uint64_t{manager_.nodes()[*to].lid} + best);
  mad.put(kSourceLid, 2, manager_.nodes()[*from].lid);
  mad.put(kPreference, 1, best);
  if (granted && query.rate != 0) {
    reservations_.grant(query.flow, path_, query.lane % Reservations::kLanes, query.rate);
  }
  return mad;
}

}  // namespace dcc
