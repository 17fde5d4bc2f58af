// The platform's parser in RTL must equal the model, for every CNP and every sent packet.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "controller/lockstep_report.h"
#include "parser_engine_lockstep.h"
#include "parser_engine_rtl.h"
#include "wire/wire_size.h"

namespace dcc {
namespace {

using Outcome = ParsedCnp::Outcome;

std::unique_ptr<ParserEngine> rtl(unsigned fault = 0) { return make_rtl_parser({3, fault}); }
std::unique_ptr<ParserEngine> lockstep(unsigned fault = 0) {
  return make_lockstep_parser(rtl(fault), {"host 3 parser", 9});
}

Packet cnp_for(Qpn qpn, unsigned marks, unsigned packets) {
  Packet cnp;
  cnp.kind = PacketKind::kCnp;
  cnp.source = qpn % 7;
  cnp.destination = 3;
  cnp.destination_qpn = qpn;
  cnp.ecn = Ecn::kEct0;
  cnp.dscp = 48;
  cnp.cnp_marks = static_cast<std::uint8_t>(marks);
  cnp.cnp_packets = static_cast<std::uint8_t>(packets);
  cnp.wire_bytes = roce::cnp_wire_bytes();
  return cnp;
}

struct Traffic {
  std::uint64_t cnps = 0, unbound = 0, refused = 0, notices = 0;
  std::vector<std::tuple<Qpn, unsigned, unsigned, unsigned>> told;
};

/// Parses CNPs and sent packets of queue pairs that are created and destroyed, among them the least
/// and the greatest queue pair number. CNPs with counts, CNPs without counts and clear
/// notifications alternate, as when nic.cnp.carry_marks changes during a run.
Traffic drive(ParserEngine& engine, std::uint64_t calls) {
  std::mt19937_64 random(5);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  std::vector<Qpn> pairs{0, 1, 16, 17, 255, 256, 1024, 4097, verilated_parser_pairs() - 1};
  for (const Qpn qpn : pairs)
    engine.begin(qpn, {static_cast<std::uint8_t>(below(64)), below(1u << 24), qpn + 5});
  pairs.push_back(99);                        // a queue pair that is created later
  pairs.push_back(verilated_parser_pairs());  // a queue pair that is never created
  Traffic seen;
  PicoSeconds now{};
  for (std::uint64_t i = 0; i < calls; ++i) {
    now += PicoSeconds(below(90'000));
    const Qpn qpn = pairs[below(static_cast<unsigned>(pairs.size()))];
    if (below(100) == 0 && qpn < verilated_parser_pairs()) {
      engine.end(qpn);
      if (below(4) != 0) {
        engine.begin(qpn, {static_cast<std::uint8_t>(below(64)), below(1u << 24), below(1000)});
      }
    } else if (below(3) == 0) {
      const unsigned packets = 1 + below(255);
      const unsigned kind = below(3);
      const Packet cnp = kind == 0   ? cnp_for(qpn, 1, 0)
                         : kind == 1 ? cnp_for(qpn, 0, 0)
                                     : cnp_for(qpn, below(packets + 1), packets);
      const ParsedCnp told = engine.cnp(cnp, now);
      ++(told.outcome == Outcome::kCnp       ? seen.cnps
         : told.outcome == Outcome::kUnbound ? seen.unbound
                                             : seen.refused);
      if (told.outcome == Outcome::kRefused) {
        EXPECT_EQ(told.reason, 7);  // roce::ParseError::BadIcrc
      }
      seen.told.emplace_back(told.flow, told.dscp, told.marks, told.packets);
    } else {
      const ByteNotice told = engine.sent({now, qpn, 60 + below(9000), 20});
      seen.notices += told.bound;
      seen.told.emplace_back(told.flow, told.dscp, told.bytes, told.bound);
    }
  }
  return seen;
}

TEST(ParserEngine, RtlSaysAsTheModel) {
  const auto both = lockstep();
  const Traffic seen = drive(*both, 60'000);
  EXPECT_GT(seen.cnps, 10'000u);
  EXPECT_GT(seen.unbound, 1'000u);
  EXPECT_GT(seen.notices, 20'000u);
  EXPECT_EQ(seen.refused, 0u);
}

TEST(ParserEngine, RtlAloneSaysTheSame) {
  const auto both = lockstep();
  const auto alone = rtl();
  EXPECT_EQ(drive(*both, 10'000).told, drive(*alone, 10'000).told);
}

TEST(ParserEngine, AFaultIsToldWithNameTimeFlowAndField) {
  const char* const fields[kParserFaults] = {": DSCP\n", ": bytes\n", ": outcome\n"};
  for (unsigned fault = 1; fault <= kParserFaults; ++fault) {
    const auto both = lockstep(fault);
    try {
      drive(*both, 60'000);
      ADD_FAILURE() << "fault " << fault << " is not found";
    } catch (const LockstepMismatch& difference) {
      const std::string report = difference.what();
      EXPECT_EQ(report.find("host 3 parser: model and RTL differ after "), 0u) << report;
      for (const char* part : {"seed 9: ", " at ", " flow ", " queue pair ", fields[fault - 1],
                               "\n  model: ", "\n  RTL:   ", "\n  last calls:\n    "}) {
        EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
      }
      // After the reported difference the engine returns the model's answers without a further
      // report.
      EXPECT_NO_THROW(both->cnp(cnp_for(1, 3, 4), {}));
    }
  }
}

TEST(ParserEngine, ADamagedCnpIsRefusedAndTheNextOneIsNot) {
  const auto alone = rtl(3);
  const Traffic seen = drive(*alone, 3'000);
  EXPECT_GT(seen.refused, 150u);
  EXPECT_NEAR(static_cast<double>(seen.cnps + seen.unbound),
              3.0 * static_cast<double>(seen.refused),
              4.0);  // every fourth CNP is damaged
}

TEST(ParserEngine, QueuePairsBeyondThoseBuiltForAreRefused) {
  const auto engine = rtl();
  EXPECT_NO_THROW(engine->begin(verilated_parser_pairs() - 1, {}));
  EXPECT_THROW(engine->begin(verilated_parser_pairs(), {}), std::runtime_error);
  EXPECT_NO_THROW(engine->end(verilated_parser_pairs()));
  EXPECT_EQ(engine->cnp(cnp_for(verilated_parser_pairs(), 1, 0), {}).outcome, Outcome::kUnbound);
}

}  // namespace
}  // namespace dcc
