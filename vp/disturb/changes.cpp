#include "disturb/changes.h"

#include <utility>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/translate.h"

namespace dcc::vp {

Changes::Changes(const PlatformConfig& config, Scheduler& scheduler, Network& network,
                 std::vector<std::unique_ptr<Host>>& hosts, std::uint32_t rank)
    : present_(&config),
      scheduler_(scheduler),
      network_(network),
      hosts_(hosts),
      due_(Event::calling<&Changes::due>(*this, rank)) {
  for (const ChangeConfig& change : config.changes) {
    planned_.push_back({change.at, [to = change.config] { return to; }});
  }
}

void Changes::begin() {
  if (!planned_.empty()) scheduler_.schedule_at(due_, planned_.front().at);
}

void Changes::due() {
  for (; next_ < planned_.size() && planned_[next_].at == scheduler_.now(); ++next_) {
    std::shared_ptr<const PlatformConfig> to = planned_[next_].config();
    make(*to);
    made_ = std::move(to);
    present_ = made_.get();
  }
  if (next_ < planned_.size()) scheduler_.schedule_at(due_, planned_[next_].at);
}

void Changes::make(const PlatformConfig& to) {
  const SwitchParameters parameters = switch_parameters(to);
  for (const auto& module : network_.switches()) {
    if (module != nullptr) module->device().change(parameters);
  }
  for (auto& host : hosts_) host->reconfigure(*present_, to);
}

namespace {
const PartKind kChangesKind(PartKind::kChanges, [](Platform& p) {
  auto changes = std::make_unique<Changes>(p.config, p.scheduler, p.network, p.hosts, kChangeRank);
  if (p.setup.late_change) changes->ask_at(p.setup.late_change->at, p.setup.late_change->ask);
  return changes;
});
}  // namespace

}  // namespace dcc::vp
