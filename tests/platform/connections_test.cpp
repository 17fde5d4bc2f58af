// Tests when the queue pairs of software are connected and disconnected, and the run's notes about
// them.
#include "traffic/connections.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dcc::vp::connections_test {
namespace {

using Ends = std::vector<std::pair<HostId, Qpn>>;

class ConnectionsTest : public ::testing::Test {
 protected:
  ConnectionsTest() {
    connections.on_connected([this](HostId host, Qpn qpn) { joined.emplace_back(host, qpn); });
    connections.on_broken([this](HostId host, Qpn qpn) { broken.emplace_back(host, qpn); });
  }
  void create(HostId host, Qpn qpn, HostId remote_host, Qpn remote_qpn,
              Service service = Service::kRc) {
    QueuePairConfig config;
    config.remote_host = remote_host;
    config.remote_qpn = remote_qpn;
    config.service = service;
    connections.created(host, qpn, config, false, false);
  }
  std::string note() const {
    const std::vector<std::string> notes = connections.notes(4);
    return notes.empty() ? "" : notes.front();
  }
  bool note_has(const std::string& text) const { return note().find(text) != std::string::npos; }

  Connections connections;
  Ends joined, broken;
};

TEST_F(ConnectionsTest, TwoEndsThatNameEachOtherAreJoined) {
  create(0, 7, 1, 9);
  EXPECT_TRUE(joined.empty());
  EXPECT_TRUE(note_has("host 0: queue pair 7 names queue pair 9 of host 1"));
  EXPECT_TRUE(note_has("host 1 has no queue pair 9")) << note();
  create(1, 9, 0, 7);
  EXPECT_EQ(joined, (Ends{{0, 7}, {1, 9}}));
  EXPECT_EQ(note(), "");
  create(2, 5, 2, 5);
  EXPECT_EQ(joined.size(), 3u) << "a queue pair may name itself";
}

TEST_F(ConnectionsTest, EndsThatDisagreeAreNotJoinedAndTheNoteSaysWhy) {
  create(0, 7, 1, 9);
  create(1, 9, 2, 3);
  EXPECT_TRUE(note_has("that one is for queue pair 3 of host 2")) << note();
  create(1, 9, 0, 7, Service::kUc);
  EXPECT_TRUE(note_has("of another service")) << note();
  create(0, 7, 4, 9);
  EXPECT_TRUE(note_has("hosts 0 to 3 only")) << note();
  create(0, 8, 4, 9);
  EXPECT_TRUE(note_has("for 1 more queue pairs")) << note();
  connections.given_up(0, 7);
  EXPECT_TRUE(note_has("its work has completed with RETRY_EXCEEDED")) << note();
}

// When one end of a connection is created anew, the other end must be created anew too, since
// packet numbers begin at 0 at both ends.
TEST_F(ConnectionsTest, AnEndThatIsMadeAnewNeedsAFreshOtherEnd) {
  create(0, 7, 1, 9);
  create(1, 9, 0, 7);
  joined.clear();
  create(1, 9, 0, 7);
  EXPECT_EQ(broken, (Ends{{0, 7}}));
  EXPECT_TRUE(joined.empty());
  EXPECT_TRUE(note_has("only one of the two ends was created anew")) << note();
  create(1, 9, 0, 7);
  EXPECT_EQ(broken.size(), 1u);
  create(0, 7, 1, 9);
  EXPECT_EQ(joined, (Ends{{1, 9}, {0, 7}}));
  connections.destroyed(0, 7);
  create(0, 7, 1, 9);
  EXPECT_EQ(broken, (Ends{{0, 7}, {1, 9}}));
}

TEST_F(ConnectionsTest, OnlyReliableQueuePairsNeedAnotherEnd) {
  create(0, 7, 1, 9, Service::kUd);
  EXPECT_TRUE(joined.empty()) << "a datagram's sends at once by itself";
  create(0, 8, 1, 9, Service::kUc);
  EXPECT_EQ(joined, (Ends{{0, 8}}));
  EXPECT_EQ(note(), "");
}

}  // namespace
}  // namespace dcc::vp::connections_test
