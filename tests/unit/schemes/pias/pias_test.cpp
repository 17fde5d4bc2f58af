// Tests PIAS: the priority of each byte of a message, for first transmissions and retransmissions.
#include "schemes/pias/pias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "describe/parameter_error.h"
#include "nic/nic_device.h"

namespace dcc {
namespace {

/// Two NICs on a cable, by default with thresholds after two and five packets.
class Pias : public testing::Test {
 protected:
  void build(const std::vector<unsigned>& thresholds = {2000, 5000}) {
    PiasParameters pias;
    pias.thresholds = thresholds;
    for (HostId h = 0; h < 2; ++h) {
      NicParameters parameters;
      parameters.host = h;
      pias.ask_nic(parameters);
      nic_.push_back(std::make_unique<NicDevice>(scheduler_, pool_, ledger_, parameters, 10 + h));
      wire_.push_back(std::make_unique<Link>(scheduler_, pool_, LinkParameters{}, h));
    }
    for (HostId h = 0; h < 2; ++h) {
      wire_[h]->connect(*nic_[1 - h], 0);
      nic_[h]->connect(*wire_[h]);
      for (Qpn qpn = 0; qpn < 2; ++qpn) {
        QueuePairConfig config;
        config.remote_host = 1 - h;
        config.remote_qpn = config.flow = qpn;
        config.priority = 3;
        nic_[h]->create_queue_pair(qpn, config);
      }
      wire_[h]->set_tap([this](const Packet& packet, PicoSeconds) {
        seen_.emplace_back(packet.kind, packet.priority);
        if (packet.kind == PacketKind::kData) turns_.push_back(packet.source_qpn);
      });
    }
    for (const auto& nic : nic_) {
      for (Qpn qpn = 0; qpn < 2; ++qpn) nic->connect_queue_pair(qpn);
    }
  }
  void post(Bytes bytes, Qpn qpn = 0) {
    WorkItem item;
    item.bytes = bytes;
    nic_[0]->transmitter().post(qpn, item);
  }
  std::vector<int> priorities(PacketKind kind) const {
    std::vector<int> list;
    for (const auto& [of, priority] : seen_) {
      if (of == kind) list.push_back(priority);
    }
    return list;
  }
  template <class Condition>
  void run_until(Condition holds) {
    const PicoSeconds latest = scheduler_.now() + kMilliSecond;
    while (!holds()) {
      ASSERT_LT(scheduler_.now(), latest);
      scheduler_.run_until(scheduler_.now() + kNanoSecond);
    }
  }
  Scheduler scheduler_;
  PacketPool pool_;
  FlowLedger ledger_{2};
  std::vector<std::unique_ptr<NicDevice>> nic_;
  std::vector<std::unique_ptr<Link>> wire_;
  std::vector<std::pair<PacketKind, int>> seen_;
  std::vector<Qpn> turns_;  // queue pairs in the order of their data
};

TEST_F(Pias, AMessageSinksAsItIsSent) {
  build();
  post(7000);
  scheduler_.run_until(kMicroSecond * 100);
  EXPECT_EQ(priorities(PacketKind::kData), (std::vector<int>{7, 7, 6, 6, 6, 5, 5}));
  EXPECT_EQ(priorities(PacketKind::kAck), std::vector<int>(7, 7)) << "ACKs stay on top";
}

TEST_F(Pias, TheNextMessageBeginsOnTop) {
  build();
  post(3000);
  post(1500);
  scheduler_.run_until(kMicroSecond * 100);
  EXPECT_EQ(priorities(PacketKind::kData), (std::vector<int>{7, 7, 6, 7, 7}));
}

TEST_F(Pias, WhatIsSentAgainHasThePriorityItHad) {
  build();
  int nth = 0;
  wire_[0]->set_loss_hook([&](const Packet&) { return ++nth == 3; });
  post(6000);
  scheduler_.run_until(kMilliSecond * 2);
  const std::vector<int> all = priorities(PacketKind::kData);
  const std::vector<int> first{7, 7, 6, 6, 6, 5};
  ASSERT_GT(all.size(), first.size());
  EXPECT_EQ(std::vector<int>(all.begin(), all.begin() + 6), first);
  EXPECT_EQ(all[6], 6) << "go-back-N: from the third packet on";
  EXPECT_EQ(ledger_[0].acked_bytes, 6000);
}

// The sender serves its messages like a switch port. A message of six packets overtakes the rest of
// a longer one until both have the lowest priority, and then they alternate.
TEST_F(Pias, TheSenderServesTheHighestPriorityFirst) {
  build();
  post(12'000);
  run_until([&] { return turns_.size() >= 6; });
  post(7000, 1);
  scheduler_.run_until(kMicroSecond * 100);
  EXPECT_EQ(turns_, (std::vector<Qpn>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(ledger_[0].acked_bytes + ledger_[1].acked_bytes, 19'000);
}

// The first packet of a long message is lost, and a second message begins when the first one has
// lost its priority. The second message is sent alone until the first one must start again and has
// the highest priority again.
TEST_F(Pias, WhatIsSentAgainWaitsByThePriorityItHas) {
  build({20'000, 200'000});
  int nth = 0;
  wire_[0]->set_loss_hook([&](const Packet&) { return ++nth == 1; });
  post(100'000);
  run_until([&] { return turns_.size() >= 22; });
  post(100'000, 1);
  run_until([&] { return ledger_[0].retransmits > 0; });
  const std::size_t before = turns_.size();
  const auto alone = std::count(turns_.begin() + 22, turns_.end(), Qpn{1});
  ASSERT_GT(alone, 0);
  ASSERT_LT(alone, 15) << "that has not sunk yet";
  scheduler_.run_until(scheduler_.now() + kMicroSecond);
  ASSERT_GT(turns_.size(), before + 8);
  const std::vector<Qpn> turns(turns_.begin() + static_cast<long>(before),
                               turns_.begin() + static_cast<long>(before) + 8);
  EXPECT_EQ(std::count(turns.begin(), turns.end(), Qpn{0}), 4) << "they take turns";
  scheduler_.run_until(kMilliSecond);
  EXPECT_EQ(ledger_[0].acked_bytes + ledger_[1].acked_bytes, 200'000);
}

// Changed thresholds raise a message to the highest priority again, with the same effect.
TEST_F(Pias, AMessageWaitsByNewThresholdsAtOnce) {
  build();
  post(20'000);
  run_until([&] { return turns_.size() >= 6; });
  nic_[0]->transmitter().set_demotion({3000, 5000});
  post(3000, 1);
  run_until([&] { return turns_.size() >= 7; });
  nic_[0]->transmitter().set_demotion({30'000, 50'000});
  run_until([&] { return turns_.size() >= 11; });
  EXPECT_EQ(turns_, (std::vector<Qpn>{0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1}));
  scheduler_.run_until(kMilliSecond);
  EXPECT_EQ(ledger_[0].acked_bytes + ledger_[1].acked_bytes, 23'000);
}

TEST(PiasParameters, ThresholdsAscend) {
  PiasParameters p;
  EXPECT_NO_THROW(p.check());
  p.thresholds = {2, 1};
  EXPECT_THROW(p.check(), ParameterError);
}

}  // namespace
}  // namespace dcc
