// Tests reverse execution at the prompt: the requests for snapshots, and the actions after the
// return to a snapshot. tests/system/reverse_debug_test.py compares the states of whole runs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/run_loop.h"
#include "debug/console.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

/// A fake history that prints the request for a return and ends the process.
class Signpost final : public model::SnapshotHistory {
 public:
  explicit Signpost(std::string request) : orders_(std::move(request)) {}
  std::size_t snapshots() const override { return taken_; }
  bool is_due() const override { return false; }
  /// The first snapshot immediately returns the request, as after a return to it.
  std::optional<std::string> take_snapshot() override {
    if (taken_++ != 0 || orders_.empty()) return std::nullopt;
    return orders_;
  }
  [[noreturn]] void restore(std::size_t number, const std::string& request) override {
    std::cerr << "to " << number << ": " << request << "; ";
    std::_Exit(0);
  }
  bool replaying() const override { return false; }
  void finish_replay() override {}

 private:
  std::string orders_;
  std::size_t taken_ = 0;
};

/// Runs a session at the prompt in a separate process, whose standard error the test reads.
void session(const std::string& commands, const std::string& request = "", bool machine = true) {
  const PlatformConfig config =
      config_of(star("nic: {congestion_control: {algorithm: dcc}}\n"
                     "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"));
  std::istringstream in(commands);
  std::ostringstream out;
  Signpost signpost(request);
  Platform platform("platform", config, {});
  const StateDigests states(platform.network, nullptr, nullptr, platform.hosts);
  platform.add(std::make_unique<Console>(
      Console::Context{platform.kernel, platform.hosts, platform.network, platform.plan, states,
                       kConsoleRank, machine ? &signpost : nullptr, machine ? "" : "of the test"},
      in, std::cerr, false));
  Unwatched observer;
  RunLoop loop(platform, observer);
  RunResults results;
  loop.run(results);
  std::cerr << "ended at " << results.sim_time.count;
  std::_Exit(0);
}

std::string request(ReverseRequest::Kind kind, PicoSeconds time, std::uint64_t events,
                    const std::string& what) {
  ReverseRequest given;
  given.kind = kind;
  given.time = time;
  given.events = events;
  given.origin = 5'000;
  given.what = what;
  return given.text();
}

#define EXPECT_SAID(call, text) EXPECT_EXIT(call, testing::ExitedWithCode(0), text)

TEST(ConsoleTravel, ATimeBackIsATimeOfTheRun) {
  EXPECT_SAID(session("until 30us\nback 10us\n"), "to 0: t 20000000 ");
  EXPECT_SAID(session("until 30us\ngoto 5us\n"), "to 0: t 5000000 ");
}

TEST(ConsoleTravel, AStepBackIsANumberOfEvents) {
  EXPECT_SAID(session("step 50\nback step 8\n"), "to 0: e 0 42 0 stepped back");
  EXPECT_SAID(session("step 50\nback step\n"), "to 0: e 0 49 0 stepped back");
}

TEST(ConsoleTravel, WhatHappenedLastIsLookedForUpToNow) {
  EXPECT_SAID(session("step 50\nback until bound\n"), "to 0: s 0 50 50 bound;");
  EXPECT_SAID(session("step 50\nback until host1.nothing changes\n"), "no such value");
  EXPECT_SAID(session("step 50\nback until host1.slots_in_use changes\n"),
              "to 0: s 0 50 50 change host1.slots_in_use;");
}

TEST(ConsoleTravel, WhereNothingLeadsIsAnswered) {
  const std::string whole = "ended at 100000000";
  EXPECT_SAID(session("step 5\nback step 6\n"), "only 5 events have happened so far.*" + whole);
  EXPECT_SAID(session("until 10us\nback 11us\n"),
              "before the beginning of the run: it is 10us.*" + whole);
  EXPECT_SAID(session("back somewhere\n"), "back by what\\?.*" + whole);
  EXPECT_SAID(session("goto nowhere\n"), "go to what time\\?.*" + whole);
  EXPECT_SAID(session("until 10us\nback 1us\n", "", false),
              "going back is not possible: of the test.*" + whole);
  EXPECT_SAID(session("until 10us\ngoto 1us\n", "", false),
              "going back is not possible: of the test.*" + whole);
}

TEST(ConsoleTravel, BackAtASnapshotItGoesOnToTheTime) {
  EXPECT_SAID(session("time\nquit\n", request(ReverseRequest::Kind::kToTime, kMicroSecond, 0, "")),
              "paused at 1us\n1us\nended at 1000000");
  // On a long way to the requested time the prompt makes a snapshot halfway, so that later returns
  // are short.
  EXPECT_SAID(
      session("back 1us\n", request(ReverseRequest::Kind::kToTime, kMicroSecond * 40, 0, "")),
      "paused at 40us\nto 1: t 39000000 ");
}

TEST(ConsoleTravel, BackAtASnapshotItGoesOnToTheNumberOfEvents) {
  EXPECT_SAID(
      session("back step\n", request(ReverseRequest::Kind::kToEvents, {}, 120, "stepped back")),
      "stepped back at .*to 0: e 0 119 0 ");
  EXPECT_SAID(
      session("back step\n", request(ReverseRequest::Kind::kToEvents, {}, 5'001, "stepped back")),
      "to 1: e 0 5000 0 ");
}

TEST(ConsoleTravel, ASearchGoesToTheLastThatHappened) {
  EXPECT_SAID(session("", request(ReverseRequest::Kind::kSearch, {}, 400, "change queue[0]")),
              "to 0: e 0 3[0-9][0-9] 0 queue.0.: .* -> ");
  EXPECT_SAID(session("", request(ReverseRequest::Kind::kSearch, {}, 20, "bound")),
              "to 0: e 0 5000 0 that has not happened before");
}

}  // namespace
}  // namespace dcc::vp
