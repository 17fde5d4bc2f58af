#include "measure/field_counters.h"

#include <functional>

#include "nic/nic_device.h"
#include "switch/switch_device.h"

namespace dcc::vp {
namespace {

template <class Of>
struct Row {
  FieldCounter about;
  std::function<std::uint64_t(const Of&)> read;
};

/// Counters of one queue of a switch port.
struct SwitchQueue {
  const SwitchDevice& device;
  int port;
  int priority;
};

using HostRow = Row<HostPort>;
using PortRow = Row<SwitchPort>;
using QueueRow = Row<SwitchQueue>;

constexpr std::uint64_t kPicosInMicro = 1'000'000;
constexpr const char* kHardware = "hw_counters";
constexpr const char* kPort = "counters";
constexpr const char* kEthtool = "ethtool -S";
constexpr const char* kSai = "SAI";
constexpr const char* kWatchdog = "SONiC pfcwd";

std::uint64_t count(PicoSeconds time) { return static_cast<std::uint64_t>(time.count); }

HostRow of_nic(const char* name, const char* unit, const char* meaning,
               std::uint64_t NicCounters::*member, const char* source = kHardware) {
  return {{name, source, unit, meaning},
          [member](const HostPort& p) { return p.nic.counters().*member; }};
}

/// Describes a counter of a NIC that is the difference of two counters.
HostRow of_nic(const char* name, const char* unit, const char* meaning,
               std::uint64_t NicCounters::*all, std::uint64_t NicCounters::*without) {
  return {{name, kHardware, unit, meaning}, [all, without](const HostPort& p) {
            return p.nic.counters().*all - p.nic.counters().*without;
          }};
}

void add_priorities(std::vector<HostRow>& rows) {
  for (int p = 0; p < kPriorities; ++p) {
    const std::string n = std::to_string(p);
    rows.push_back({{"rx_prio" + n + "_pause", kEthtool, "packets",
                     "PFC frames received that pause the priority; a frame that repeats a pause "
                     "counts again"},
                    [p](const HostPort& h) { return h.nic.transmitter().pauses(p).frames; }});
    rows.push_back(
        {{"rx_prio" + n + "_pause_duration", kEthtool, "us",
          "time for which the switch paused the priority, or gave no credit", kPicosInMicro},
         [p](const HostPort& h) { return count(h.nic.transmitter().pauses(p).time); }});
    rows.push_back(
        {{"rx_prio" + n + "_pause_transition", kEthtool, "", "times that such a pause ended"},
         [p](const HostPort& h) { return h.nic.transmitter().pauses(p).ends; }});
    rows.push_back({{"tx_prio" + n + "_pause", kEthtool, "packets",
                     "PFC frames sent that pause the priority at the switch"},
                    [p](const HostPort& h) { return h.nic.pause_frames_sent(p); }});
  }
}

std::vector<HostRow> make_host_rows() {
  std::vector<HostRow> rows{
      of_nic("np_ecn_marked_roce_packets", "packets", "RoCE data received with a CE mark",
             &NicCounters::ce_received),
      of_nic("np_cnp_sent", "packets", "CNPs sent as a receiver of data", &NicCounters::cnps_sent),
      of_nic("rp_cnp_handled", "packets", "CNPs received that reached the congestion control",
             &NicCounters::cnps_received, &NicCounters::cnps_ignored),
      of_nic("rp_cnp_ignored", "packets",
             "CNPs received for a queue pair that does not exist or is not under congestion "
             "control",
             &NicCounters::cnps_ignored),
      of_nic("out_of_sequence", "packets",
             "data packets that a responder received before a missing one",
             &NicCounters::out_of_order, &NicCounters::responses_early),
      of_nic("packet_seq_err", "packets", "NAKs for a sequence error received as a requester",
             &NicCounters::sequence_naks_received),
      of_nic("implied_nak_seq_err", "packets",
             "responses to READs and atomics received before a missing one",
             &NicCounters::responses_early),
      of_nic("local_ack_timeout_err", "", "retransmission timers that ran out at a requester",
             &NicCounters::timeouts),
      of_nic("rnr_nak_retry_err", "packets", "RNR NAKs received as a requester",
             &NicCounters::not_ready_naks_received),
      of_nic("out_of_buffer", "packets", "SENDs that found no receive buffer posted",
             &NicCounters::receives_missing),
      of_nic("duplicate_request", "packets",
             "requests and data that a responder had received before", &NicCounters::duplicates,
             &NicCounters::responses_repeated),
      of_nic("rx_icrc_encapsulated", "packets", "RoCE packets received with a wrong ICRC",
             &NicCounters::icrc_errors),
      of_nic("resp_remote_access_errors", "",
             "accesses that a responder refused, outside a memory region",
             &NicCounters::mr_violations),
      {{"port_xmit_packets", kPort, "packets", "packets that the link from the host carried"},
       [](const HostPort& p) { return p.out.packets; }},
      {{"port_xmit_data", kPort, "4 B",
        "wire bytes of these packets, without preamble and gap, divided by 4", 4},
       [](const HostPort& p) { return p.out.bytes; }},
      of_nic("port_rcv_packets", "packets", "packets received, PFC frames included",
             &NicCounters::packets_received, kPort),
      {{"port_rcv_data", kPort, "4 B",
        "wire bytes of packets that the link to the host carried, counted when their sending "
        "began, divided by 4",
        4},
       [](const HostPort& p) { return p.in.bytes; }},
      {{"tx_packets_phy", kEthtool, "packets", "as port_xmit_packets"},
       [](const HostPort& p) { return p.out.packets; }},
      {{"tx_bytes_phy", kEthtool, "B", "as port_xmit_data, in bytes"},
       [](const HostPort& p) { return p.out.bytes; }},
      of_nic("rx_packets_phy", "packets", "as port_rcv_packets", &NicCounters::packets_received,
             kEthtool),
      {{"rx_bytes_phy", kEthtool, "B", "as port_rcv_data, in bytes"},
       [](const HostPort& p) { return p.in.bytes; }},
      of_nic("rx_discards_phy", "packets", "packets lost because the NIC's receive buffer was full",
             &NicCounters::receive_discards, kEthtool),
      of_nic("rx_pause_ctrl_phy", "packets", "PFC frames received, those that resume included",
             &NicCounters::pauses_received, kEthtool),
      of_nic("tx_pause_ctrl_phy", "packets", "PFC frames sent, those that resume included",
             &NicCounters::pause_frames_sent, kEthtool),
  };
  add_priorities(rows);
  return rows;
}

std::vector<PortRow> make_port_rows() {
  std::vector<PortRow> rows{
      {{"SAI_PORT_STAT_IF_OUT_OCTETS", kSai, "B",
        "wire bytes that the link from the port carried, without preamble and gap"},
       [](const SwitchPort& p) { return p.out.bytes; }},
      {{"SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS", kSai, "packets",
        "packets that the link from the port carried, PFC frames included"},
       [](const SwitchPort& p) { return p.out.packets; }},
      {{"SAI_PORT_STAT_IF_IN_OCTETS", kSai, "B",
        "wire bytes that the link to the port carried, counted when their sending began"},
       [](const SwitchPort& p) { return p.in.bytes; }},
      {{"SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS", kSai, "packets",
        "packets that the link to the port carried, likewise"},
       [](const SwitchPort& p) { return p.in.packets; }},
      {{"SAI_PORT_STAT_ECN_MARKED_PACKETS", kSai, "packets",
        "packets changed from ECT to CE at the port"},
       [](const SwitchPort& p) { return p.device.counters(p.number).ecn_marks; }},
      {{"SAI_PORT_STAT_IF_OUT_DISCARDS", kSai, "packets",
        "packets to the port that were dropped: no room, a limit, WRED or the watchdog"},
       [](const SwitchPort& p) { return p.device.counters(p.number).dropped; }},
  };
  for (int i = 0; i < kPriorities; ++i) {
    const std::string name = "SAI_PORT_STAT_PFC_" + std::to_string(i);
    const auto received = [i](const SwitchPort& p) {
      return p.device.received_pauses(p.number, i);
    };
    rows.push_back({{name + "_RX_PKTS", kSai, "packets",
                     "PFC frames received that pause the priority; a frame that repeats a pause "
                     "counts again"},
                    [received](const SwitchPort& p) { return received(p).frames; }});
    rows.push_back(
        {{name + "_TX_PKTS", kSai, "packets",
          "PFC frames sent that pause the priority at the neighbour"},
         [i](const SwitchPort& p) { return p.device.pfc(p.number).pause_frames_sent(i); }});
    rows.push_back(
        {{name + "_RX_PAUSE_DURATION_US", kSai, "us",
          "time for which the neighbour paused the priority, or gave no credit", kPicosInMicro},
         [received](const SwitchPort& p) { return count(received(p).time); }});
    rows.push_back({{name + "_ON2OFF_RX_PKTS", kSai, "", "times that such a pause ended"},
                    [received](const SwitchPort& p) { return received(p).ends; }});
  }
  return rows;
}

QueueRow of_queue(const char* name, const char* unit, const char* meaning,
                  std::uint64_t QueueingPort::QueueCounters::*member) {
  return {{name, kSai, unit, meaning}, [member](const SwitchQueue& q) -> std::uint64_t {
            const QueueingPort* const port = q.device.queues(q.port);
            return port == nullptr ? 0 : port->queue_counters(q.priority).*member;
          }};
}

std::vector<QueueRow> make_queue_rows() {
  using Counters = QueueingPort::QueueCounters;
  std::vector<QueueRow> rows{
      of_queue("SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", "packets",
               "packets of the queue changed from ECT to CE", &Counters::ecn_marks),
      of_queue("SAI_QUEUE_STAT_DROPPED_PACKETS", "packets",
               "packets for the queue that were dropped", &Counters::dropped),
      of_queue("SAI_QUEUE_STAT_DROPPED_BYTES", "B", "wire bytes of these packets",
               &Counters::dropped_bytes),
  };
  const auto peak = [&](const char* name, const char* meaning, auto read) {
    rows.push_back({{name, kSai, "B", meaning, 1, true},
                    [read](const SwitchQueue& q) { return static_cast<std::uint64_t>(read(q)); }});
  };
  peak("SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
       "greatest number of bytes that waited in the queue; a packet that leaves when it arrives "
       "does not wait",
       [](const SwitchQueue& q) {
         const QueueingPort* const port = q.device.queues(q.port);
         return port == nullptr ? Bytes{0} : port->peak(q.priority);
       });
  peak("SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
       "greatest number of bytes in the buffer that came in at this port in this priority, outside "
       "the headroom; a packet that leaves when it arrives is not counted",
       [](const SwitchQueue& q) { return q.device.buffer().peak(q.port, q.priority); });
  peak("SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
       "greatest number of bytes in the headroom of this port and priority",
       [](const SwitchQueue& q) { return q.device.buffer().headroom_peak(q.port, q.priority); });
  const auto watchdog = [&](const char* name, const char* meaning,
                            std::uint64_t (PfcWatchdog::*read)(int, int) const) {
    rows.push_back({{name, kWatchdog, "", meaning}, [read](const SwitchQueue& q) -> std::uint64_t {
                      const PfcWatchdog* const of = q.device.watchdog();
                      return of == nullptr ? 0 : (of->*read)(q.port, q.priority);
                    }});
  };
  watchdog("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "pause storms that the watchdog found",
           &PfcWatchdog::storms);
  watchdog("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "such storms that ended",
           &PfcWatchdog::restored);
  return rows;
}

const std::vector<HostRow>& host_rows() {
  static const std::vector<HostRow> rows = make_host_rows();
  return rows;
}
const std::vector<PortRow>& port_rows() {
  static const std::vector<PortRow> rows = make_port_rows();
  return rows;
}
const std::vector<QueueRow>& queue_rows() {
  static const std::vector<QueueRow> rows = make_queue_rows();
  return rows;
}

template <class Of>
std::vector<FieldCounter> abouts(const std::vector<Row<Of>>& rows) {
  std::vector<FieldCounter> list;
  for (const Row<Of>& row : rows) list.push_back(row.about);
  return list;
}

template <class Of>
void read_all(const std::vector<Row<Of>>& rows, const Of& of, std::vector<std::uint64_t>& to) {
  for (const Row<Of>& row : rows) to.push_back(row.read(of));
}

}  // namespace

const std::vector<FieldCounter>& host_counters() {
  static const std::vector<FieldCounter> list = abouts(host_rows());
  return list;
}
const std::vector<FieldCounter>& port_counters() {
  static const std::vector<FieldCounter> list = abouts(port_rows());
  return list;
}
const std::vector<FieldCounter>& queue_counters() {
  static const std::vector<FieldCounter> list = abouts(queue_rows());
  return list;
}

const std::vector<MissingCounter>& missing_counters() {
  static const std::vector<MissingCounter> list{
      {"rx_write_requests, rx_read_requests, rx_atomic_requests", kHardware,
       "requests are not counted by kind at the responder"},
      {"req_cqe_error, req_cqe_flush_error, resp_cqe_error, req_remote_access_errors, "
       "req_remote_invalid_request, resp_local_length_error",
       kHardware, "completions in error are reported to the software only"},
      {"roce_adp_retrans, roce_adp_retrans_to", kHardware,
       "adaptive retransmission has no counters of its own"},
      {"roce_slow_restart, roce_slow_restart_cnps, roce_slow_restart_trans", kHardware,
       "there is no slow restart after idle time"},
      {"lifespan", kHardware, "every value is exact at the end of the window"},
      {"port_xmit_wait", kPort, "rx_prioN_pause_duration has the time by priority"},
      {"port_rcv_errors, port_xmit_discards, symbol_error, link_downed", kPort,
       "links have no bit errors; failures of links are faults of the configuration"},
      {"rx_prioN_packets, rx_prioN_bytes, tx_prioN_packets, tx_prioN_bytes, rx_prioN_discards",
       kEthtool, "a NIC counts packets and bytes for all priorities together"},
      {"tx_prioN_pause_duration", kEthtool, "the switch's RX_PAUSE_DURATION_US has it"},
      {"rx_pause_storm_warning_events, tx_pause_storm_warning_events", kEthtool,
       "an adapter has no watchdog of its own"},
      {"rx_ecn_mark, rx_vport_rdma_unicast_bytes, tx_vport_rdma_unicast_bytes", kEthtool,
       "there is no traffic beside that of the transport"},
      {"SAI_QUEUE_STAT_PACKETS, SAI_QUEUE_STAT_BYTES", kSai,
       "a port counts packets and bytes for all queues together"},
      {"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", kSai,
       "buffers of metrics.json has it for the whole switch"},
      {"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", kSai,
       "drops are counted at the queue that the packet was for"},
  };
  return list;
}

void read_counters(const HostPort& port, std::vector<std::uint64_t>& to) {
  read_all(host_rows(), port, to);
}
void read_counters(const SwitchPort& port, std::vector<std::uint64_t>& to) {
  read_all(port_rows(), port, to);
}
void read_counters(const SwitchPort& port, int priority, std::vector<std::uint64_t>& to) {
  read_all(queue_rows(), {port.device, port.number, priority}, to);
}

}  // namespace dcc::vp
