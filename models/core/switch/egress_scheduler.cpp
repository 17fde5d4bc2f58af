#include "switch/egress_scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "describe/class_ranges.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"

namespace dcc {

namespace {
// minimum quantum in bytes, so that bandwidth shares are exact over short times
constexpr Bytes kMinQuantum = 1'600;
}  // namespace

void EgressSchedulerParameters::describe(ParameterVisitor& v) {
  v.choice("kind", kind,
           {"which priority sends next: in turn, highest first, by weight, or by InfiniBand's two "
            "tables"});
  v.when(kind == Kind::kEts, "kind: ets", [&] {
    v.numbers(
        "weights", weights, {"0", kMaxWeight},
        {"weights of priorities 0 to 7; 0: strict, before the others", "IEEE 802.1Qaz", kRuntime});
  });
  v.when(kind == Kind::kEts || kind == Kind::kStrict, "kind: ets or strict", [&] {
    v.list("shapers", shapers,
           {"priorities limited by a credit-based shaper and served before weighted ones",
            "IEEE 802.1Q, 8.6.8.2"},
           [&v](Shaper& shaper) {
             v.field("priority", shaper.priority, any_priority(), {"the shaped priority"});
             v.field("idle_slope", shaper.idle_slope, {"1Mbps", "10Tbps"},
                     {"greatest rate, preamble and gap included"});
           });
  });
  v.when(kind == Kind::kVlArbitration, "kind: vl_arbitration", [&] { vl.describe(v); });
}

void EgressSchedulerParameters::check() const {
  const auto positive = [](std::uint32_t weight) { return weight > 0; };
  if (kind == Kind::kEts && std::none_of(weights.begin(), weights.end(), positive)) {
    throw ParameterError({"weights"}, "all weights are 0; write kind: strict instead");
  }
  if (kind == Kind::kVlArbitration) vl.check();
  unsigned shaped = 0;
  for (const Shaper& shaper : shapers) {
    if ((shaped >> shaper.priority & 1u) != 0) {
      throw ParameterError({"shapers"}, "priority " + std::to_string(shaper.priority) +
                                            " has two shapers; give it one");
    }
    shaped |= 1u << shaper.priority;
  }
}

EgressScheduler::EgressScheduler(const EgressSchedulerParameters& parameters)
    : kind_(parameters.kind) {
  if (kind_ == EgressSchedulerParameters::Kind::kStrict) strict_ = 0xFF;
  if (kind_ == EgressSchedulerParameters::Kind::kVlArbitration) {
    shares_ = std::make_unique<Shares>();
    shares_->arbiter.emplace(parameters.vl);
  }
  shapes_ = !parameters.shapers.empty();
  if (kind_ == EgressSchedulerParameters::Kind::kEts || shapes_) {
    shares_ = std::make_unique<Shares>();
  }
  for (const EgressSchedulerParameters::Shaper& shaper : parameters.shapers) {
    shares_->shaper.shape(static_cast<int>(shaper.priority), shaper.idle_slope);
  }
  if (kind_ == EgressSchedulerParameters::Kind::kEts) set_weights(parameters.weights);
}

void EgressScheduler::change_weights(const EgressSchedulerParameters& parameters) {
  if (parameters.kind != kind_)
    throw std::invalid_argument("scheduler: the kind cannot change during a run");
  if (kind_ == EgressSchedulerParameters::Kind::kEts) set_weights(parameters.weights);
}

void EgressScheduler::set_tables(const VlArbitrationParameters& tables) {
  if (kind_ != EgressSchedulerParameters::Kind::kVlArbitration)
    throw std::invalid_argument("scheduler: only virtual lane arbitration has tables of lanes");
  tables.check();
  shares_->arbiter.emplace(tables);
}

void EgressScheduler::set_weights(const std::array<std::uint32_t, kPriorities>& weights) {
  std::uint32_t smallest = 0;
  for (const std::uint32_t weight : weights) {
    if (weight > EgressSchedulerParameters::kMaxWeight)
      throw std::invalid_argument("ets: a weight is above the limit of 10000");
    if (weight != 0 && (smallest == 0 || weight < smallest)) smallest = weight;
  }
  if (smallest == 0) throw std::invalid_argument("ets: no priority has a weight");
  strict_ = static_cast<std::uint8_t>(shares_->shaper.shaped());
  for (std::size_t p = 0; p < kPriorities; ++p) {
    if (weights[p] == 0) strict_ = static_cast<std::uint8_t>(strict_ | 1u << p);
    shares_->quantum[p] = kMinQuantum * weights[p] / smallest;
  }
}

int EgressScheduler::pick_weighted(unsigned eligible) {
  if (shares_->arbiter) return shares_->arbiter->pick(eligible);
  // A priority keeps sending until its balance is used up. Each visit adds a quantum, so the search
  // ends after at most (largest packet / quantum + 1) rounds.
  std::array<Bytes, kPriorities>& balances = shares_->balance;
  if ((eligible >> last_ & 1) != 0 && balances[last_] > 0) return last_;
  for (;;) {
    last_ = next_after(last_, eligible);
    Bytes& balance = balances[last_];
    balance += shares_->quantum[last_];
    if (balance > 0) return last_;
  }
}

}  // namespace dcc
