// Tests the interactive prompt: commands and pauses. Inspection must change nothing.
#include "debug/console.h"

#include <gtest/gtest.h>

#include <sstream>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/run_loop.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

struct Session {
  explicit Session(const std::string& commands)
      : config(config_of(star("nic: {congestion_control: {algorithm: dcc}}\n"
                              "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"))),
        in(commands) {
    Platform platform("platform", config, {});
    const StateDigests states(platform.network, nullptr, nullptr, platform.hosts);
    platform.add(std::make_unique<Console>(
        Console::Context{platform.kernel, platform.hosts, platform.network, platform.plan, states,
                         kConsoleRank, nullptr, "the test does not go back"},
        in, out, false));
    Unwatched observer;
    RunLoop loop(platform, observer);
    loop.run(results);
  }
  bool said(const std::string& text) const { return out.str().find(text) != std::string::npos; }

  PlatformConfig config;
  std::istringstream in;
  std::ostringstream out;
  RunResults results;
};

TEST(Console, PausesAtTheBeginningAndAtTheTimesThatAreAsked) {
  const Session s("time\nrun 10us\nuntil 30us\ntime\n");
  EXPECT_TRUE(s.said("paused at 0")) << s.out.str();
  EXPECT_TRUE(s.said("paused at 10us"));
  EXPECT_TRUE(s.said("paused at 30us"));
  EXPECT_TRUE(s.results.completed) << "the end of the input resumes the run";
  EXPECT_EQ(s.results.sim_time, kMicroSecond * 100);
}

TEST(Console, WaitsForAControllersEvent) {
  const Session s("until bound\nread host1.slots_in_use\nquit\n");
  EXPECT_TRUE(s.said("bound")) << s.out.str();
  EXPECT_FALSE(s.results.completed);
  EXPECT_LT(s.results.sim_time, kMicroSecond * 100);
  EXPECT_EQ(sum_over_hosts(s.results.hosts).slots_in_use_max, 1u);
}

TEST(Console, AnswersWhatItDoesNotUnderstand) {
  const Session s(
      "frobnicate\nrun backwards\nrun 0ns\nuntil 0us\nstep nought\nuntil change\nuntil whenever\n"
      "read host1.nothing\nread\nslots 9\na b c d\n# a comment\n\n");
  EXPECT_TRUE(s.said("unknown command 'frobnicate'"));
  EXPECT_TRUE(s.said("0ns is no time at all"));
  EXPECT_TRUE(s.said("0us is not ahead: it is 0"));
  EXPECT_TRUE(s.said("'nought' is not a number of events"));
  EXPECT_TRUE(s.said("until change of what?"));
  EXPECT_TRUE(s.said("neither a time nor bound"));
  EXPECT_TRUE(s.said("no such value"));
  EXPECT_TRUE(s.said("read what?"));
  EXPECT_TRUE(s.said("'9' is not a host: there are 0 to 3"));
  EXPECT_TRUE(s.said("too many words"));
  EXPECT_FALSE(s.said("comment"));
  EXPECT_EQ(s.results.sim_time, kMicroSecond * 100);
}

TEST(Console, StepsCountEvents) {
  const Session s("step 5\nstep\n");
  EXPECT_TRUE(s.results.completed);
  std::size_t pauses = 0;
  for (std::size_t at = 0; (at = s.out.str().find(" at ", at)) != std::string::npos; ++at) ++pauses;
  EXPECT_EQ(pauses, 3u) << s.out.str();
}

}  // namespace
}  // namespace dcc::vp
