// Tests the records of flows, which are open while the flow lives and closed afterwards. Both kinds
// are reported.
#include "stats/flow_ledger.h"

#include <gtest/gtest.h>

namespace dcc {
namespace {

FlowRecord& start(FlowLedger& ledger, std::size_t flow, Bytes bytes, std::uint8_t dscp) {
  FlowRecord& record = ledger.open(flow);
  record.posted = kMicroSecond;
  record.target_bytes = bytes;
  record.dscp = dscp;
  return record;
}

void arrive(FlowRecord& record, Bytes bytes, PicoSeconds at) {
  record.received_bytes += bytes;
  record.acked_bytes += bytes;
  record.last_received = at;
  record.last_ack = at + kMicroSecond;
}

TEST(FlowLedger, AClosedRecordIsToldOfAsIfItWereOpen) {
  FlowLedger ledger(3, false);
  EXPECT_EQ(ledger.size(), 3u);
  FlowRecord& record = start(ledger, 1, 5000, 10);
  arrive(record, 5000, kMicroSecond * 7);
  record.retransmits = 4;
  ledger.close(1);
  const FlowRecord told = ledger.record(1, kMicroSecond, 5000);
  EXPECT_EQ(told.posted, kMicroSecond);
  EXPECT_EQ(told.last_received, kMicroSecond * 7);
  EXPECT_EQ(told.last_ack, kMicroSecond * 8);
  EXPECT_EQ(told.received_bytes, 5000);
  EXPECT_EQ(told.retransmits, 4u);
  EXPECT_TRUE(FlowLedger::finished(told));
  const FlowRecord never = ledger.record(2, kMicroSecond, 5000);
  EXPECT_EQ(never.posted, PicoSeconds::max()) << "it has not started";
  EXPECT_FALSE(FlowLedger::finished(never));
}

TEST(FlowLedger, ATakenRecordIsTheClosedOneAndLeavesSumsOnly) {
  FlowLedger closing(1, false), taking(1, false);
  FlowRecord taken;
  for (FlowLedger* const ledger : {&closing, &taking}) {
    FlowRecord& record = start(*ledger, 0, 120, 10);
    arrive(record, 100, kMicroSecond * 2);
    ledger->begin_window();
    arrive(record, 20, kMicroSecond * 7);
    record.retransmits = 4;
    if (ledger == &closing) {
      ledger->close(0);
    } else {
      taken = ledger->take(0);
    }
    ledger->end_window();
    EXPECT_EQ(ledger->total().retransmits, 4u);
    EXPECT_EQ(ledger->received_by_class()[10], 120);
  }
  const FlowRecord closed = closing.record(0, kMicroSecond, 120);
  EXPECT_EQ(closed.received_measured, 20);
  EXPECT_EQ(taken.received_measured, 20);
  EXPECT_EQ(taken.posted, closed.posted);
  EXPECT_EQ(taken.last_ack, closed.last_ack);
  EXPECT_EQ(taken.received_bytes, closed.received_bytes);
  EXPECT_EQ(taking.record(0, kMicroSecond, 120).posted, PicoSeconds::max()) << "it is forgotten";
}

TEST(FlowLedger, CountersAreOfAllFlowsThatEverWere) {
  FlowLedger ledger(2, false);
  start(ledger, 0, 1000, 0).retransmits = 3;
  start(ledger, 1, 1000, 0).retransmits = 5;
  EXPECT_EQ(ledger.total().retransmits, 8u);
  ledger.close(0);
  EXPECT_EQ(ledger.total().retransmits, 8u);
}

TEST(FlowLedger, TheWindowIsTheSameWheneverARecordIsClosed) {
  // Each flow gets 100 bytes before the window, 20 in it and 3 after it. One flow is closed at each
  // of these times.
  for (int close_at = 0; close_at < 4; ++close_at) {
    FlowLedger ledger(1, false);
    FlowRecord* record = &start(ledger, 0, 0, 0);
    Bytes within = 0;
    const auto moment = [&](int now, Bytes bytes, bool counts) {
      if (record == nullptr) return;
      arrive(*record, bytes, kMicroSecond * now);
      if (counts) within += bytes;
      if (close_at != now) return;
      ledger.close(0);
      record = nullptr;
    };
    moment(0, 100, false);
    ledger.begin_window();
    moment(1, 20, true);
    ledger.end_window();
    moment(2, 3, false);
    EXPECT_EQ(ledger.record(0, kMicroSecond, 0).received_measured, within) << close_at;
  }
}

TEST(FlowLedger, ARecordThatIsOpenedInTheWindowCountsFromThen) {
  FlowLedger ledger(2, false);
  ledger.begin_window();
  arrive(start(ledger, 0, 0, 0), 50, kMicroSecond);
  ledger.end_window();
  arrive(start(ledger, 1, 0, 0), 60, kMicroSecond);
  EXPECT_EQ(ledger.record(0, kMicroSecond, 0).received_measured, 50);
  EXPECT_EQ(ledger.record(1, kMicroSecond, 0).received_measured, 0) << "after it";
}

TEST(FlowLedger, EachSampleHasWhatCameSinceTheLastClosedOrNot) {
  FlowLedger ledger(3, false);
  arrive(start(ledger, 0, 0, 5), 100, kMicroSecond);
  arrive(start(ledger, 1, 0, 6), 200, kMicroSecond);
  std::array<Bytes, 64> received = ledger.received_by_class();
  EXPECT_EQ(received[5], 100);
  EXPECT_EQ(received[6], 200);
  arrive(ledger[0], 10, kMicroSecond);
  arrive(start(ledger, 2, 0, 5), 1, kMicroSecond);
  ledger.close(0);
  received = ledger.received_by_class();
  EXPECT_EQ(received[5], 11);
  EXPECT_EQ(received[6], 0);
  EXPECT_EQ(ledger.received_by_class()[5], 0);
}

}  // namespace
}  // namespace dcc
