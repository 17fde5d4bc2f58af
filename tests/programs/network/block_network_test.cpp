// Runs networks with DCQCN's law in the hardware block. The shipped program dcqcn_block.c gets the
// same events and must set the same rates.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "build/platform.h"
#include "build/run_loop.h"
#include "platform/small_platform.h"
#include "programs/block_values.h"
#include "programs/shipped.h"

namespace dcc::program_tests {
namespace {

struct Update {
  std::int64_t tick;
  RateBits rate;
  bool operator==(const Update& other) const { return tick == other.tick && rate == other.rate; }
};
std::ostream& operator<<(std::ostream& out, const Update& one) {
  return out << one.rate << " at " << one.tick;
}

BlockValues values_of(ControllerEngine& block) {
  BlockValues values;
  values.of = block.parameters();
  values.alpha_timer = 1;
  while (alpha_reciprocal(values.alpha_timer) != values.of.rate.alpha_recip) ++values.alpha_timer;
  const RateTables& tables = block.tables();
  for (std::uint8_t dscp = 0; dscp < kDscps; ++dscp) {
    const BlockValues::Class one{dscp, tables.increase_factor(dscp), tables.floor(dscp),
                                 tables.ceiling(dscp)};
    if (one.weight != 256 || one.least != 0 || one.most != 0xFFFFFFFF)
      values.classes.push_back(one);
  }
  return values;
}

/// Passes the events of a NIC's flows to the hardware block, and to a program for each flow. The
/// block handles an event when its pipeline is free, and the program handles it at once. To give
/// both the same tick and order, the test delays events that come shortly before a tick or another
/// event of the flow, for block and program alike.
class Both final : public Algorithm, private SlotObserver {
 public:
  explicit Both(vp::Host& host) : nic_(host.nic().device()), block_(*host.dcc()) {
    EXPECT_TRUE(host.observe_slots(*this));
    nic_.set_algorithm(this);
  }
  AlgorithmNeeds needs() const override { return block_.needs(); }
  void on_flow_start(FlowNumber flow, const FlowStart& start) override {
    flows_[flow].start = start;
    block_.on_flow_start(flow, start);
  }
  void on_flow_end(FlowNumber flow) override { block_.on_flow_end(flow); }
  void on_sent(FlowNumber flow, const SentInfo& info) override {
    flows_[flow].waiting.push_back({false, {}, info});
    hand_over(flow);
  }
  void on_cnp(FlowNumber flow, const CnpInfo& info) override {
    flows_[flow].waiting.push_back({true, info, {}});
    hand_over(flow);
  }
  void on_timer(FlowNumber flow, int) override { hand_over(flow); }
  View view(FlowNumber flow) const override { return block_.view(flow); }
  AlgorithmCounters counters() const override { return block_.counters(); }

  /// Asserts that every flow's program has set the same rates as the block in the same ticks, until
  /// `end`. Adds the number of rate changes to `updates`. Messages contain the name `where` of the
  /// test case.
  void compare(PicoSeconds end, const std::string& where, std::size_t& updates) {
    for (auto& [number, flow] : flows_) {
      if (flow.program == nullptr) continue;
      flow.nic->scheduler().run_until(end);
      std::vector<Update> answers;
      RateBits rate = 0;
      for (const Nic::Change& change : flow.nic->changes) {
        if (change.rate.raw == std::exchange(rate, change.rate.raw)) continue;
        answers.push_back({change.at / kMicroSecond, rate});
      }
      answers.erase(answers.begin());  // the initial rate at the start of the flow
      for (std::size_t i = 0; i < std::min(answers.size(), flow.updates.size()); ++i) {
        ASSERT_EQ(answers[i], flow.updates[i]) << where << ", flow " << number << ", update " << i;
      }
      ASSERT_EQ(answers.size(), flow.updates.size()) << where << ", flow " << number;
      updates += answers.size();
    }
  }
  std::uint64_t decreases() const { return block_.counters().rate_decreases; }

