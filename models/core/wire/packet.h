// The packet as the fabric moves it: what devices read on every hop, and nothing else.
// Real header bytes are made from it on demand (wire/roce_headers.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "describe/enum_names.h"
#include "units.h"

namespace dcc {

/// Queue pair number, 24 bits; here also the controller's *flow number*. It is an index into the
/// queue pair table of the NIC that receives the packet.
using Qpn = std::uint32_t;
/// Packet sequence number, 24 bits on the wire; kept unwrapped inside the models.
using Psn = std::uint64_t;

constexpr int kMaxPorts = 65'535;  // of a switch: Packet::ingress, less one for the switch itself

enum class PacketKind : std::uint8_t {
  kData,  // requests and READ responses, whatever their operation
  kAck,   // RC acknowledge (AETH), carries the echo of time stamp, CE and telemetry
  kNak,   // RC negative acknowledge: see NakReason
  kCnp,   // congestion notification packet, BTH opcode 0x81
  // Of one link, never forwarded:
  kPause,        // PFC, 802.1Qbb
  kCreditLimit,  // InfiniBand's flow control packet: `priority` is the lane, see LaneCredits
  kLldp,         // 802.1AB; its payload is the whole frame (wire/lldp_frame.h)
  kCnm,          // 802.1Qau congestion notification message, made by a switch
  // Of transports other than RoCE (nic/transport.h):
  kTrimmed,   // data whose payload a port cut off: the header arrives
  kReturned,  // such a header turned round to its sender, for want of room
  kCredit,    // a receiver lets a sender send: NDP's PULL, Homa's GRANT
  kRequest,   // a receiver asks for data again, a sender for credit
  // Of switches among themselves:
  kPathNews,  // one edge of the fabric tells another of a way (schemes/conweave/conweave.h)
};
constexpr std::size_t kPacketKinds = static_cast<std::size_t>(PacketKind::kPathNews) + 1;

inline bool is_flow_control(PacketKind kind) {
  return kind == PacketKind::kPause || kind == PacketKind::kCreditLimit;
}
/// Of one link.
inline bool is_link_control(PacketKind kind) {
  return is_flow_control(kind) || kind == PacketKind::kLldp;
}

/// What a data packet does.
enum class Operation : std::uint8_t {
  kWrite,
  kSend,
  kRead,          // the request: one packet without payload, message_bytes are asked for
  kReadResponse,  // the data, from the host that was asked
  // On eight bytes of the receiver's memory, in one; the response brings what they were before:
  kCompareSwap,
  kFetchAdd,
  kAtomicResponse,
};

inline bool is_atomic(Operation operation) {
  return operation == Operation::kCompareSwap || operation == Operation::kFetchAdd;
}
/// A request that its answer acknowledges.
inline bool expects_response(Operation operation) {
  return operation == Operation::kRead || is_atomic(operation);
}
inline bool is_response(Operation operation) {
  return operation == Operation::kReadResponse || operation == Operation::kAtomicResponse;
}

/// InfiniBand's transport services: reliable and unreliable connection, unreliable datagram.
enum class Service : std::uint8_t { kRc, kUc, kUd };

// As a user names them; responses are made, not asked for.
DCC_ENUM_NAMES(Operation, {Operation::kWrite, "write"}, {Operation::kSend, "send"},
               {Operation::kRead, "read"}, {Operation::kCompareSwap, "compare_swap"},
               {Operation::kFetchAdd, "fetch_add"});
DCC_ENUM_NAMES(Service, {Service::kRc, "rc"}, {Service::kUc, "uc"}, {Service::kUd, "ud"});

/// Why a request was not carried out.
enum class NakReason : std::uint8_t {
  kSequence,  // a packet before it is missing
  kInvalid,   // longer than the buffer it was to go to, or an atomic one on no aligned word
  kAccess,    // an address that is not the receiver's to give
  kNotReady,  // RNR: no buffer is posted; `rnr_timer` says how long the sender waits
};

/// IP ECN field, RFC 3168.
enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

/// One hop's telemetry (HPCC, figure 7): egress port's clock, bytes sent, queue, rate.
struct IntHop {
  PicoSeconds timestamp;
  std::uint64_t tx_bytes = 0;
  Bytes queue = 0;
  BitRate rate;
};
constexpr int kMaxIntHops = 6;
/// Aligned so that a switch writes one cache line; Packet::telemetry_hops counts, so that it need
/// not read one.
struct alignas(64) IntStack {
  std::array<IntHop, kMaxIntHops> hop{};
};

/// Four bytes that load balancing adds to a packet between the edges of a fabric. `routing.kind`
/// decides which view applies; a run uses one view. All bytes are zero in a packet without the
/// header.
union OverlayHeader {
  /// Congestion of paths between two edge switches (conga). The far edge clears the header.
  struct PathCongestion {
    std::uint8_t path;        // number of the uplink taken, from 1
    std::uint8_t congestion;  // greatest congestion on the path so far
    std::uint8_t
        feedback_path;      // path in the opposite direction that `feedback` describes; 0: none
    std::uint8_t feedback;  // congestion of `feedback_path`
  };
  /// Value from which switches hash a packet's path (reps).
  struct Entropy {
    std::uint8_t value;  // of this packet
    std::uint8_t unused;
    std::uint8_t echo;  // ACK: `value` of the acknowledged data packet
  };
  /// Uplink of the first switch (hermes).
  struct Uplink {
    std::uint8_t number;  // port number plus 1
    std::uint8_t unused;
    std::uint8_t echo;  // ACK: `number` of the acknowledged data packet
  };
  /// Ports chosen by the sender (source). Each is a position among the ports that lead to the
  /// destination, from 1; 0: any.
  struct SourceRoute {
    std::uint8_t first_port;  // at the first switch
    std::uint8_t unused;
    std::uint8_t second_port;  // at the second switch
  };

