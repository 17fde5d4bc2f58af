#include "nic/nic_parameters.h"

#include "describe/class_ranges.h"
#include "describe/visitor.h"
#include "registers/generated/nic_parameters.h"

namespace dcc {

void CnpParameters::describe(ParameterVisitor& v) {
  namespace map = regs::nic_map;
  v.field("interval", interval, {"0us", "1s"},
          {"at most one a flow in this time (adapter: 4us, proportional: 2us)", "SIGCOMM'15: N",
           kRuntime});
  v.field("dscp", dscp, {map::kCnpDscpValueMin, map::kCnpDscpValueMax},
          {"DSCP of a CNP", "", kRuntime});
  v.field("priority", priority, {map::kCnpPriorityValueMin, map::kCnpPriorityValueMax},
          {"802.1p priority of a CNP", "", kRuntime});
  v.field("carry_marks", carry_marks, {},
          {"a CNP says how many CE marks it stands for (proportional: true)", "", kRuntime});
}

void RecoveryParameters::describe(ParameterVisitor& v) {
  v.choice(
      "kind", kind,
      {"what a NAK or a timeout does; none: nothing, and a flow that loses a packet never ends",
       "InfiniBand RC"});
  v.field("timeout", timeout, {"1us", "10s"},
          {"repeat when nothing was acknowledged for so long", ""});
  v.field("retries", retries, "unlimited", {"0", "255"},
          {"repeats in a row that nothing answers before a queue pair fails", "InfiniBand RC"});
  v.field("not_ready_retries", not_ready_retries, "unlimited", {"0", "255"},
          {"... and that find no buffer for a SEND", "InfiniBand RC: RNR retry"});
  v.field("not_ready_delay", not_ready_delay, {"10us", "655360us"},
          {"how long a receiver without a buffer asks a sender to wait; the next longer one of the "
           "32 times that a NAK can name",
           "InfiniBand RC: RNR NAK timer"});
  v.field(
      "reorder_window", reorder_window, {"0", "16384"},
      {"packets that a receiver keeps until what is before them has come; a NAK only beyond. 0: "
       "an early packet is discarded, and tells of a loss",
       "Presto, SIGCOMM'15, 4; IRN, SIGCOMM'18"});
}

void NicParameters::describe(ParameterVisitor& v) {
  namespace map = regs::nic_map;
  v.field_as<Bytes>("mtu", mtu, {Bytes{map::kMtuValueMin}, Bytes{map::kMtuValueMax}},
                    {"payload bytes of a packet", "", kRuntime});
  v.choice("payload", payload,
           {"virtual: lengths only; real: bytes moved by DMA, ICRC computed, checked", ""});
  v.choice("ack", ack, {"when a receiver acknowledges", "", kRuntime});
  v.field("ack_priority", ack_priority, "data", any_priority(),
          {"802.1p priority of ACKs; data: that of what they acknowledge", ""});
  v.field("jitter", jitter, {"0us", "1ms"},
          {"a packet from a NIC arrives up to so much later, drawn for each", ""});
  v.section("clock", {"of a host, by which algorithms take round-trip times", ""},
            [&] { clock.describe(v); });
  v.section("recovery", {"of lost packets", ""}, [&] { recovery.describe(v); });
  v.field("outstanding_reads", outstanding_reads, {"1", "65535"},
          {"READs of a queue pair under way at a time", "InfiniBand RC: initiator depth"});
  v.section("dma", {"link to the host: descriptors, payload, completions", ""},
            [&] { dma.describe(v); });
}

}  // namespace dcc
