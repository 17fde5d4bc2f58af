#include "nic/nic_parameters.h"

#include <algorithm>

#include "describe/class_ranges.h"
#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "driver/nic_regs.h"
#include "switch/pfc.h"
#include "wire/wire_size.h"

namespace dcc {

void CnpParameters::describe(ParameterVisitor& v) {
  v.field("interval", interval, {"0us", "1s"},
          {"least time between two CNPs within nic.cnp.scope (adapter: 4us, proportional: 2us)",
           "SIGCOMM'15: N"});
  v.follows(follows_network,
            "dcqcn, preset auto: four base RTTs; at most 50us, at least one base RTT",
            [this](const NetworkScale& network) { interval = network.reaction(); });
  v.field("dscp", dscp, {0u, NIC_CNP_DSCP_VALUE_MASK}, {"DSCP of a CNP"});
  v.field("priority", priority, {0u, NIC_CNP_PRIORITY_VALUE_MASK}, {"802.1p priority of a CNP"});
  v.field("carry_marks", carry_marks, {},
          {"a CNP carries the number of CE marks since the previous CNP (proportional: true)"});
  v.choice("ecn", ecn,
           {"ECN field of a CNP when the receiver sends it; ect0: binary 10, as adapters do; ect1: "
            "binary 01, as the RoCEv2 article has it"});
  v.choice("accept", accept,
           {"ECN field by which a sender recognises a CNP; it ignores a CNP with another one, but "
            "not one that a switch marked CE on the way. any: no filter"});
  v.choice("scope", scope,
           {"which queue pairs share a limiter of the interval at a receiver: none, those of "
            "one sending host, or all of the port",
            "Lumina, SIGCOMM'23, 6.3"});
  v.field("notify", notify, {},
          {"this host sends CNPs for the CE marks that reach it (notification point)",
           "adapters' np enable"});
  v.field("react", react, {},
          {"this host obeys CNPs (reaction point); false: it counts them as refused",
           "adapters' rp enable"});
  v.field("with_nak", with_nak, {},
          {"this host sends a CNP with each NAK for a missing packet, whatever the interval",
           "Lumina, SIGCOMM'23: ConnectX-5 and ConnectX-6 with slow restart"});
  v.field("delay", delay, {"0us", "1ms"},
          {"time from the packet that causes a CNP to the CNP in its queue at the port"});
}

void RecoveryParameters::describe(ParameterVisitor& v) {
  v.choice("kind", kind,
           {"reaction to a NAK or a timeout; none: no retransmission, so a flow that loses a "
            "packet never ends. selective_repeat: the receiver keeps early packets, each of its "
            "NAKs names the one that came, and the sender repeats what is missing only; go_back_n "
            "holds for flows of which one end only repeats selectively",
            "InfiniBand RC; IRN, SIGCOMM'18, 3"});
  v.field("timeout", timeout, {"1us", "10s"},
          {"time without progress after which unacknowledged packets are sent again"});
  v.follows(true,
            "67108864ns, which adapters begin with, where flow control protects all traffic and no "
            "fault is injected; otherwise the base RTT and the time in which the slowest link "
            "drains a switch's buffer, from 500us to 67108864ns",
            [this](const NetworkScale& network) { timeout = timeout_for(network); });
  v.field("adaptive", adaptive, {},
          {"the timeout begins at least_timeout, or at two recent round trips if that is longer; "
           "from the second timeout in a row it doubles, up to nic.recovery.timeout. Shorter "
           "timeouts do not count to nic.recovery.retries",
           "mlx5 roce_adp_retrans_en; Lumina, SIGCOMM'23, 6.3: 5.6, 4.1, 8.4, 16.7, 25.1, 67.1 ms "
           "in a row where 67.1 ms are set, 8 to 13 tries instead of 7"});
  v.field("least_timeout", least_timeout, "auto", {"4096ns", "10s"},
          {"least timeout with `adaptive: true`; auto: a sixteenth of nic.recovery.timeout, at "
           "least 4096ns",
           "Lumina, SIGCOMM'23, 6.3"});
  v.field("retries", retries, "unlimited", {"0", "255"},
          {"greatest number of retransmissions without progress; then the queue pair fails",
           "InfiniBand RC"});
  v.field("not_ready_retries", not_ready_retries, "unlimited", {"0", "255"},
          {"greatest number of repetitions of a SEND that finds no buffer at the receiver",
           "InfiniBand RC: RNR retry"});
  v.field(
      "not_ready_delay", not_ready_delay, {"10us", "655360us"},
      {"time that a receiver without a buffer asks a sender to wait; rounded up to one of the 32 "
       "times that a NAK can carry",
       "InfiniBand RC: RNR NAK timer"});
  v.field("reorder_window", reorder_window, {"0", "16384"},
          {"number of out-of-order packets that a receiver keeps; a packet beyond causes a NAK. 0: "
           "every "
           "out-of-order packet is discarded and causes a NAK",
           "Presto, SIGCOMM'15, 4; IRN, SIGCOMM'18"});
  v.follows(is_selective(),
            "selective_repeat: two bandwidth-delay products in packets of 1000 bytes, at least 256",
            [this](const NetworkScale& network) { reorder_window = window_for(network); });
}

PicoSeconds RecoveryParameters::first_timeout() const {
  if (!adaptive) return timeout;
  // timeout for exponent 0 of InfiniBand's Local ACK Timeout
  constexpr PicoSeconds kShortest = kNanoSecond * 4096;
  const PicoSeconds sixteenth = PicoSeconds(timeout.count / 16);
  return std::min(timeout, least_timeout.value_or(std::max(sixteenth, kShortest)));
}

PicoSeconds RecoveryParameters::timeout_for(const NetworkScale& network) {
  // Default timeout of InfiniBand RC: 4.096 us · 2^14, where 14 is the usual Local ACK Timeout.
  constexpr PicoSeconds kUsual = kNanoSecond * (4'096 << 14);
  if (network.lossless) return kUsual;
  const PicoSeconds drained = network.base_rtt + serialization_time(network.buffer, network.rate);
  constexpr std::int64_t kStep = 1'000'000;  // picoseconds in a microsecond, the timeout's unit
  const PicoSeconds rounded((drained.count / kStep + 1) * kStep);
  return std::min(kUsual, std::max(PicoSeconds(kMicroSecond * 500), rounded));
}

unsigned RecoveryParameters::window_for(const NetworkScale& network) {
  const std::int64_t packets = 2 * (network.base_rtt / serialization_time(1000, network.rate));
  return static_cast<unsigned>(std::clamp<std::int64_t>(packets, 256, 16'384));
}

Bytes WindowParameters::limit_at(Rate rate, BitRate line_rate, PicoSeconds base_rtt) const {
  constexpr std::uint64_t kPerByte = 8'000'000'000'000;  // bits in a byte times ps in a second
  const Uint128 product =
      Uint128(static_cast<std::uint64_t>(base_rtt.count)) * line_rate.bits_per_second / kPerByte;
  Uint128 allowed = limit == Limit::kBdp ? product : Uint128(static_cast<std::uint64_t>(bytes));
  if (follows_rate) allowed = allowed * rate.raw / Rate::from(line_rate).raw;
  return std::max<Bytes>(static_cast<Bytes>(allowed), 1);
}

void WindowParameters::describe(ParameterVisitor& v) {
  v.choice("limit", limit,
           {"greatest number of unacknowledged bytes of a queue pair, beside what its algorithm "
            "allows. bdp: line rate times base RTT; bytes: nic.window.bytes",
            "HPCC, SIGCOMM'19, 5.1: DCQCN+win and TIMELY+win"});
  v.field("bytes", bytes, {"64B", "1GB"}, {"the limit with `limit: bytes`"});
  v.field("follows_rate", follows_rate, {},
          {"the limit is scaled by the queue pair's rate over the line rate",
           "reference simulator of HPCC: VAR_WIN"});
}

void ReceiveBufferParameters::describe(ParameterVisitor& v) {
  v.field("size", size, {"4KiB", "1GiB"},
          {"payload that waits for DMA; used where `payload: real` and nic.dma.rate is below the "
           "port's rate",
           "ConnectX-5: 262016 bytes (mlnx_qos)"});
  v.choice(
      "when_full", when_full,
      {"pause: the NIC pauses the lossless priorities of the switch by PFC, the headroom of the "
       "link before the end of the buffer, and drops others; not_ready: a reliable sender is "
       "asked to try again later (RNR NAK), others lose the packet; drop: the packet is lost",
       "802.1Qbb; InfiniBand RC: RNR NAK"});
}

Bytes NicParameters::pause_headroom() const {
  LinkParameters link;
  link.rate = line_rate;
  link.delay = link_delay;
  link.overhead = link_overhead;
  return headroom_for(link, roce::data_wire_bytes(mtu, true, true));
}

void MessageRateParameters::describe(ParameterVisitor& v) {
  v.field("queue_pair", queue_pair, "unlimited", {"1kHz", "10GHz"},
          {"greatest number of messages, or requests, that a queue pair starts in a second",
           "ConnectX-5, one process with messages of 1 KiB: 3.87 million"});
  v.field("nic", nic, "unlimited", {"1kHz", "10GHz"},
          {"greatest number of messages, or requests, that all queue pairs of a NIC start in a "
           "second; they take turns",
           "ConnectX-5, messages of 512 bytes: 16.6 million"});
}

void describe_ack_every(ParameterVisitor& v, unsigned& ack_every) {
  v.field("ack_every", ack_every, {"1", "256"},
          {"with `ack: per_packet`: number of packets for one ACK; the last packet of a "
           "message always gets one. A queue pair with a window requests an ACK for each "
           "packet, since only ACKs open it",
           "reference simulator of HPCC: L2_ACK_INTERVAL"});
}

void describe_mtu(ParameterVisitor& v, std::uint32_t& mtu) {
  v.field_as<Bytes>("mtu", mtu, {Bytes{NIC_MTU_VALUE_MIN}, Bytes{NIC_MTU_VALUE_MAX}},
                    {"payload bytes of a full packet; between hosts that differ, of the smaller "
                     "one's",
                     "InfiniBand: path MTU"});
}

void NicParameters::describe(ParameterVisitor& v) {
  describe_mtu(v, mtu);
  v.choice("payload", payload,
           {"virtual: packets carry lengths only; real: DMA moves the bytes, and the ICRC is "
            "computed and "
            "checked"});
  v.choice("ack", ack, {"when a receiver acknowledges"});
  describe_ack_every(v, ack_every);
  v.field("ack_priority", ack_priority, "data", any_priority(),
          {"802.1p priority of ACKs; data: the priority of the acknowledged packet"});
  v.field("jitter", jitter, {"0us", "1ms"},
          {"greatest extra delay of a packet from a NIC, drawn for each packet"});
  v.section("clock", {"clock of a host, with which algorithms measure round-trip times"},
            [&] { clock.describe(v); });
  v.section("window", {"limit of what is under way"}, [&] { window.describe(v); });
  v.section("message_rate", {"limits of the messages in a second"},
            [&] { message_rate.describe(v); });
  v.section("recovery", {"retransmission of lost packets"}, [&] { recovery.describe(v); });
  v.field(
      "outstanding_reads", outstanding_reads, {"1", "65535"},
      {"greatest number of concurrent READs of a queue pair", "InfiniBand RC: initiator depth"});
  v.section("dma", {"link to the host: descriptors, payload, completions"},
            [&] { dma.describe(v); });
  v.section("receive_buffer", {"payload between the port and a slower memory"},
            [&] { receive_buffer.describe(v); });
}

}  // namespace dcc