 private:
  struct Event {
    bool notification;
    CnpInfo cnp;
    SentInfo sent;
  };
  struct Flow {
    FlowStart start;
    std::deque<Event> waiting;
    PicoSeconds last{};
    std::unique_ptr<Nic> nic;
    std::unique_ptr<Program> program;
    std::vector<Update> updates;  // rates that the block has set
  };
  void hand_over(FlowNumber number) {
    Flow& flow = flows_[number];
    AlgorithmHost& host = nic_.transmitter();
    while (!flow.waiting.empty()) {
      const PicoSeconds earliest = std::max(host.now(), flow.last + kNanoSecond * 10);
      std::int64_t into = (earliest.count) % kMicroSecond.count;
      std::int64_t wait = (earliest - host.now()).count;
      constexpr std::int64_t kAfter = 100'000, kBefore = 10'000;
      if (into < kAfter) wait += kAfter - into;
      if (into > kMicroSecond.count - kBefore) wait += kMicroSecond.count - into + kAfter;
      if (wait > 0) {
        host.start_timer(number, 0, PicoSeconds(wait));
        return;
      }
      const Event event = flow.waiting.front();
      flow.waiting.pop_front();
      flow.last = host.now();
      hand(number, flow, event);
    }
  }
  void hand(FlowNumber number, Flow& flow, const Event& event) {
    if (event.notification && flow.program == nullptr) {
      flow.nic = std::make_unique<Nic>(nic_.transmitter().line_rate().raw >> 8);
      flow.program = shipped("dcqcn_block", *flow.nic, values_of(block_.device()).list());
      flow.program->on_flow_start(number, flow.start);
    }
    if (flow.program != nullptr) {
      flow.nic->scheduler().run_until(flow.last);
      event.notification ? flow.program->on_cnp(number, event.cnp)
                         : flow.program->on_sent(number, event.sent);
    }
    event.notification ? block_.on_cnp(number, event.cnp) : block_.on_sent(number, event.sent);
  }
  void slot_changed(SlotIndex slot, std::uint32_t number, SlotChange change) override {
    if (change == SlotChange::kBound || change == SlotChange::kReleased) return;
    Flow& flow = flows_[number];
    const RateBits line = nic_.transmitter().line_rate().raw;
    const RateBits rate = std::min(line, block_.device().model()->manager().slot(slot).rc);
    if (rate == (flow.updates.empty() ? line : flow.updates.back().rate)) return;
    flow.updates.push_back({nic_.transmitter().now() / kMicroSecond, rate});
  }

  NicDevice& nic_;
  Dcc& block_;
  std::map<FlowNumber, Flow> flows_;
};

void compare(const std::string& name, const std::string& congestion_control,
             const std::string& traffic, unsigned seed) {
  const vp::PlatformConfig config =
      vp::config_of("seed: " + std::to_string(seed) +
                    "\nduration: 4ms\n"
                    "topology: {kind: star, hosts: 9, link: {rate: 100Gbps, delay: 1us}}\n"
                    "switch: {ecn: {kmin: 50KB, kmax: 400KB, pmax: 0.2}}\n"
                    "host: {driver: none}\n"
                    "dscp: {10: {weight: 1}, 26: {weight: 4}, 34: {max_rate: 20Gbps}}\n"
                    "nic:\n  controller: {clock: 5GHz}\n"
                    "  congestion_control: {algorithm: dcc, policy: dcqcn" +
                    congestion_control +
                    "}\n"
                    "traffic:\n" +
                    traffic);
  vp::Unwatched observer;
  vp::RunResults results;
  vp::Platform platform("platform", config, {});
  vp::RunLoop loop(platform, observer);
  std::vector<std::unique_ptr<Both>> nics;
  for (const auto& host : platform.hosts) nics.push_back(std::make_unique<Both>(*host));
  loop.run(results);
  std::size_t updates = 0;
  std::uint64_t decreases = 0;
  for (std::size_t host = 0; host < nics.size(); ++host) {
    nics[host]->compare(kMicroSecond * 3999 + kNanoSecond * 900,
                        name + ", host " + std::to_string(host), updates);
    decreases += nics[host]->decreases();
  }
  std::printf("%s: %zu updates, %llu cuts\n", name.c_str(), updates,
              static_cast<unsigned long long>(decreases));
  EXPECT_GT(decreases, 8u) << name;
  EXPECT_GT(updates, 100u) << name;
}

constexpr const char* kTwo =
    "  - {kind: flow, from: 1, to: 0, dscp: 10}\n  - {kind: flow, from: 2, to: 0, dscp: 26}\n";
constexpr const char* kThirtyTwo =
    "  - {kind: incast, senders: 1..4, receiver: 0, dscp: 10, flows: 4}\n"
    "  - {kind: incast, senders: 5..7, receiver: 0, dscp: 26, flows: 4}\n"
    "  - {kind: incast, senders: 8..8, receiver: 0, dscp: 34, flows: 4}\n";

TEST(BlockNetwork, TwoFlows) { compare("two", "", kTwo, 1); }
TEST(BlockNetwork, TwoFlowsOfSigcomm) { compare("sig15", ", preset: sig15", kTwo, 2); }
TEST(BlockNetwork, ThirtyTwoFlows) { compare("many", "", kThirtyTwo, 3); }
TEST(BlockNetwork, ThirtyTwoFlowsOfAdapters) {
  compare("adapter", ", preset: adapter", kThirtyTwo, 4);
}

}  // namespace
}  // namespace dcc::program_tests
