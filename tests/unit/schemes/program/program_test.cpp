// Tests program cores: when their answers take effect, which events wait, merge or are lost, and
// the effects of faults.
#include "schemes/program/program.h"

#include "unit/schemes/program/program_maker.h"

namespace dcc::program_tests {
namespace {

/// Parameters of cores at 1 GHz on which every instruction takes one cycle, and calls and memory
/// take no time.
ProgramParameters plain() {
  ProgramParameters parameters;
  parameters.cores = 1;
  parameters.dispatch = 0;
  parameters.cpi = {Ratio(1), Ratio(1), Ratio(1), Ratio(1), Ratio(1),
                    Ratio(1), Ratio(0), Ratio(1), Ratio(1)};
  return parameters;
}
/// A program with a handler of six instructions, which sets the rate to the number of acknowledged
/// bytes.
Maker rate_is_bytes() {
  Maker maker;
  maker.handlers[DCC_ACK] = answer_with(offsetof(dcc_event, bytes));
  return maker;
}
void ack(Bench& bench, FlowNumber flow, Bytes bytes) {
  AckInfo info;
  info.newly_acked = bytes;
  info.rtt = kMicroSecond * 4;
  bench.program->on_ack(flow, info);
}
constexpr PicoSeconds kSixCycles = kNanoSecond * 6;

TEST(Program, AnAnswerArrivesAfterTheTimeOfItsInstructions) {
  Bench bench(rate_is_bytes(), plain());
  bench.program->on_flow_start(0, {});
  bench.until(kMicroSecond);
  ack(bench, 0, 500);
  bench.until(kMicroSecond + kSixCycles - PicoSeconds(1));
  EXPECT_EQ(bench.nic.rate(0).raw, bench.nic.line_rate().raw);
  bench.until(kMicroSecond + kSixCycles);
  EXPECT_EQ(bench.nic.rate(0).raw, 500u);
  EXPECT_EQ(bench.counts(DCC_ACK).instructions, 6u);
  EXPECT_EQ(bench.counts(DCC_ACK).reaction.max(), 6000u);
  EXPECT_EQ(bench.program->busy(), kSixCycles);
}

// One load, 2 stores, 2 arithmetic instructions and 1 jump take 3 + 2 · 1/2 + 2 · 1 + 5 = 11
// cycles, after 9 cycles of dispatch. At 3 GHz these are 20 / 3 ns = 6666.67 ps, rounded up.
TEST(Program, ClockAndCyclesByClassGiveTheExactTime) {
  ProgramParameters parameters = plain();
  parameters.clock = Frequency(3'000'000'000);
  parameters.dispatch = 9;
  parameters.cpi.load = Ratio(3);
  parameters.cpi.store = Ratio(1, 2);
  parameters.cpi.jump = Ratio(5);
  Bench bench(rate_is_bytes(), parameters);
  bench.program->on_flow_start(0, {});
  ack(bench, 0, 500);
  bench.until(PicoSeconds(6666));
  EXPECT_NE(bench.nic.rate(0).raw, 500u);
  bench.until(PicoSeconds(6667));
  EXPECT_EQ(bench.nic.rate(0).raw, 500u);
}

// Branches beq and bne over one instruction. The first branch is taken, the second is not.
TEST(Program, ATakenBranchCostsMore) {
  Maker maker;
  maker.handlers[DCC_CNP] = {riscv::test::enc_b(8, 0, 0, 0), addi(0, 0, 0),
                             riscv::test::enc_b(8, 0, 0, 1), addi(0, 0, 0)};
  ProgramParameters parameters = plain();
  parameters.cpi.branch = Ratio(2);
  parameters.cpi.taken = Ratio(7);
  Bench bench(maker, parameters);
  bench.program->on_flow_start(0, {});
  bench.program->on_cnp(0, {});
  EXPECT_EQ(bench.counts(DCC_CNP).instructions, 4u);
  EXPECT_EQ(bench.program->busy(), kNanoSecond * (2 + 7 + 2 + 1 + 1));
}

TEST(Program, EventsWaitForACoreInTheirOrder) {
  Bench bench(rate_is_bytes(), plain());
  for (FlowNumber flow = 0; flow < 3; ++flow) bench.program->on_flow_start(flow, {});
  bench.nic.changes.clear();
  for (FlowNumber flow = 0; flow < 3; ++flow) ack(bench, flow, 100 + flow);
  bench.until(kMicroSecond);
  ASSERT_EQ(bench.nic.changes.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.nic.changes[i].rate.raw, 100 + i);
    EXPECT_EQ(bench.nic.changes[i].at, PicoSeconds(kSixCycles * (i + 1)));
  }
  EXPECT_EQ(bench.counts(DCC_ACK).wait.max(), 12'000u);
}

TEST(Program, CoresWorkAtTheSameTimeButNeverForOneFlow) {
  ProgramParameters parameters = plain();
  parameters.cores = 2;
  Bench bench(rate_is_bytes(), parameters);
  for (FlowNumber flow = 0; flow < 2; ++flow) bench.program->on_flow_start(flow, {});
  bench.nic.changes.clear();
  ack(bench, 0, 1);
  ack(bench, 0, 2);
  ack(bench, 1, 3);  // this event overtakes the second event of flow 0
  bench.until(kMicroSecond);
  ASSERT_EQ(bench.nic.changes.size(), 3u);
  EXPECT_EQ(bench.nic.changes[0].rate.raw, 1u);
  EXPECT_EQ(bench.nic.changes[1].rate.raw, 3u);
  EXPECT_EQ(bench.nic.changes[1].at, kSixCycles);
  EXPECT_EQ(bench.nic.changes[2].rate.raw, 2u);
  EXPECT_EQ(bench.nic.changes[2].at, PicoSeconds(kSixCycles * 2));
}

TEST(Program, AFullQueueLosesEventsAndCountsThem) {
  ProgramParameters parameters = plain();
  parameters.queue = 2;
  parameters.merge = ProgramParameters::Merge::kNever;
  Bench bench(rate_is_bytes(), parameters);
  bench.program->on_flow_start(0, {});
  bench.nic.changes.clear();
  for (unsigned i = 1; i <= 5; ++i) ack(bench, 0, i);  // one event is handled at once, two wait
  bench.until(kMicroSecond);
  EXPECT_EQ(bench.counts(DCC_ACK).events, 5u);
  EXPECT_EQ(bench.counts(DCC_ACK).handled, 3u);
  EXPECT_EQ(bench.counts(DCC_ACK).lost, 2u);
  EXPECT_EQ(bench.counts(DCC_ACK).merged, 0u);
  EXPECT_EQ(bench.nic.rate(0).raw, 3u);
}

TEST(Program, AFullQueueMergesWhatBelongsTogether) {
  ProgramParameters parameters = plain();
  parameters.queue = 2;
  Bench bench(rate_is_bytes(), parameters);
  for (FlowNumber flow = 0; flow < 3; ++flow) bench.program->on_flow_start(flow, {});
  ack(bench, 0, 1);  // this event is handled at once
  ack(bench, 0, 10);
  ack(bench, 1, 20);
  ack(bench, 0, 100);  // this event merges with the waiting event of its flow
  ack(bench, 2, 200);  // no waiting event with which this event could merge
  bench.until(kMicroSecond);
  EXPECT_EQ(bench.nic.rate(0).raw, 110u) << "the bytes of both";
  EXPECT_EQ(bench.nic.rate(1).raw, 20u);
  EXPECT_EQ(bench.nic.rate(2).raw, bench.nic.line_rate().raw);
  EXPECT_EQ(bench.counts(DCC_ACK).merged, 1u);
  EXPECT_EQ(bench.counts(DCC_ACK).lost, 1u);
}

TEST(Program, MergesAlwaysIfAsked) {
  ProgramParameters parameters = plain();
  parameters.merge = ProgramParameters::Merge::kAlways;
  Bench bench(rate_is_bytes(), parameters);
  bench.program->on_flow_start(0, {});
  for (unsigned i = 1; i <= 4; ++i) ack(bench, 0, i);
  bench.until(kMicroSecond);
  EXPECT_EQ(bench.counts(DCC_ACK).handled, 2u);
  EXPECT_EQ(bench.nic.rate(0).raw, 2u + 3u + 4u);
}

// The timer of flow 0 expires while the core works for flow 1 and the event queue is full.
TEST(Program, TimersAreNeverLost) {
  Maker maker = rate_is_bytes();
  maker.handlers[DCC_TIMER] = answer_with(offsetof(dcc_event, timer));
  maker.handlers[DCC_CNP] =
      li(kA3, 3) + Code{sw(kA3, kA2, at(offsetof(dcc_result, timer_ns) + 4)),
                        addi(kA4, kZero, DCC_SET_TIMER << 1), sw(kA4, kA2, 0)};
  ProgramParameters parameters = plain();
  parameters.queue = 1;
  Bench bench(maker, parameters);
  for (FlowNumber flow = 0; flow < 3; ++flow) bench.program->on_flow_start(flow, {});
  bench.program->on_cnp(0, {});
  bench.until(kSixCycles);  // the handler starts timer 1 with 3 ns
  EXPECT_FALSE(bench.program->is_quiescent(0));
  ack(bench, 1, 1);
  ack(bench, 2, 1);
  bench.until(kMicroSecond);
  EXPECT_EQ(bench.counts(DCC_TIMER).handled, 1u);
  EXPECT_EQ(bench.counts(DCC_TIMER).lost, 0u);
  EXPECT_EQ(bench.nic.rate(0).raw, 1u) << "the timer's number";
  EXPECT_TRUE(bench.program->is_quiescent(0));
}

TEST(Program, SentComesWhenTheCounterPassesItsThreshold) {
  Maker maker;
  maker.handlers[DCC_SENT] = answer_with(offsetof(dcc_event, bytes));
  maker.sent_bytes = 2500;
  Bench bench(maker, plain());
  bench.program->on_flow_start(0, {});
  SentInfo info;
  info.wire_bytes = 1000;
  for (int i = 0; i < 5; ++i) bench.program->on_sent(0, info);
  bench.until(kMicroSecond);
  // After 3000 bytes the byte counter keeps 500. After 5000 bytes it has 2500, which does not
  // exceed the threshold.
  EXPECT_EQ(bench.counts(DCC_SENT).events, 1u);
  EXPECT_EQ(bench.nic.rate(0).raw, 3000u);
  bench.program->on_sent(0, info);
  EXPECT_EQ(bench.counts(DCC_SENT).events, 2u);
}

TEST(Program, InfinitelyFastCoresAnswerAtOnce) {
  ProgramParameters parameters = plain();
  parameters.instant = true;
  Bench bench(rate_is_bytes(), parameters);
  bench.program->on_flow_start(0, {});
  ack(bench, 0, 500);
  EXPECT_EQ(bench.nic.rate(0).raw, 500u);
  EXPECT_EQ(bench.program->busy(), PicoSeconds(0));
}

TEST(Program, NeedsWhatItsHandlersTake) {
  Maker maker = rate_is_bytes();
  maker.flags = DCC_EACH_ACK | DCC_MARKS;
  const Bench acks(maker, plain());
  EXPECT_TRUE(acks.program->needs().acks && acks.program->needs().ack_each);
  EXPECT_TRUE(acks.program->needs().marks);
  EXPECT_FALSE(acks.program->needs().cnp || acks.program->needs().on_sent);
}

TEST(Program, TheContextOfAFlowStaysAndIsItsOwn) {
  Maker maker;
  maker.handlers[DCC_CNP] = Code{lw(kA3, kA1, 60),
                                 addi(kA3, kA3, 1),
                                 sw(kA3, kA1, 60),
                                 sw(kA3, kA2, at(offsetof(dcc_result, window))),
                                 addi(kA4, kZero, DCC_SET_WINDOW),
                                 sw(kA4, kA2, 0)};
  Bench bench(maker, plain());
  for (FlowNumber flow = 0; flow < 2; ++flow) bench.program->on_flow_start(flow, {});
  for (int i = 0; i < 3; ++i) bench.program->on_cnp(0, {});
  bench.program->on_cnp(1, {});
  bench.until(kMicroSecond);
  EXPECT_EQ(bench.nic.window(0), 3);
  EXPECT_EQ(bench.nic.window(1), 1);
}

// Tests of faults.

struct Fault {
  const char* what;
  Code code;
  const char* said;
};

// The handler copies the queue length at the second hop from an ACK's telemetry into the rate.
TEST(Program, TelemetryWaitsWithItsEvent) {
  Maker maker;
  maker.flags = DCC_TELEMETRY | DCC_EACH_ACK;
  maker.handlers[DCC_ACK] = li(kA3, DCC_HOPS_ADDRESS + sizeof(dcc_hop) + offsetof(dcc_hop, queue)) +
                            Code{lw(kA3, kA3, 0), addi(kA4, kZero, DCC_SET_RATE),
                                 sw(kA3, kA2, at(offsetof(dcc_result, rate))), sw(kA4, kA2, 0)};
  ProgramParameters parameters;
  parameters.cores = 1;
  parameters.merge = ProgramParameters::Merge::kAlways;
  Bench bench(maker, parameters);
  EXPECT_TRUE(bench.program->needs().telemetry);
  IntStack stack;
  const auto acknowledge = [&](FlowNumber flow, Bytes queue) {
    stack.hop[1].queue = queue;
    AckInfo info;
    info.telemetry = &stack;
    info.telemetry_hops = 2;
    bench.program->on_ack(flow, info);
  };
  for (FlowNumber flow = 0; flow < 4; ++flow) bench.program->on_flow_start(flow, {});
  for (FlowNumber flow = 0; flow < 4; ++flow) acknowledge(flow, 100 + flow);
  acknowledge(2, 700);  // this event merges with the waiting event of its flow
  bench.until(kMicroSecond * 10);
  EXPECT_EQ(bench.counts(DCC_ACK).merged, 1u);
  EXPECT_EQ(bench.nic.rate(0).raw, 100u);
  EXPECT_EQ(bench.nic.rate(1).raw, 101u);
  EXPECT_EQ(bench.nic.rate(2).raw, 700u) << "the newest telemetry";
  EXPECT_EQ(bench.nic.rate(3).raw, 103u);
}

// Two rounds of 1024 simultaneous CNPs go to eight cores, whose event queue has 256 places.
TEST(Program, AThousandFlowsAreAccountedFor) {
  constexpr FlowNumber kFlows = 1024;
  constexpr unsigned kCores = 8, kQueue = 256;
  Maker maker;
  maker.handlers[DCC_CNP] = answer_with(offsetof(dcc_event, flow));
  ProgramParameters parameters;
  parameters.cores = kCores;
  parameters.queue = kQueue;
  Bench bench(maker, parameters);
  for (FlowNumber flow = 0; flow < kFlows; ++flow) bench.program->on_flow_start(flow, {});
  for (int round = 0; round < 2; ++round) {
    for (FlowNumber flow = 0; flow < kFlows; ++flow) bench.program->on_cnp(flow, {});
  }
  bench.until(kMilliSecond);
  const HandlerCounts& counts = bench.counts(DCC_CNP);
  EXPECT_EQ(counts.events, 2 * kFlows);
  EXPECT_EQ(counts.handled, kCores + kQueue);
  // In the second round the events of all waiting flows merge. The events of the eight flows being
  // handled find no place.
  EXPECT_EQ(counts.merged, kQueue);
  EXPECT_EQ(counts.events, counts.handled + counts.merged + counts.lost);
  for (FlowNumber flow = 0; flow < kFlows; ++flow) {
    EXPECT_EQ(bench.nic.rate(flow).raw, flow < kCores + kQueue ? flow : 100'000u << 8) << flow;
    EXPECT_TRUE(bench.program->is_quiescent(flow)) << flow;
  }
}

TEST(Program, AFaultLeavesTheFlowItsRateAndStopsItsEvents) {
  const Code down = {addi(kSp, kSp, -2048), sw(kZero, kSp, 0)};
  const std::vector<Fault> faults = {
      {"illegal instruction", {0xFFFFFFFF}, "illegal instruction"},
      {"null pointer", {lw(kA3, kZero, 0)}, "load access fault, 0x00000000, at 0x10000"},
      {"store to code", li(kA3, DCC_CODE_BASE) + Code{sw(kA3, kA3, 0)}, "store access fault"},
      {"behind the memory", li(kA3, DCC_DATA_BASE + 0x10000) + Code{sw(kA3, kA3, 0)},
       "store access fault, 0x20010000"},
      {"misaligned", {lw(kA3, kA0, 2)}, "misaligned"},
      {"jump to itself", {riscv::test::enc_j(0, 0)}, "endless loop"},
      {"longer loop", {addi(kA3, kA3, 1), riscv::test::enc_j(-4, 0)}, "more than 1000 instr"},
      {"stack", down + down + down, "stack overflow: more than 4096 bytes"},
      {"wfi", {riscv::test::kWfi}, "wfi"},
      {"jump away", {riscv::test::jalr(0, kZero, 0)}, "instruction access fault"}};
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.what);
    Maker maker = rate_is_bytes();
    maker.handlers[DCC_CNP] = answer_with(offsetof(dcc_event, line_rate)) + fault.code;
    ProgramParameters parameters = plain();
    parameters.limit = 1000;
    Bench bench(maker, parameters);
    for (FlowNumber flow = 0; flow < 2; ++flow) bench.program->on_flow_start(flow, {});
    ack(bench, 0, 500);
    ack(bench, 1, 600);
    bench.until(kMicroSecond);
    bench.program->on_cnp(0, {});
    bench.until(kMicroSecond * 10);
    ack(bench, 0, 700);
    ack(bench, 1, 800);
    bench.until(kMicroSecond * 20);
    EXPECT_EQ(bench.nic.rate(0).raw, 500u) << "its last rate";
    EXPECT_EQ(bench.nic.rate(1).raw, 800u) << "another flow goes on";
    EXPECT_EQ(bench.counts(DCC_CNP).faults, 1u);
    ASSERT_EQ(bench.program->faults().size(), 1u);
    EXPECT_EQ(bench.program->faults()[0].flow, 0u);
    EXPECT_NE(bench.program->faults()[0].text.find(fault.said), std::string::npos)
        << bench.program->faults()[0].text;
    EXPECT_TRUE(bench.program->is_quiescent(0));
  }
}

TEST(Program, WritesLinesWithItsNumbers) {
  Maker maker;
  // The text "%u %d" with its final zero is in the context, which the first handler fills.
  const auto word = [](Word value, std::int32_t offset) {
    return li(kA3, value) + Code{sw(kA3, kA1, offset)};
  };
  maker.handlers[DCC_CNP] = word(0x25207525, 0) + word(0x00000064, 4) + word(7, 8) +
                            word(0xFFFFFFFF, 12) + li(kA4, DCC_TRACE_ADDRESS) +
                            Code{addi(kA3, kA1, 8), sw(kA3, kA4, 4), addi(kA3, kZero, 2),
                                 sw(kA3, kA4, 8), sw(kA1, kA4, 0)};
  ProgramParameters parameters = plain();
  parameters.trace = 1;
  Bench bench(maker, parameters);
  bench.program->on_flow_start(3, {});
  bench.program->on_cnp(3, {});
  bench.program->on_cnp(3, {});
  bench.until(kMicroSecond);
  ASSERT_EQ(bench.program->lines().size(), 1u);
  EXPECT_EQ(bench.program->lines()[0].text, "flow 3 cnp: 7 -1");
  EXPECT_EQ(bench.program->lines_left_out(), 1u);
}

// Tests of program files.

std::string refusal(const Maker& maker, ProgramParameters parameters = plain()) {
  parameters.elf = maker.write();
  try {
    parameters.check(1000);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Program, RefusesFilesThatAreNoPrograms) {
  const auto has = [](const std::string& text, const char* piece) {
    return text.find(piece) != std::string::npos && text.find("accepted") == std::string::npos;
  };
  EXPECT_EQ(refusal(rate_is_bytes()), "accepted");
  EXPECT_TRUE(has(refusal(Maker{}), "names no handler"));
  Maker other = rate_is_bytes();
  other.magic = 0;
  EXPECT_TRUE(has(refusal(other), "DCC_PROGRAM"));
  other = rate_is_bytes();
  other.abi = 9;
  EXPECT_TRUE(has(refusal(other), "interface 9"));
  other = rate_is_bytes();
  other.context_bytes = 300;
  EXPECT_TRUE(has(refusal(other), "300 bytes of context"));
  other.context_bytes = 200;
  EXPECT_TRUE(has(refusal(other), "set context"));
  other = rate_is_bytes();
  other.tail = DCC_CODE_BYTES;
  EXPECT_TRUE(has(refusal(other), "build it with firmware/program"));
  EXPECT_NE(refusal(other), "accepted");
  ProgramParameters none;
  EXPECT_THROW(none.check(1000), ParameterError);
  none.elf = "/no/such.elf";
  EXPECT_THROW(none.check(1000), ParameterError);
}

TEST(Program, WithoutAFileItAsksForNothing) {
  Nic nic(1000);
  Program program({nic.scheduler(), nic, 1000, kMicroSecond, 7}, {});
  EXPECT_FALSE(program.needs().cnp || program.needs().acks || program.needs().on_sent);
  program.on_flow_start(0, {});
  program.on_cnp(0, {});
  EXPECT_TRUE(program.is_quiescent(0));
  EXPECT_EQ(program.view(0).rate.raw, nic.line_rate().raw);
}

}  // namespace
}  // namespace dcc::program_tests