  std::array<std::uint8_t, 4> bytes{};  // conweave packs its own header (ConweaveHeader)
  PathCongestion path_congestion;
  Entropy entropy;
  Uplink uplink;
  SourceRoute route;

  /// Header of the ACK for a packet with this header: returns the entropy or the uplink.
  OverlayHeader echoed() const {
    OverlayHeader ack;
    ack.bytes[2] = bytes[0];
    return ack;
  }
};

/// Bytes a packet really carries (`payload: real`); recycled with its packet. An atomic request's
/// are its AtomicOperands, those of its response the word as it was: on the wire, both are headers.
using PayloadBytes = std::vector<std::uint8_t>;

/// What an atomic operation works with.
struct AtomicOperands {
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;  // of a compare-and-swap
};
constexpr std::uint32_t kAtomicBytes = 8;

/// One cache line for what every hop reads, one for what only its ends do.
struct alignas(64) Packet {
  PacketKind kind = PacketKind::kData;
  Ecn ecn = Ecn::kNotEct;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;   // 802.1p; PFC and the switch queues go by it
  bool first = false;          // of its message (carries a RETH)
  bool last = false;           // of its message
  bool has_immediate = false;  // RDMA WRITE with immediate
  bool ack_requested = false;
  NakReason nak = NakReason::kSequence;  // of a kNak
  std::uint8_t cnp_marks = 0;            // kCnp: number of CE marks since the previous CNP
  std::uint16_t pause_classes = 0;       // kPause: bit p set = priority p stops, clear = resumes
  std::uint16_t ingress = 0;             // port through which the holding switch received it
  std::uint8_t telemetry_hops = 0;       // number of filled entries in `telemetry`
  bool ce_echo = false;                  // kAck: the acknowledged data packet carried CE
  std::uint32_t wire_bytes = 0;          // Ethernet header to FCS, without preamble and gap
  HostId source = 0;
  HostId destination = 0;
  std::uint32_t flow = 0;   // platform-wide flow id: statistics and traces, ECMP
  Qpn destination_qpn = 0;  // queue pair at the receiver of this packet
  OverlayHeader overlay;
  PicoSeconds next_arrival{};     // of the packet behind it on the same wire (used by Link only)
  IntStack* telemetry = nullptr;  // of the pool; null unless the algorithm asked for it
  Packet* next = nullptr;         // intrusive: queue, delay line or free list, one at a time

