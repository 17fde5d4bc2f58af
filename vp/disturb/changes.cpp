#include "disturb/changes.h"

#include <utility>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/translate.h"

namespace dcc::vp {

Changes::Changes(Platform& platform)
    : present_(&platform.config),
      p_(platform),
      due_(Event::calling<&Changes::due>(*this, kChangeRank)) {
  for (const ChangeConfig& change : platform.config.changes) {
    planned_.push_back({change.at, [to = change.config] { return to; }});
  }
  // A change that is asked for late comes after all other changes.
  if (const auto& late = platform.setup.late_change) planned_.push_back({late->at, late->ask});
}

void Changes::begin() {
  if (!planned_.empty()) p_.scheduler.schedule_at(due_, planned_.front().at);
}

void Changes::due() {
  for (; next_ < planned_.size() && planned_[next_].at == p_.scheduler.now(); ++next_) {
    std::shared_ptr<const PlatformConfig> to = planned_[next_].config();
    make(*to);
    made_ = std::move(to);
    present_ = made_.get();
  }
  if (next_ < planned_.size()) p_.scheduler.schedule_at(due_, planned_[next_].at);
}

void Changes::make(const PlatformConfig& to) {
  const SwitchParameters parameters = switch_parameters(to);
  for (const auto& module : p_.network.switches()) {
    if (module != nullptr) module->device().change(parameters);
  }
  for (auto& host : p_.hosts) host->reconfigure(*present_, to);
}

namespace {
const PartKind kChangesKind(PartKind::kChanges,
                            [](Platform& p) { return std::make_unique<Changes>(p); });
}  // namespace

}  // namespace dcc::vp
