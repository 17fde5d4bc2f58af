// Diagnosis of messages whose class has a greater weight, but which take longer than with equal
// weights.
#include "synthetic_run.h"

namespace dcc::vp {
namespace {

const char* const kSharesByWeight =
    "nic: {congestion_control: {algorithm: dcc, policy: proportional, hold_below: none}}\n";
const char* const kHeavyClass = "dscp: {46: {weight: 8}}\n";

/// Two flows without an end keep the link to host 0 full. `count` messages of 250 KB of DSCP 46
/// from host 3, one every 190 us, take `took` each. Sent with equal shares, a message would take
/// three times the 21.5 us of a link of its own.
SyntheticRun late(PicoSeconds took, const std::string& more = "", unsigned count = 100,
                  const std::string& weight = kHeavyClass) {
  SyntheticRun run(weight + (more.empty() ? kSharesByWeight : more));
  run.add(1, 0);
  run.add(2, 0);
  for (unsigned i = 0; i < count; ++i) {
    const PicoSeconds start = kMicroSecond * 190 * i;
    FlowResult& message = run.add_done(3, 0, start, start + took);
    message.bytes = 250'000;
    message.dscp = 46;
  }
  return run;
}
bool is_told(const SyntheticRun& run) { return run.found("heavy_messages_late").has_value(); }

constexpr PicoSeconds kLateBy = kMicroSecond * 130;

TEST(HeavyMessagesLate, ComparesTheTailWithEqualShares) {
  const auto found = late(kLateBy).found("heavy_messages_late");
  EXPECT_TRUE(
      says(found,
           "The 99th percentile of 100 messages of DSCP 46 (weight 8) to host 0 is 130us, "
           "and equal shares of the link would give 68us: from its first mark on a message holds"))
      << words_of(found);
  EXPECT_EQ(figure_of(found, "p99_us"), 130);
  EXPECT_NEAR(figure_of(found, "equal_p99_us"), 68, 1);
  EXPECT_FALSE(is_told(late(kMicroSecond * 90)));
  EXPECT_FALSE(is_told(late(kLateBy, "", 99))) << "a percentile needs 100 values";
  // Messages that wait for a longer queue are not late.
  SyntheticRun run = late(kLateBy);
  QueueResult queue;
  queue.port = "s0->h0";
  queue.p99_bytes = 400'000;
  run.results.queues.push_back(queue);
  EXPECT_FALSE(is_told(run));
}

TEST(HeavyMessagesLate, NamesTheCause) {
  SyntheticRun run = late(kLateBy);
  QueueResult queue;
  queue.port = "s0->h0";
  queue.mean_bytes = 270'000;
  queue.p99_bytes = 270'000;
  run.results.queues.push_back(queue);
  EXPECT_TRUE(says(run.found("heavy_messages_late"), "wait before the link on average"))
      << "its time is more than a third of the excess";
  const std::string overtakes =
      "nic: {congestion_control: {algorithm: dcc, policy: proportional, hold_below: 2}}\n";
  EXPECT_TRUE(says(late(kLateBy, overtakes).found("heavy_messages_late"), "without a mark"));
  const std::string holds =
      "nic: {congestion_control: {algorithm: dcc, policy: proportional, hold_below: 9}}\n";
  EXPECT_TRUE(says(late(kLateBy, holds).found("heavy_messages_late"), "a message holds"));
  // By default messages overtake from twice the least weight on, if they are posted whole.
  const auto is_held = [](const char* weight, const char* message, DriverKind driver) {
    SyntheticRun here =
        late(kLateBy,
             std::string("nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n"
                         "traffic: [{kind: flow, from: 3, to: 0, message: ") +
                 message + "}]\n",
             100, std::string("dscp: {46: {weight: ") + weight + "}}\n");
    here.loaded.config.host.driver = driver;
    return says(here.found("heavy_messages_late"), "a message holds");
  };
  EXPECT_FALSE(is_held("2", "64KiB", DriverKind::kNone));
  EXPECT_TRUE(is_held("1.9", "64KiB", DriverKind::kNone));
  EXPECT_TRUE(is_held("2", "64KiB", DriverKind::kNative));
  EXPECT_FALSE(is_held("2", "250KB", DriverKind::kNative));
  run = late(kLateBy, overtakes);
  run.count(&PfcCounters::pauses_sent, 1);
  EXPECT_TRUE(says(run.found("heavy_messages_late"), "PFC paused the senders"));
}

TEST(HeavyMessagesLate, CountsTheFlowsThatHaveDataAtTheTime) {
  // With six more flows equal shares would take longer than the messages.
  SyntheticRun run = late(kLateBy);
  for (int i = 0; i < 6; ++i) run.add(4, 0);
  EXPECT_FALSE(is_told(run));
  for (FlowResult& flow : run.results.flows) {
    if (flow.from == 4) flow.stopped = flow.start + kMicroSecond;
  }
  EXPECT_TRUE(is_told(run));
  // The sender's own link may be the one that messages share.
  run = late(kLateBy);
  for (int i = 0; i < 8; ++i) run.add(3, 4);
  EXPECT_FALSE(is_told(run));
}

TEST(HeavyMessagesLate, OnlyOfClassesThatShareByWeightInOneQueue) {
  EXPECT_FALSE(is_told(late(kLateBy, "", 100, "dscp: {46: {weight: 1}}\n")));
  EXPECT_FALSE(is_told(late(kLateBy, "", 100, "dscp: {46: {weight: 8, priority: 1}}\n")));
  EXPECT_FALSE(is_told(late(kLateBy, "", 100, "dscp: {46: {weight: 8, max_rate: 9Gbps}}\n")));
  EXPECT_FALSE(is_told(late(kLateBy, "nic: {congestion_control: {algorithm: dcc}}\n")));
  EXPECT_FALSE(is_told(late(kLateBy, "nic: {congestion_control: {algorithm: hpcc}}\n")));
  SyntheticRun run = late(kLateBy);
  for (FlowResult& flow : run.results.flows) flow.rate_cap = BitRate(9'000'000'000);
  EXPECT_FALSE(is_told(run)) << "the application limits them";
  run = late(kLateBy);
  for (FlowResult& flow : run.results.flows) {
    if (flow.bytes) flow.bytes = 50'000;
  }
  EXPECT_FALSE(is_told(run)) << "rates hardly act on messages of two round trips";
}

}  // namespace
}  // namespace dcc::vp
