// A transport's state digest must contain state that no packet shows: received reports, windows,
// deadlines.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sim/state_digest.h"
#include "unit/describe/text_reader.h"
#include "unit/schemes/transport_network.h"

namespace dcc::transport_state_digest_test {
namespace {

using test::TransportStar;

constexpr HostId kHosts = 3;
constexpr PicoSeconds kStep = kNanoSecond * 200;
constexpr PicoSeconds kEnd = kMicroSecond * 500;

/// A star in which hosts 1 and 2 send to host 0.
std::unique_ptr<TransportStar> star_with(const TransportChoice& choice) {
  SwitchParameters switches;
  if (choice.chosen()->strict_ports()) {
    switches.scheduler.kind = EgressSchedulerParameters::Kind::kStrict;
  }
  auto star = std::make_unique<TransportStar>(kHosts, choice, switches,
                                              LinkParameters{10_Gbps, kMicroSecond, 20}, 1000);
  star->send(1, 0, 200'000);
  star->send(2, 0, 200'000);
  return star;
}

template <class Parts>
std::uint64_t digest_of_all(const Parts& parts) {
  StateDigest d;
  for (const auto& part : parts) d(*part);
  return d.value();
}
std::uint64_t wires_of(const TransportStar& star) {
  StateDigest d;
  d(digest_of_all(star.up), digest_of_all(star.down));
  return d.value();
}

class DigestOf : public testing::TestWithParam<std::string> {};

/// Two runs are equal except for one reply that the first sender does not get. Their digests must
/// differ.
TEST_P(DigestOf, ATransportShowsWhatItHasHeard) {
  TransportChoice choice;
  choice.choose(GetParam());
  const auto one = star_with(choice);
  const auto other = star_with(choice);
  std::vector<std::uint64_t> distinct;
  bool lost = false;
  other->down[1]->set_loss_hook([&](const Packet&) { return !std::exchange(lost, true); });
  bool same = true;
  PicoSeconds now{};
  for (; same && now < kEnd; now += kStep) {
    one->scheduler.run_until(now);
    other->scheduler.run_until(now);
    const std::uint64_t digest = digest_of_all(one->transports);
    same = digest == digest_of_all(other->transports);
    if (!lost) {
      ASSERT_TRUE(same) << "equal runs, at " << now.count;
    }
    if (distinct.empty() || distinct.back() != digest) distinct.push_back(digest);
  }
  EXPECT_TRUE(lost);
  EXPECT_FALSE(same);
  EXPECT_GT(distinct.size(), 1u) << "it goes on all the time";
}

std::vector<std::string> of_their_own() {
  std::vector<std::string> list;
  for (const auto& entry : Transports::all()) {
    if (!entry.defaults()->on_roce()) list.push_back(entry.name);
  }
  return list;
}
INSTANTIATE_TEST_SUITE_P(Registered, DigestOf, testing::ValuesIn(of_their_own()),
                         [](const auto& one) { return one.param; });

/// A parameter that affects only later events must change the digest while all packets are still
/// equal.
struct Hidden {
  const char* transport;
  const char* parameter;
  const char* one;
  const char* other;
  friend std::ostream& operator<<(std::ostream& out, const Hidden& hidden) {
    return out << hidden.transport << ' ' << hidden.parameter;
  }
};

class HiddenState : public testing::TestWithParam<Hidden> {};

TEST_P(HiddenState, ShowsBeforeAnyPacketIsAnother) {
  const Hidden& p = GetParam();
  const auto with = [&](const char* value) {
    TransportChoice choice;
    choice.choose(p.transport);
    test::TextReader reader(std::map<std::string, std::string>{{p.parameter, value}});
    choice.of<TransportParameters>(p.transport).describe(reader);
    EXPECT_EQ(reader.rows.count(p.parameter), 1u);
    return star_with(choice);
  };
  const auto one = with(p.one);
  const auto other = with(p.other);
  bool same = true;
  PicoSeconds now{};
  for (; same && now < kEnd; now += kStep) {
    one->scheduler.run_until(now);
    other->scheduler.run_until(now);
    ASSERT_EQ(wires_of(*one), wires_of(*other)) << "at " << now.count;
    same = digest_of_all(one->transports) == digest_of_all(other->transports);
  }
  EXPECT_FALSE(same);
}

INSTANTIATE_TEST_SUITE_P(
    All, HiddenState,
    testing::Values(
        Hidden{"braid", "timeout", "1ms", "2ms"}, Hidden{"tcp", "min_timeout", "1ms", "2ms"},
        Hidden{"d3", "timeout", "1ms", "2ms"}, Hidden{"expresspass", "timeout", "1ms", "2ms"},
        Hidden{"homa", "timeout", "1ms", "2ms"}, Hidden{"fastpass", "timeout", "1ms", "2ms"},
        Hidden{"fcp", "timeout", "1ms", "2ms"}, Hidden{"homa", "sender_timeout", "10ms", "20ms"},
        Hidden{"ndp", "initial_window", "300", "301"}, Hidden{"pfabric", "timeout", "45us", "50us"},
        Hidden{"pdq", "timeout", "1ms", "2ms"}, Hidden{"phost", "timeout", "1ms", "2ms"},
        Hidden{"phost", "resend_after", "900", "1000"}, Hidden{"tdma", "timeout", "1ms", "2ms"},
        Hidden{"uec", "timeout", "1ms", "2ms"}, Hidden{"rcp", "timeout", "1ms", "2ms"},
        Hidden{"xcp", "timeout", "1ms", "2ms"}, Hidden{"uec", "nscc.mean_weight", "1/80", "1/40"}),
    [](const auto& one) {
      std::string name = std::string(one.param.transport) + "_" + one.param.parameter;
      for (char& c : name) c = c == '.' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace dcc::transport_state_digest_test
