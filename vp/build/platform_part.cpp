#include "build/platform_part.h"

#include <algorithm>
#include <utility>

namespace dcc::vp {
namespace {

std::vector<PartKind>& kinds() {
  static std::vector<PartKind> list;
  return list;
}

}  // namespace

PartKind::PartKind(int order, Make maker) : order_(order), make_(std::move(maker)) {
  const auto place =
      std::upper_bound(kinds().begin(), kinds().end(), *this,
                       [](const PartKind& a, const PartKind& b) { return a.order_ < b.order_; });
  kinds().insert(place, *this);
}

const std::vector<PartKind>& PartKind::all() { return kinds(); }

}  // namespace dcc::vp
