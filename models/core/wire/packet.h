// The packet that devices exchange, and the pool that owns packets. Header bytes are made from a
// packet on demand (wire/roce_headers.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "describe/enum_names.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

/// Queue pair number, 24 bits; also the controller's flow number. Indexes the queue pair table of
/// the NIC that receives the packet.
using Qpn = std::uint32_t;
/// Packet sequence number: 24 bits on the wire, never wrapped inside the models.
using Psn = std::uint64_t;

// maximum number of ports of a switch; limited by Packet::ingress, in which one value stands for
// the switch itself
constexpr int kMaxPorts = 65'535;

enum class PacketKind : std::uint8_t {
  kData,  // data packet: request or response of any operation
  kAck,   // RC acknowledgement (AETH); echoes time stamp, CE and telemetry of the data packet
  kNak,   // RC negative acknowledge: see NakReason
  kCnp,   // congestion notification packet (CNP), BTH opcode 0x81
  // Packets of link control, which are never forwarded:
  kPause,        // PFC frame (802.1Qbb)
  kCreditLimit,  // InfiniBand flow control packet; `priority` is the virtual lane, see LaneCredits
  kLldp,         // LLDP frame (802.1AB); the payload is the whole frame (wire/lldp_frame.h)
  // pause of the packets to one host, `destination`, or the end of such a pause: pause_classes is 1
  // or 0 (PortDiscipline::NeighbourPause)
  kFlowPause,
  kCnm,  // congestion notification message (802.1Qau) from a switch
  // Packets of transports other than RoCE (nic/transport.h):
  kTrimmed,   // header of a data packet whose payload a switch dropped
  kReturned,  // header of a packet that a full queue sends back to the packet's sender
  kCredit,    // permission of a receiver to send: NDP's PULL, Homa's GRANT
  kRequest,   // a receiver requests data again, or a sender requests credit
  // Packets that switches send to switches:
  kPathNews,  // report about a path from edge switch to edge switch (schemes/conweave/conweave.h)
};
constexpr std::size_t kPacketKinds = static_cast<std::size_t>(PacketKind::kPathNews) + 1;

inline bool is_flow_control(PacketKind kind) {
  return kind == PacketKind::kPause || kind == PacketKind::kCreditLimit ||
         kind == PacketKind::kFlowPause;
}
/// True for link-control packets, which stay on one link.
inline bool is_link_control(PacketKind kind) {
  return is_flow_control(kind) || kind == PacketKind::kLldp;
}

/// RDMA operation of a data packet.
enum class Operation : std::uint8_t {
  kWrite,
  kSend,
  kRead,          // READ request for message_bytes bytes: one packet without payload
  kReadResponse,  // data packet that the responder sends for a READ
  // Atomic operations on eight bytes of the responder's memory; the response carries the former
  // value of these bytes:
  kCompareSwap,
  kFetchAdd,
  kAtomicResponse,
};

inline bool is_atomic(Operation operation) {
  return operation == Operation::kCompareSwap || operation == Operation::kFetchAdd;
}
/// True for a request whose response acknowledges it: READ and atomic.
inline bool expects_response(Operation operation) {
  return operation == Operation::kRead || is_atomic(operation);
}
inline bool is_response(Operation operation) {
  return operation == Operation::kReadResponse || operation == Operation::kAtomicResponse;
}

/// InfiniBand transport services: reliable connection, unreliable connection, unreliable datagram,
/// reliable datagram. The first three are values of a register.
enum class Service : std::uint8_t { kRc, kUc, kUd, kRd };
/// True if the service acknowledges packets and retransmits lost ones.
constexpr bool is_reliable(Service service) {
  return service == Service::kRc || service == Service::kRd;
}

// Names of RDMA operations for users. Responses have no name, since users do not post them.
DCC_ENUM_NAMES(Operation, {Operation::kWrite, "write"}, {Operation::kSend, "send"},
               {Operation::kRead, "read"}, {Operation::kCompareSwap, "compare_swap"},
               {Operation::kFetchAdd, "fetch_add"});
DCC_ENUM_NAMES(Service, {Service::kRc, "rc"}, {Service::kUc, "uc"}, {Service::kUd, "ud"},
               {Service::kRd, "rd"});

