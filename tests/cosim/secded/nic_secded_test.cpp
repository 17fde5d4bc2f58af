// Tests two application blocks of a NIC (dcc_app_block) with a marking switch between them, when a
// memory of the parser, the notification point or the pacer of one block loses bits under load. One
// lost bit changes nothing that a host sees, and registers report its place. Two lost bits of a
// word affect only the flow of that word, as rtl/nic/doc/contract.md specifies.
#include <Vnic_app___024root.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "host.h"
#include "lost_bits.h"
#include "marking_switch.h"
#include "single_thread_context.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

#define DCC_NIC(name, number, data, place) \
  DCC_LOST_BITS(Vnic_app, name, number, data, kFlows, dcc_app_block__DOT__##place)
const std::vector<LostBits<Vnic_app>>& nic_memories() {
  static const std::vector<LostBits<Vnic_app>> kMemories = {
      DCC_NIC("parser", 0, 31, u_parser__DOT__u_contexts),
      DCC_NIC("notifier", 1, 73, u_notifier__DOT__u_states),
      DCC_NIC("sent", 4, 7, u_sent__DOT__u_contexts),
      DCC_NIC("pacer", 8, 63, u_pacer__DOT__u_gaps),
  };
  return kMemories;
}
const LostBits<Vnic_app>& nic_memory(unsigned number) {
  for (const auto& one : nic_memories())
    if (one.number == number) return one;
  throw std::runtime_error("no such memory");
}

constexpr std::uint32_t kFlow = 21, kSecded = 8, kError = 4, kReady = 1;

/// Both NICs and the switch. Only block 0 loses bits.
class LossyNetwork {
 public:
  LossyNetwork()
      : a_(context(), "nic_a", 1),
        b_(context_, "nic_b", 2),
        hosts_{Host(0, a_, [this] { cycle(); }), Host(1, b_, [this] { cycle(); })} {
    a_.sent = [this](Frame frame) { between_.take(0, std::move(frame)); };
    b_.sent = [this](Frame frame) { between_.take(1, std::move(frame)); };
    between_.arrive = [this](unsigned port, Frame frame) {
      if (port == 0) ++delivered[flow_of(frame)];
      (port == 0 ? a_ : b_).to_receive.push_back(std::move(frame));
    };
    b_.reset();
    a_.reset();
    for (Host& host : hosts_) host.bring_up();
    for (Host& host : hosts_) host.sending = true;
    cycles(20'000);  // in this time CE marks and CNPs begin
  }

  void cycle() {
    for (Host& host : hosts_) host.cycle();
    a_.cycle();
    b_.cycle();
    between_.cycle();
  }
  void cycles(std::uint64_t number) {
    for (std::uint64_t i = 0; i < number; ++i) cycle();
  }
  /// Runs until no packet is in flight, and then lets the hosts send again.
  void drain() {
    for (Host& host : hosts_) host.sending = false;
    for (int waited = 0;; ++waited) {
      require(waited < 1'000'000, "the network does not become empty");
      cycle();
      bool busy = !between_.empty() || !a_.to_send.empty() || !b_.to_send.empty();
      for (const Host& host : hosts_)
        for (std::uint32_t flow = 0; flow < kFlows; ++flow) busy |= host.outstanding(flow) != 0;
      if (!busy) break;
    }
    cycles(5000);
  }
  void send() {
    for (Host& host : hosts_) host.sending = true;
  }
  void flip(const LostBits<Vnic_app>& one, unsigned bit) { one.flip(a_.block(), kFlow, bit); }
  Host& host(unsigned i) { return hosts_.at(i); }
  std::uint32_t read(AppRegister which) { return hosts_[0].read(which); }
  /// Writes the flow's context again, as software does after a lost word.
  void write_context() {
    hosts_[0].write(AppRegister::kPeer, peer_);
    hosts_[0].write(AppRegister::kContext,
                    1u << 31 | kDataPriority << 28 | kHeavyDscp << 22 | kFlow);
  }

  /// Number of frames that the switch delivered to NIC 0, by flow.
  std::array<std::uint64_t, kFlows> delivered{};

 private:
  static std::uint32_t flow_of(const Frame& frame) {
    return roce::parse(frame.bytes.data(), frame.bytes.size()).headers.destination_qpn % kFlows;
  }
  VerilatedContext& context() {
    context_.fatalOnError(false);
    context_.randReset(2);
    context_.randSeed(1);
    return context_;
  }
  SingleThreadContext context_;
  MarkingSwitch between_{1};
  AppPins a_, b_;
  std::array<Host, 2> hosts_;
  const std::uint32_t peer_ = 0x1100 + kFlow;  // number of the flow's remote queue pair (host.cpp)
};

struct Outcome {
  std::array<std::array<std::uint64_t, kFlows>, 2> arrived;
  std::array<std::uint64_t, 2> cnps;
  bool operator==(const Outcome& o) const { return arrived == o.arrived && cnps == o.cnps; }
};
Outcome outcome_of(LossyNetwork& network) {
  return {{network.host(0).arrived(), network.host(1).arrived()},
          {network.host(0).cnps_received(), network.host(1).cnps_received()}};
}
constexpr std::uint64_t kAfter = 10'000;

const Outcome& without_loss() {
  static const Outcome kOutcome = [] {
    LossyNetwork network;
    network.cycles(kAfter);
    EXPECT_EQ(network.read(AppRegister::kStatus) & ~2u, kReady | kSecded);
    EXPECT_EQ(network.read(AppRegister::kMemoryCorrected), 0u);
    EXPECT_EQ(network.read(AppRegister::kMemoryErrors), 0u);
    EXPECT_EQ(network.read(AppRegister::kMemoryWord), 0u);
    return outcome_of(network);
  }();
  return kOutcome;
}

class NicSecded : public testing::TestWithParam<LostBits<Vnic_app>> {};

TEST_P(NicSecded, OneLostBitChangesNothingAndIsToldByAddress) {
  const auto& one = GetParam();
  LossyNetwork network;
  network.flip(one, one.bits() / 3);
  network.cycles(kAfter);
  const std::uint32_t corrected = network.read(AppRegister::kMemoryCorrected);
  EXPECT_GT(corrected, 0u);
  EXPECT_EQ(network.read(AppRegister::kMemoryErrors), 0u);
  EXPECT_EQ(network.read(AppRegister::kMemoryWord), kFlow << 7 | one.number << 2 | kCorrected);
  EXPECT_EQ(network.read(AppRegister::kStatus) & ~2u, kReady | kSecded);
  EXPECT_GT(network.host(0).cnps_received(), 0u);
  EXPECT_TRUE(outcome_of(network).arrived[1][kFlow] != 0);
}

TEST_P(NicSecded, OneLostBitMovesNoFrame) {
  LossyNetwork network;
  network.flip(GetParam(), GetParam().bits() / 2);
  network.cycles(kAfter);
  for (int i = 0; i < 4; ++i) network.read(AppRegister::kStatus);
  EXPECT_EQ(outcome_of(network), without_loss());
}

INSTANTIATE_TEST_SUITE_P(All, NicSecded, testing::ValuesIn(nic_memories()),
                         [](const auto& one) { return std::string(one.param.name); });

/// Flips two bits of the flow's word and runs. The registers must report the error.
void lose(LossyNetwork& network, const LostBits<Vnic_app>& one) {
  network.flip(one, 1);
  network.flip(one, 4);
  network.cycles(kAfter);
  EXPECT_EQ(network.read(AppRegister::kMemoryWord), kFlow << 7 | one.number << 2 | kWrong);
  EXPECT_EQ(network.read(AppRegister::kStatus) & ~2u, kReady | kError | kSecded);
  EXPECT_GT(network.read(AppRegister::kMemoryErrors), 0u);
}
/// Expects that all flows of both directions continue.
void expect_all_go_on(LossyNetwork& network) {
  const Outcome before = outcome_of(network);
  network.send();
  network.cycles(30'000);
  network.drain();
  const Outcome after = outcome_of(network);
  for (unsigned i = 0; i < 2; ++i) {
    for (std::uint32_t flow = 0; flow < kFlows; ++flow)
      EXPECT_GT(after.arrived[i][flow], before.arrived[i][flow]) << "to host " << i << ", " << flow;
    EXPECT_EQ(network.host(i).frames_sent(), network.host(1 - i).frames_arrived());
  }
}

TEST(NicLosesTwoBits, ParserRefusesTheFlowUntilItsContextIsWritten) {
  LossyNetwork network;
  network.drain();
  const std::uint64_t before = network.delivered[kFlow];
  network.send();
  lose(network, nic_memory(0));
  network.drain();
  const std::uint32_t refused = network.read(AppRegister::kRefused);
  EXPECT_GT(refused, 0u);
  // every frame of this flow is refused, and no frame of other flows
  EXPECT_EQ(refused, network.delivered[kFlow] - before);
  network.write_context();
  expect_all_go_on(network);
  EXPECT_EQ(network.read(AppRegister::kRefused), refused);
}

TEST(NicLosesTwoBits, ByteNotificationsLackTheFlowUntilItsContextIsWritten) {
  LossyNetwork network;
  network.drain();
  const std::uint64_t before = network.host(1).arrived()[kFlow];
  network.send();
  lose(network, nic_memory(4));
  network.drain();
  const std::uint32_t unbound = network.read(AppRegister::kUnbound);
  EXPECT_GT(unbound, 0u);
  EXPECT_EQ(unbound, (network.host(1).arrived()[kFlow] - before) / kPayload);
  network.write_context();
  expect_all_go_on(network);
  EXPECT_EQ(network.read(AppRegister::kUnbound), unbound);
}

TEST(NicLosesTwoBits, NotificationPointLosesOneState) {
  LossyNetwork network;
  lose(network, nic_memory(1));
  network.drain();
  // the packet that reads the lost word overwrites it
  EXPECT_EQ(network.read(AppRegister::kMemoryErrors), 1u);
  expect_all_go_on(network);
  EXPECT_EQ(network.read(AppRegister::kMemoryErrors), 1u);
  EXPECT_EQ(network.read(AppRegister::kRefused), 0u);
  // Every CNP that the block sent has arrived.
  EXPECT_EQ(network.read(AppRegister::kCnpsOut), network.host(1).cnps_received());
}

TEST(NicLosesTwoBits, PacerHoldsTheFlowUntilItsRateIsWritten) {
  LossyNetwork network;
  lose(network, nic_memory(8));
  network.write_context();
  network.drain();
  const std::uint32_t errors = network.read(AppRegister::kMemoryErrors);
  expect_all_go_on(network);
  EXPECT_EQ(network.read(AppRegister::kMemoryErrors), errors);
}

}  // namespace
}  // namespace dcc
