#include "diagnose/weights/equal_shares.h"

#include <algorithm>
#include <cstdint>

namespace dcc::vp {

void EqualShares::finish() {
  std::sort(changes_.begin(), changes_.end());
  int flows = 0;
  double served = 0;
  PicoSeconds before{};
  for (const auto& [at, change] : changes_) {
    if (flows > 0) served += static_cast<double>((at - before).count) / flows;
    flows += change;
    before = at;
    if (!steps_.empty() && steps_.back().at == at) {
      steps_.back().flows = flows;
    } else {
      steps_.push_back({at, served, flows});
    }
  }
  changes_.clear();
}

PicoSeconds EqualShares::time_of(PicoSeconds begin, PicoSeconds alone) const {
  const auto first =
      std::upper_bound(steps_.begin(), steps_.end(), begin,
                       [](PicoSeconds time, const Step& step) { return time < step.at; }) -
      1;
  const double wanted = first->served +
                        static_cast<double>((begin - first->at).count) / first->flows +
                        static_cast<double>(alone.count);
  const auto last =
      std::lower_bound(first + 1, steps_.end(), wanted,
                       [](const Step& step, double served) { return step.served < served; }) -
      1;
  const double rest = (wanted - last->served) * std::max(1, last->flows);
  return last->at - begin + PicoSeconds(static_cast<std::int64_t>(rest));
}

}  // namespace dcc::vp
