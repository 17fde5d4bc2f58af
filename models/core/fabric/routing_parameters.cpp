#include "fabric/routing_parameters.h"

#include "describe/class_ranges.h"
#include "describe/visitor.h"
#include "fabric/path_choice.h"

namespace dcc {

void FlowletParameters::describe(ParameterVisitor& v) {
  v.field("flowlet_gap", gap, {"10ns", "1s"},
          {"a flow that pauses so long may go on another way", "LetFlow, NSDI'17"});
  v.field("flowlet_entries", entries, {"1", "1048576"},
          {"flowlets a switch can tell apart; others share", "CONGA, SIGCOMM'14, 3.4"});
}

void DrillParameters::describe(ParameterVisitor& v) {
  v.field("samples", samples, {"1", "64"}, {"ports drawn for each packet", "DRILL, SIGCOMM'17: d"});
  v.field("memory", memory, {"0", "64"},
          {"shortest queues of the last time that are looked at again", "DRILL, SIGCOMM'17: m"});
}

void DetailParameters::describe(ParameterVisitor& v) {
  const char* const paper = "DeTail, SIGCOMM'12";
  v.field(
      "favoured_below", favoured_below, {"1B", "1GiB"},
      {"a port with fewer bytes of a packet's priority and higher ones is among the first", paper});
  v.field("avoided_from", avoided_from, {"1B", "1GiB"},
          {"one with as many is among the last", paper});
}

void CongaParameters::describe(ParameterVisitor& v) {
  v.field("dre_period", dre_period, {"100ns", "1s"},
          {"between two decays of a link's estimate", "CONGA, SIGCOMM'14, 3.2: Tdre"});
  v.field("dre_alpha", dre_alpha, {"1/1000", "9/10"},
          {"share that a decay takes; the estimate's time constant is dre_period / dre_alpha",
           "CONGA, SIGCOMM'14, 3.2"});
  v.field("metric_bits", bits, {"1", "8"}, {"of the use of a way", "CONGA, SIGCOMM'14, 3.6: Q"});
  v.field("metric_age", age, {"1us", "1000s"},
          {"news of a way counts one step less for every time of this that it is old",
           "CONGA, SIGCOMM'14, 3.3"});
}

void PrestoParameters::describe(ParameterVisitor& v) {
  v.field("cell", cell, {"64B", "1GiB"}, {"bytes of a flow that go one way", "Presto, SIGCOMM'15"});
}

void HederaParameters::describe(ParameterVisitor& v) {
  v.choice("placement", placement,
           {"how large flows find their way: by simulated annealing, or the first with room",
            "Hedera, NSDI'10, 4.2, 4.3"});
  v.field("period", period, {"1us", "1000s"},
          {"the scheduler reads the edge switches' counters so often; the paper's 5 s are of TCP "
           "flows of minutes",
           "Hedera, NSDI'10"});
  v.field("elephant", elephant, {"0", "1"},
          {"share of the sender's link from which on a flow is a large one", "Hedera, NSDI'10"});
  v.when(placement == Placement::kAnnealing, "placement: annealing", [&] {
    v.field("iterations", iterations, {"1", "1000000"},
            {"of the annealing, each time; also the temperature it begins with",
             "Hedera, NSDI'10: T0"});
    v.field("annealing", annealing, {"0", "1000"},
            {"how little a worse state is liked, for each of `iterations`: a state worse by a "
             "link's excess E in rates of a host passes with exp(-annealing * iterations * E / "
             "temperature)",
             "Hedera, NSDI'10: c / T0; 0.5, of a large network 1000"});
  });
}

void LidManagerParameters::describe(ParameterVisitor& v) {
  v.field("move_period", period, "never", {"1us", "1000s"},
          {"the manager reads counters so often, and moves flows off full wires",
           "InfiniBand paper, 3 (1)"});
  v.when(on(), "move_period: a time", [&] {
    v.field("move_above", above, {"1/1000", "1"}, {"share of a wire's rate that is full", ""});
  });
}

void RepsParameters::describe(ParameterVisitor& v) {
  v.field("entropies", entropies, {"1", "255"},
          {"different numbers that a packet may carry", "REPS, 2024: EVS size"});
  v.field("kept", kept, {"1", kMaxKept},
          {"of those that came back without a mark, the last so many a flow", "REPS, 2024: 8"});
  v.field("warm_up", warm_up, {"0", "1000000"},
          {"a flow's first packets that go at random, some bandwidth-delay product", "REPS, 2024"});
}

void HermesParameters::describe(ParameterVisitor& v) {
  v.field("rtt_low", rtt_low, {"1ns", "1s"},
          {"a way with less, and few marks, is good: the base RTT and some more",
           "Hermes, SIGCOMM'17: T_RTT_low"});
  v.field("rtt_high", rtt_high, {"1ns", "1s"},
          {"a way with more, and many marks, is bad", "Hermes, SIGCOMM'17: T_RTT_high"});
  v.field("ecn_share", ecn_share, {"0", "1"},
          {"share of marked packets that is many", "Hermes, SIGCOMM'17: T_ECN"});
  v.field("rtt_gain", rtt_gain, {"0us", "1s"},
          {"a flow moves only to a way with so much less", "Hermes, SIGCOMM'17"});
  v.field("ecn_gain", ecn_gain, {"0", "1"},
          {"... and so much a smaller share of marked packets", "Hermes, SIGCOMM'17"});
  v.field("sent", sent, {"0B", "1GiB"},
          {"and only when it has sent so much on its way", "Hermes, SIGCOMM'17: S"});
  v.field("rate", rate, {"0", "1"},
          {"... and sends at less than this share of the link", "Hermes, SIGCOMM'17: R"});
  v.field(
      "interval", interval, {"0us", "1s"},
      {"between two thoughts of moving, of which every second is dropped", "Hermes, SIGCOMM'17"});
  v.field("age", age, {"1us", "1000s"}, {"what was heard of a way so long ago counts no more", ""});
  v.field("failed_for", failed_for, {"1us", "1000s"},
          {"a way on which packets vanish is not taken for so long", ""});
}

void ConweaveParameters::describe(ParameterVisitor& v) {
  // A tail leaves within reply and inactive of its epoch's first packet: together less than the
  // 4.3 ms in which stamps go round.
  v.field(
      "reply", reply, {"100ns", "2ms"},
      {"an answer that takes longer means a congested way: the base round trip from edge to edge "
       "and some more",
       "ConWeave, SIGCOMM'23: theta_reply"});
  v.field("path_busy", path_busy, {"0us", "1s"},
          {"so long after news of a mark no flow is given that way",
           "ConWeave, SIGCOMM'23: theta_path_busy"});
  v.field("inactive", inactive, {"100ns", "2ms"},
          {"a flow that pauses longer may go on another way at once",
           "ConWeave, SIGCOMM'23: theta_inactive"});
  v.field("wait_more", wait_more, {"0us", "1s"},
          {"packets are held so much longer than the last of the way before should take",
           "ConWeave, SIGCOMM'23: theta_resume_extra"});
  v.field("wait_unknown", wait_unknown, {"100ns", "1s"},
          {"... or so long where none of that way has come yet to tell",
           "ConWeave, SIGCOMM'23: theta_resume_default"});
  v.field("message_priority", message_priority, any_priority(),
          {"of what edge switches tell each other", ""});
}

void RoutingParameters::describe(ParameterVisitor& v) {
  v.choice(
      "kind", kind,
      {"by hash of the five-tuple (wcmp: by capacity), flows or packets in turn or at random, "
       "by all ways in an order drawn anew for each round of a flow, by destination address, "
       "flowlets, queues (detail: by priority), congestion of whole ways, "
       "cells, a central scheduler of large flows, numbers that ACKs bring back, what ACKs or edge "
       "switches tell of ways; "
       "symmetric: by hash, the same way in both directions; source: as the sender's transport "
       "says",
       "docs/network.md, Load balancing"});
  v.when(kind == Kind::kLmc, "kind: lmc", [&] {
    v.field("lmc", lmc, {"0", kMaxLmc},
            {"2^lmc destination addresses a port, a path each", "InfiniBand LMC"});
    lid_manager.describe(v);
  });
  v.when(kind == Kind::kLetflow || kind == Kind::kConga, "kind: letflow or conga",
         [&] { flowlet.describe(v); });
  v.when(kind == Kind::kDrill, "kind: drill", [&] { drill.describe(v); });
  v.when(kind == Kind::kDetail, "kind: detail", [&] { detail.describe(v); });
  v.when(kind == Kind::kConga, "kind: conga", [&] { conga.describe(v); });
  v.when(kind == Kind::kPresto, "kind: presto", [&] { presto.describe(v); });
  v.when(kind == Kind::kHedera, "kind: hedera", [&] { hedera.describe(v); });
  v.when(kind == Kind::kReps, "kind: reps", [&] { reps.describe(v); });
  v.when(kind == Kind::kHermes, "kind: hermes", [&] { hermes.describe(v); });
  v.when(kind == Kind::kConweave, "kind: conweave", [&] { conweave.describe(v); });
}

}  // namespace dcc
