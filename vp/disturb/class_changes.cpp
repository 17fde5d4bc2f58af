#include "disturb/class_changes.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "build/platform.h"
#include "build/ranks.h"

namespace dcc::vp {

ClassChanges::Entry::Entry(ClassChanges& changes, std::size_t place)
    : owner(changes), index(place), due(Event::calling<&Entry::change>(*this, kClassRank)) {}

ClassChanges::ClassChanges(Platform& platform) : platform_(platform) {
  for (std::size_t i = 0; i < platform.config.traffic.size(); ++i) {
    if (platform.config.traffic[i].new_dscp) entries_.emplace_back(*this, i);
  }
}

void ClassChanges::begin() {
  for (Entry& entry : entries_) {
    platform_.scheduler.schedule_at(entry.due, platform_.config.traffic[entry.index].new_dscp_at);
  }
}

void ClassChanges::change(std::size_t index) {
  const auto dscp = static_cast<std::uint8_t>(*platform_.config.traffic[index].new_dscp);
  for (const PlannedFlow& flow : platform_.plan.flows()) {
    if (flow.spec.entry != index || !platform_.is_here(flow.spec.from)) continue;
    Host& host = *platform_.hosts[flow.spec.from];
    if (!host.is_direct() || FlowLedger::finished(platform_.ledger[flow.spec.id])) continue;
    if (host.nic().device().change_class(flow.from_qpn, dscp)) continue;
    throw std::runtime_error("traffic." + std::to_string(index) + ".new_dscp: the NIC of host " +
                             std::to_string(flow.spec.from) + " cannot change the class of flow " +
                             std::to_string(flow.spec.id) + ", which runs");
  }
}

namespace {
const PartKind kClassChangesKind(PartKind::kClassChanges, [](Platform& p) {
  const bool any = std::any_of(p.config.traffic.begin(), p.config.traffic.end(),
                               [](const TrafficSpec& t) { return t.new_dscp.has_value(); });
  return any ? std::make_unique<ClassChanges>(p) : nullptr;
});
}  // namespace

}  // namespace dcc::vp