/// Reasons for which a responder does not execute a request.
enum class NakReason : std::uint8_t {
  kSequence,  // a packet before this one is missing
  // the request is longer than its receive buffer, or an atomic operation on an unaligned word
  kInvalid,
  kAccess,  // the address is outside the memory region
  // receiver not ready (RNR): no buffer is posted; `rnr_timer` says how long the sender must wait
  kNotReady,
};

/// Values of the IP ECN field (RFC 3168).
enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

/// In-band telemetry that one hop adds to a packet (HPCC, figure 7): the state of the hop's egress
/// port.
struct IntHop {
  PicoSeconds timestamp;
  std::uint64_t tx_bytes = 0;
  Bytes queue = 0;
  BitRate rate;
};
constexpr int kMaxIntHops = 6;
/// Telemetry of a packet's path. The stack is aligned so that a switch writes one cache line per
/// hop. The number of hops is in Packet::telemetry_hops, so that a switch need not read the stack.
struct alignas(64) IntStack {
  std::array<IntHop, kMaxIntHops> hop{};
};

/// Four bytes that load balancing adds to a packet between the edges of a fabric. `routing.kind`
/// decides which view applies; a run uses one view. All bytes are zero in a packet without the
/// header.
union OverlayHeader {
  /// Congestion of paths between two edge switches (scheme conga). The receiving edge switch clears
  /// this header.
  struct PathCongestion {
    std::uint8_t path;        // number of the uplink taken, from 1
    std::uint8_t congestion;  // greatest congestion on the path so far
    std::uint8_t
        feedback_path;      // path in the opposite direction that `feedback` describes; 0: none
    std::uint8_t feedback;  // congestion of `feedback_path`
  };
  /// Value from which switches hash a packet's path (scheme reps).
  struct Entropy {
    std::uint8_t value;  // entropy value of this packet
    std::uint8_t unused;
    std::uint8_t echo;  // entropy value of the acknowledged data packet, carried in an ACK
  };
  /// Uplink that a packet takes at the first switch (load balancer hermes).
  struct Uplink {
    std::uint8_t number;  // port number of the uplink plus 1
    std::uint8_t unused;
    std::uint8_t echo;  // uplink number of the acknowledged data packet, carried in an ACK
  };
  /// Ports chosen by the sender (load balancer source). Each member is a position among the ports
  /// that lead to the destination, from 1; 0: any port.
  struct SourceRoute {
    std::uint8_t first_port;  // port choice at the first switch
    std::uint8_t unused;
    std::uint8_t second_port;  // port choice at the second switch
  };

  // the four header bytes; the scheme conweave packs its own header into them (ConweaveHeader)
  std::array<std::uint8_t, 4> bytes{};
  PathCongestion path_congestion;
  Entropy entropy;
  Uplink uplink;
  SourceRoute route;

  /// The load-balancing header of the ACK for a packet: returns the entropy or the uplink.
  OverlayHeader echoed() const {
    OverlayHeader ack;
    ack.bytes[2] = bytes[0];
    return ack;
  }
};

/// Payload bytes of a packet (`payload: real`), recycled with the packet. For an atomic request
/// these bytes hold its AtomicOperands, for its response the former word; on the wire both are
/// headers.
using PayloadBytes = std::vector<std::uint8_t>;

/// Operands of an atomic operation.
struct AtomicOperands {
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;  // expected value; for compare-and-swap only
};
constexpr std::uint32_t kAtomicBytes = 8;

