// The responder of RDMA READ and atomic operations: keeps the requests of a queue pair whose
// responses are not sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "nic/host/dma.h"
#include "nic/nic_parameters.h"
#include "nic/work_queue.h"
#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// State of one queue pair as responder to READ and atomic requests.
struct ResponderState {
  /// The part of a response to a READ or atomic request that has not been sent.
  struct Response {
    Operation operation = Operation::kRead;  // operation of the request that is answered
    bool repeated = false;  // the atomic request was executed before; see `original`
    AtomicOperands operands;
    std::uint64_t original = 0;  // memory word before the operation, if `repeated`
    Psn psn = 0;                 // sequence number of the next packet of the response
    std::uint64_t address = 0;   // memory address of the response's next byte
    std::uint32_t bytes = 0;     // bytes of the response left to send
    bool begun = false;          // true after the first packet of the response
    std::uint32_t flow = 0;      // ledger record of the requester's flow
    /// Time stamp for the next packet: when the request was sent, plus the serialisation time of
    /// the response packets so far. Thus the round-trip time of each packet excludes its
    /// predecessors' time on the wire.
    PicoSeconds echo{};
    void add_state(StateDigest& d) const {
      d(operation, repeated, operands.swap_or_add, operands.compare, original, psn, address, bytes,
        begun, flow, echo);
    }
  };
  /// Result of an atomic operation, kept in case its response is lost.
  struct AtomicResult {
    Psn psn = 0;
    bool known = false;    // memory has returned `original`, the word before the atomic operation
    bool refused = false;  // the address lies outside memory; a repeated request is tried again
    std::uint64_t original = 0;
    void add_state(StateDigest& d) const { d(psn, known, refused, original); }
  };
  std::deque<Response> responses;  // responses to send, oldest first
  // results of atomic operations, newest last; at most NicParameters::outstanding_reads
  std::deque<AtomicResult> atomics;

  void add_state(StateDigest& d) const { d(responses, atomics); }
};

/// Makes the READ and atomic responses of all queue pairs of one NIC. The transmitter decides when
/// they are sent.
class ReadResponder {
 public:
  ReadResponder(PacketPool& pool, NicCounters& counters, const NicParameters& parameters)
      : pool_(pool), counters_(counters), parameters_(parameters) {}

  /// Sets the DMA that fetches payload, and the client that gets its results. Required with real
  /// payload.
  void set_dma(Dma* dma, DmaClient* client) {
    dma_ = dma;
    client_ = client;
  }

  /// Queues the response to `request` behind earlier ones. A repeated request drops the responses
  /// from its number on, since the requester will repeat the later requests, too. A repeated atomic
  /// request gets the result of its first execution. Returns false, and changes nothing, if the
  /// repeated atomic request is still being answered or its result is no longer kept.
  static bool enqueue(ResponderState& state, const Packet& request);

  struct Made {
    Packet* packet = nullptr;
    PacketPlan plan;
    bool awaits_payload = false;  // a DMA read for the packet's payload is under way
  };
  /// Makes the next packet of the oldest response. `mtu` is the MTU of the queue pair.
  /// Precondition: a response is queued.
  Made make_packet(ResponderState& state, Qpn qpn, const QueuePairConfig& config, std::uint32_t mtu,
                   bool with_telemetry);

  /// The payload of an atomic response arrived from memory: keeps it as the operation's result.
  static void keep_result(ResponderState& state, const Packet& response);
  /// Host memory refused the payload of `response`. Drops all queued responses of the queue pair,
  /// and returns a NAK to send. `state` is null if the queue pair was created anew.
  Packet* refuse(ResponderState* state, const Packet& response);

 private:
  bool fill(ResponderState& state, const ResponderState::Response& response, Packet& packet);
  void start_atomic(std::deque<ResponderState::AtomicResult>& atomics, Psn psn) const;

  PacketPool& pool_;
  NicCounters& counters_;
  const NicParameters& parameters_;
  Dma* dma_ = nullptr;
  DmaClient* client_ = nullptr;
};

}  // namespace dcc
