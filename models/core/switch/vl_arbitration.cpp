#include "switch/vl_arbitration.h"

#include <algorithm>

#include "describe/parameter_error.h"
#include "describe/visitor.h"

namespace dcc {

namespace {
constexpr Bytes kWeightUnit = 64;
constexpr Bytes kLimitUnit = 4096;
constexpr const char* kSource = "InfiniBand 1.3, 7.6.9";
}  // namespace

void VlArbitrationParameters::describe(ParameterVisitor& v) {
  const auto table = [&v](const char* key, std::vector<Entry>& entries, const char* meaning) {
    v.list(key, entries, {meaning, kSource}, [&v](Entry& entry) {
      v.field("lane", entry.lane, {"0", "7"}, {"virtual lane: a priority", kSource});
      v.field("weight", entry.weight, {"0", "255"},
              {"bytes before the next entry, in units of 64; 0: the entry is skipped", kSource});
    });
  };
  table("high", high, "entries served first");
  table("low", low,
        "entries served when no lane of `high` has a packet, or when the limit is used up");
  v.field("limit", limit, {"0", "255"},
          {"bytes from `high` before a packet from `low`, in units of 4096; 0: one packet; 255: no "
           "limit",
           kSource});
}

void VlArbitrationParameters::check() const {
  const auto weighs = [](const Entry& entry) { return entry.weight != 0; };
  if (std::none_of(high.begin(), high.end(), weighs) &&
      std::none_of(low.begin(), low.end(), weighs)) {
    throw ParameterError({"high", "low"},
                         "no entry of either table has a weight above 0; give at least one");
  }
  if (high.size() > kMaxEntries || low.size() > kMaxEntries) {
    throw ParameterError({high.size() > kMaxEntries ? "high" : "low"},
                         "a table has at most 64 entries");
  }
}

VlArbiter::Table VlArbiter::table_of(const std::vector<VlArbitrationParameters::Entry>& entries) {
  Table table;
  for (const VlArbitrationParameters::Entry& entry : entries) {
    if (entry.weight == 0) continue;
    table.entries.push_back({static_cast<int>(entry.lane), kWeightUnit * entry.weight});
    table.lanes |= 1u << entry.lane;
  }
  if (!table.entries.empty()) table.left = table.entries.front().bytes;
  return table;
}

VlArbiter::VlArbiter(const VlArbitrationParameters& parameters)
    : high_(table_of(parameters.high)),
      low_(table_of(parameters.low)),
      unlimited_(parameters.limit == VlArbitrationParameters::kUnlimited),
      limit_(std::max<Bytes>(1, kLimitUnit * parameters.limit)),
      high_left_(limit_) {}

int VlArbiter::Table::pick(unsigned eligible) {
  while (left <= 0 || (eligible >> entries[at].lane & 1u) == 0) {
    at = at + 1 == entries.size() ? 0 : at + 1;
    left = entries[at].bytes;
  }
  return entries[at].lane;
}

int VlArbiter::pick(unsigned eligible) {
  const bool high = (eligible & high_.lanes) != 0;
  const bool low = (eligible & low_.lanes) != 0;
  if (high && (!low || unlimited_ || high_left_ > 0)) {
    last_ = &high_;
  } else if (low) {
    last_ = &low_;
    high_left_ = limit_;
  } else {
    last_ = nullptr;
    return __builtin_ctz(eligible);
  }
  return last_->pick(eligible);
}

void VlArbiter::charge(Bytes bytes) {
  if (last_ == nullptr) return;
  last_->left -= bytes;
  if (last_ == &high_) high_left_ -= bytes;
}

}  // namespace dcc