/// A packet on the wire. The first cache line has the fields that every hop reads, the second one
/// has the fields that only the ends read.
struct alignas(64) Packet {
  PacketKind kind = PacketKind::kData;
  Ecn ecn = Ecn::kNotEct;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;   // 802.1p priority; selects the switch queue and PFC class
  bool first = false;          // first packet of its message (carries a RETH)
  bool last = false;           // last packet of its message
  bool has_immediate = false;  // true if the packet carries immediate data (`immediate`)
  bool ack_requested = false;
  NakReason nak = NakReason::kSequence;  // kNak: reason of the NAK
  std::uint8_t cnp_marks = 0;            // kCnp: number of CE marks since the previous CNP
  std::uint16_t pause_classes =
      0;  // kPause: mask of priorities; a set bit p pauses priority p, a clear bit resumes it
  std::uint16_t ingress = 0;        // port through which the current switch received the packet
  std::uint8_t telemetry_hops = 0;  // number of filled entries in `telemetry`
  bool ce_echo = false;             // kAck: the acknowledged data packet carried CE
  std::uint32_t wire_bytes = 0;     // bytes from Ethernet header to FCS, without preamble and gap
  HostId source = 0;
  HostId destination = 0;
  // flow number, unique in the platform; used for statistics, traces and ECMP
  std::uint32_t flow = 0;
  Qpn destination_qpn = 0;  // number of the queue pair at the receiver of this packet
  OverlayHeader overlay;
  // arrival time of the next packet on the same wire (used by Link only)
  PicoSeconds next_arrival{};
  // telemetry stack from the pool; null unless the algorithm uses telemetry
  IntStack* telemetry = nullptr;
  // next packet in the queue, delay line or free list that holds this packet
  Packet* next = nullptr;

  Psn psn = 0;
  PicoSeconds sent{};                // time at which the data packet left its NIC; an ACK echoes it
  std::uint64_t remote_address = 0;  // kNak of selective repeat: PSN of a packet that arrived early
  PayloadBytes* payload = nullptr;   // payload bytes from the pool; null if payload is virtual
  std::uint32_t payload_bytes = 0;
  std::uint32_t message_bytes =
      0;               // DMA length of the RETH, in the first packet of a message and in kRead
  Qpn source_qpn = 0;  // number of the queue pair at the sender of this packet
  union {
    std::uint32_t immediate = 0;  // data: immediate value, in the last packet of a message;
                                  // transports other than RoCE define their own use
    // kPause: duration of the pauses in quanta, 802.3 annex 31B; 0: no end
    std::uint32_t pause_quanta;
    std::uint32_t qcn_feedback;  // kCnm: quantised feedback Fb, 1 to 63 (802.1Qau)
  };
  std::uint32_t icrc = 0;  // invariant CRC computed by the sender, with real payload only
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  union {
    // kCnp: number of data packets since the previous CNP; 0: unknown
    std::uint8_t cnp_packets = 0;
    // reliable datagram: number of the end-to-end context among those of the two hosts
    std::uint8_t ee_context;
  };
  // kNak with kNotReady: RNR timer code of the sender's waiting time (IBTA table 45)
  std::uint8_t rnr_timer = 0;
  std::uint64_t scheme = 0;  // field whose use each transport other than RoCE defines

  /// True for a data packet whose telemetry stack has room. The ACK that returns the stack does not
  /// add hops.
  bool collects_telemetry() const {
    return telemetry != nullptr && kind == PacketKind::kData && telemetry_hops < kMaxIntHops;
  }
  void add_state(StateDigest& d) const {
    d(kind, ecn, dscp, priority, first, last, has_immediate, ack_requested, nak, cnp_marks, ce_echo,
      cnp_packets, rnr_timer, pause_classes, ingress, telemetry_hops, wire_bytes, source,
      destination, flow, destination_qpn, overlay.bytes[0], overlay.bytes[1], overlay.bytes[2],
      overlay.bytes[3], psn, sent, remote_address, payload_bytes, message_bytes, source_qpn,
      immediate, icrc, operation, service, scheme);
    for (int i = 0; i < telemetry_hops && telemetry != nullptr; ++i) {
      const IntHop& hop = telemetry->hop[static_cast<std::size_t>(i)];
      d(hop.timestamp, hop.tx_bytes, hop.queue, hop.rate);
    }
    if (payload != nullptr) d.bytes(payload->data(), payload->size());
  }
};
static_assert(offsetof(Packet, psn) == 64 && sizeof(Packet) == 128);

