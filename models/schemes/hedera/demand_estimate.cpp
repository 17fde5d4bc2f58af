#include "schemes/hedera/demand_estimate.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace dcc {

namespace {

using Indices = std::vector<std::size_t>;

class DemandEstimator {
 public:
  DemandEstimator(std::vector<FlowDemand>& flows, const std::vector<std::uint64_t>& rate_of)
      : flows_(flows), rate_of_(rate_of), settled_(flows.size()) {
    for (std::size_t i = 0; i < flows.size(); ++i) {
      flows[i].rate = 0;
      from_[flows[i].source].push_back(i);
      to_[flows[i].destination].push_back(i);
    }
  }

  /// Repeats rounds until no flow changes. Every round except the last one settles a flow, or lets
  /// a flow grow into bandwidth that another flow left.
  void run() {
    for (std::size_t round = 0; round <= 2 * flows_.size(); ++round) {
      changed_ = false;
      for (const auto& [host, flows] : from_) share_out(host, flows);
      for (const auto& [host, flows] : to_) hold_down(host, flows);
      if (!changed_) return;
    }
  }

 private:
  /// Divides the rate that a sender's settled flows leave on the sender's link equally among its
  /// other flows.
  void share_out(HostId host, const Indices& flows) {
    std::uint64_t taken = 0;
    std::uint64_t open = 0;
    for (const std::size_t i : flows) {
      if (settled_[i]) {
        taken += flows_[i].rate;
      } else {
        ++open;
      }
    }
    if (open == 0) return;
    const std::uint64_t share = (rate_of_[host] - std::min(rate_of_[host], taken)) / open;
    for (const std::size_t i : flows) {
      if (!settled_[i]) set(i, share);
    }
  }

  /// Limits the flows to a receiver to equal shares of the receiver's link. A flow that demands
  /// less than the share keeps its demand, which raises the share of the others, so the step
  /// repeats.
  void hold_down(HostId host, const Indices& flows) {
    std::uint64_t asked = 0;
    for (const std::size_t i : flows) asked += flows_[i].rate;
    if (asked <= rate_of_[host]) return;
    Indices held = flows;
    std::uint64_t left = rate_of_[host];
    std::uint64_t share = left / held.size();
    for (bool fewer = true; fewer;) {
      Indices greater;
      for (const std::size_t i : held) {
        if (flows_[i].rate < share) {
          left -= flows_[i].rate;
        } else {
          greater.push_back(i);
        }
      }
      fewer = greater.size() != held.size();
      held = std::move(greater);
      share = left / held.size();
    }
    for (const std::size_t i : held) {
      set(i, share);
      changed_ = changed_ || !settled_[i];
      settled_[i] = true;
    }
  }

  void set(std::size_t flow, std::uint64_t rate) {
    changed_ = changed_ || flows_[flow].rate != rate;
    flows_[flow].rate = rate;
  }

  std::vector<FlowDemand>& flows_;
  const std::vector<std::uint64_t>& rate_of_;
  std::vector<bool> settled_;  // true for flows whose rate the receiver limits
  std::map<HostId, Indices> from_;
  std::map<HostId, Indices> to_;
  bool changed_ = false;
};

}  // namespace

void estimate_demands(std::vector<FlowDemand>& flows, const std::vector<std::uint64_t>& rate_of) {
  DemandEstimator(flows, rate_of).run();
}

}  // namespace dcc