  Psn psn = 0;
  PicoSeconds sent{};  // when the data packet left its NIC; echoed by its ACK
  std::uint64_t remote_address = 0;
  PayloadBytes* payload = nullptr;  // of the pool; null when payload is virtual
  std::uint32_t payload_bytes = 0;
  std::uint32_t message_bytes = 0;  // first of its message, or kRead: the RETH's DMA length
  Qpn source_qpn = 0;               // queue pair at its sender
  union {
    std::uint32_t immediate = 0;  // data: immediate value, in the last packet of a message;
                                  // transports other than RoCE define their own use
    std::uint32_t qcn_feedback;  // kCnm: quantised feedback Fb, 1 to 63 (802.1Qau)
  };
  std::uint32_t icrc = 0;  // with real payload: as computed by the sender
  Operation operation = Operation::kWrite;
  Service service = Service::kRc;
  std::uint8_t cnp_packets = 0;  // kCnp: number of data packets since the previous CNP; 0: unknown
  std::uint8_t rnr_timer = 0;    // kNak with kNotReady: code of the delay (IBTA table 45)
  std::uint64_t scheme = 0;      // what a transport other than RoCE adds: each says what

  /// Data on its way out; the ACK that brings the stack back adds nothing to it.
  bool collects_telemetry() const {
    return telemetry != nullptr && kind == PacketKind::kData && telemetry_hops < kMaxIntHops;
  }
  template <class Digest>
  void add_state(Digest& d) const {
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

/// All packets of a partition of the platform. Grows to the run's high-water mark, then never
/// allocates.
class PacketPool {
 public:
  PacketPool() = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// A packet with the default values above, without telemetry and payload.
  Packet* allocate();
  // For a packet that has none:
  /// A telemetry stack without hops. It is not cleared: behind `telemetry_hops` lies whatever
  /// others left there.
  void attach_telemetry(Packet& packet);
  /// A stack whose places all count and are empty, for headers that ports read and write.
  void attach_places(Packet& packet);
  /// Room for `bytes` of payload.
  void attach_payload(Packet& packet, std::size_t bytes);
  /// Takes back the packet and what is attached to it.
  void free(Packet* packet);
  /// Packets taken and not given back: on a wire, in a queue, or being handled. Of several pools
  /// that exchange packets only the sum means that.
  std::int64_t in_use() const { return in_use_; }

  /// Packets that there is memory for.
  std::size_t size() const { return blocks_.size() * kBlock; }
  /// `visit(packet)` of all that lie in this pool's memory, whichever pool they were taken from,
  /// and have not been given back. Of several pools that exchange packets all together hold all.
  template <class Visit>
  void each_in_use(Visit visit) const {
    for (const auto& block : blocks_) {
      for (std::size_t i = 0; i < kBlock; ++i) {
        if (block[i].flow != kSpare) visit(block[i]);
      }
    }
  }

  /// Evens out what lies unused in pools between which packets wander, where some of them have come
  /// to hold far more than they need: each partition of a run has a pool of its own, and traffic
  /// may go one way.
  static void balance(std::vector<PacketPool*> pools);

 private:
  static constexpr std::size_t kBlock = 256;
  static constexpr std::size_t kHoard = 32 * kBlock;  // of all pools together
  static constexpr std::size_t kMinHoard = 4 * kBlock;
  static constexpr std::uint32_t kSpare = 0xFFFFFFFF;  // the flow of a packet that is of no use
  std::size_t unused() const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(blocks_.size() * kBlock) - in_use_);
  }
  void give_half_to(PacketPool& other);
  std::vector<std::unique_ptr<Packet[]>> blocks_;
  std::vector<std::unique_ptr<IntStack>> all_telemetry_;
  std::vector<std::unique_ptr<PayloadBytes>> all_payload_;
  std::vector<IntStack*> free_telemetry_;
  std::vector<PayloadBytes*> free_payload_;
  Packet* free_ = nullptr;
  std::int64_t in_use_ = 0;
};

/// First in, first out, through Packet::next.
class PacketFifo {
 public:
  bool empty() const { return head_ == nullptr; }
  Packet* front() const { return head_; }
  Packet* back() const { return tail_; }  // of a queue that is not empty
  template <class Digest>
  void add_state(Digest& d) const {
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
  /// Puts `packet` where the last one was; `before` is the one ahead of that, null if none is.
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