/// The packets of one partition. The pool grows to the greatest number of packets in use and then
/// allocates no more memory.
class PacketPool {
 public:
  PacketPool() = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// Returns a packet with default values, without telemetry and payload.
  Packet* allocate();
  // Attaches a telemetry stack without hops to a packet. Entries beyond `telemetry_hops` are
  // undefined. Precondition of the three attach functions: the packet has no such attachment yet.
  void attach_telemetry(Packet& packet);
  /// Attaches a cleared telemetry stack whose entries are all valid, for headers that ports read
  /// and write.
  void attach_places(Packet& packet);
  /// Attaches a payload buffer of `bytes` bytes to a packet.
  void attach_payload(Packet& packet, std::size_t bytes);
  /// Returns the packet and its attachments to the pool.
  void free(Packet* packet);
  /// Number of packets allocated and not freed. If several pools exchange packets, only the sum
  /// over all of them is meaningful.
  std::int64_t in_use() const { return in_use_; }

  /// Number of packets for which the pool has memory.
  std::size_t size() const { return blocks_.size() * kBlock; }
  /// Calls `visit(packet)` for each packet in use whose memory belongs to this pool. If several
  /// pools exchange packets, visit all pools to reach all packets.
  template <class Visit>
  void each_in_use(Visit visit) const {
    for (const auto& block : blocks_) {
      const std::size_t made = &block == &blocks_.back() ? made_ : kBlock;
      for (std::size_t i = 0; i < made; ++i) {
        const Packet& packet = block[i].packet;
        if (packet.flow != kSpare) visit(packet);
      }
    }
  }

  /// Distributes unused packets evenly over pools that exchange packets. One-way traffic between
  /// partitions otherwise fills the pool of the receiving partition.
  static void balance(std::vector<PacketPool*> pools);

 private:
  static constexpr std::size_t kBlock = 256;
  // number of spare packets that all pools together may keep
  static constexpr std::size_t kHoard = 32 * kBlock;
  static constexpr std::size_t kMinHoard = 4 * kBlock;
  static constexpr std::uint32_t kSpare = 0xFFFFFFFF;  // flow number of a free packet
  std::size_t unused() const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(blocks_.size() * kBlock) - in_use_);
  }
  /// Memory of a packet that is constructed when it is first allocated.
  union Room {
    Room() {}  // not defaulted, because `= default` would not construct the union
    Packet packet;
  };
  static_assert(std::is_trivially_destructible_v<Packet>);
  Packet* make();
  void make_rest();
  void give_half_to(PacketPool& other);
  // allocate() constructs the packets of the newest block one at a time. Constructing all packets
  // of a block at once would evict the packets in use from the processor's caches.
  std::vector<std::unique_ptr<Room[]>> blocks_;
  std::size_t made_ = kBlock;  // number of constructed packets in the pool's newest block
  std::vector<std::unique_ptr<IntStack>> all_telemetry_;
  std::vector<std::unique_ptr<PayloadBytes>> all_payload_;
  std::vector<IntStack*> free_telemetry_;
  std::vector<PayloadBytes*> free_payload_;
  Packet* free_ = nullptr;
  std::int64_t in_use_ = 0;
};

/// First-in first-out queue of packets, linked through Packet::next.
class PacketFifo {
 public:
  bool empty() const { return head_ == nullptr; }
  Packet* front() const { return head_; }
  // Last packet of the queue. Precondition: the queue is not empty.
  Packet* back() const { return tail_; }
  void add_state(StateDigest& d) const {
    std::size_t count = 0;
    for (const Packet* packet = head_; packet != nullptr; packet = packet->next, ++count) {
      d(*packet);
    }
    d(count);
  }
  void push(Packet* packet) {
    packet->next = nullptr;
    if (head_ == nullptr) {
      head_ = packet;
    } else {
      tail_->next = packet;
    }
    tail_ = packet;
  }
  /// Replaces the last packet of the queue by `packet`. `before` is the second-last packet; null if
  /// there is none.
  void replace_back(Packet* before, Packet* packet) {
    packet->next = nullptr;
    (before == nullptr ? head_ : before->next) = packet;
    tail_ = packet;
  }
  Packet* pop() {
    Packet* const packet = head_;
    head_ = packet->next;
    return packet;
  }

 private:
  Packet* head_ = nullptr;
  Packet* tail_ = nullptr;
};

}  // namespace dcc
