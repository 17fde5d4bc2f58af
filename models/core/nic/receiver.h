// The receiving half of a NIC (the patent's "packet receive"): packet order, acknowledgement, CNPs
// for CE marks, delivery of payload.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "nic/nic_parameters.h"
#include "nic/notification/notification_engine.h"
#include "nic/notification_point.h"
#include "nic/receive_buffer.h"
#include "nic/transmitter.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "stats/class_delays.h"
#include "stats/flow_ledger.h"
#include "stats/numbered_table.h"
#include "stats/reordering.h"
#include "wire/packet.h"

namespace dcc {

/// Receives the data of requests that arrived in order.
class DeliverySink {
 public:
  enum class Result : std::uint8_t {
    kAccepted,
    // the address lies outside the memory region: the responder reports a remote access error
    kAccess,
    // a SEND is longer than its buffer, or the word of an atomic operation is not aligned: the
    // responder reports a remote invalid request error
    kInvalid,
    kNotReady,  // a SEND found no posted buffer: the sender tries again later
    // the payload is accepted; the sink calls Receiver::in_memory() when memory has the bytes
    kBuffered,
    kFull,       // the receive buffer is full: the sender tries again later
    kDiscarded,  // the receive buffer is full: the packet is lost
  };
  /// The receiver calls this function for each packet of a request, in order. The sink may copy the
  /// payload.
  virtual Result delivered(Qpn qpn, const Packet& packet) = 0;

 protected:
  ~DeliverySink() = default;
};

/// The receiving half of a NIC: checks the order and integrity of data packets, delivers them, and
/// sends ACKs, NAKs and CNPs.
class Receiver {
 public:
  Receiver(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger, NicCounters& counters,
           const NicParameters& parameters, Transmitter& transmitter, std::uint32_t rank)
      : scheduler_(scheduler),
        pool_(pool),
        ledger_(ledger),
        counters_(counters),
        parameters_(parameters),
        transmitter_(transmitter),
        cnp_due_(Event::calling<&Receiver::send_due_cnps>(*this, rank)) {}

  void set_delivery_sink(DeliverySink* sink) { sink_ = sink; }
  /// Sets the receive buffer that must have room for READ responses; null: payload never waits. The
  /// receiver does not own it.
  void set_receive_buffer(const ReceiveBuffer* buffer) { buffer_ = buffer; }
  /// The payload of a packet with the result kBuffered is in memory: counts its bytes as received.
  void in_memory(const ReceiveBuffer::Arrival& arrival);
  /// Lets the receiver send CNPs. Required if the senders' algorithm uses CNPs.
  void enable_cnps(bool wanted) { cnps_wanted_ = wanted; }
  /// Sets the CNP profile of each sender, in place of the NIC's own CNP settings.
  void set_cnp_profiles(std::function<const CnpProfile&(HostId sender)> agreed) {
    cnp_profile_of_ = std::move(agreed);
  }
  /// Sets the properties of the senders' NICs; null: the senders' NICs are like this NIC. The
  /// receiver does not own them.
  void set_peers(const PeerNics* peers) { peers_ = peers; }
  /// Sets the engine that decides on CNPs instead of the NIC's own model; null: the model. The
  /// receiver does not own it. Call before the first queue pair is created.
  void set_notification_engine(NotificationEngine* engine) { notification_engine_ = engine; }
  void create_queue_pair(Qpn qpn, const QueuePairConfig& config);
  void destroy_queue_pair(Qpn qpn);
  /// True if the queue pair buffers no early packet and delays no CNP.
  bool is_quiescent(Qpn qpn) const;
  void release(Qpn qpn) {
    contexts_.drop(qpn);
    if (notification_engine_ != nullptr) notification_engine_->end(qpn);
  }

  /// Prefetches the cache lines that on_data() will use for this packet.
  void prefetch(const Packet& packet) const {
    if (const Context* const context = contexts_.find(packet.destination_qpn)) {
      __builtin_prefetch(context, 1);
      if (const FlowRecord* const record = ledger_.find(packet.flow)) {
        __builtin_prefetch(&record->last_received, 1);
      }
    }
  }
  /// A data packet arrived. The receiver takes ownership of the packet.
  void on_data(Packet* packet);
  /// Records one-way delays of accepted packets by traffic class from now on; null: records none.
  /// The receiver does not own the record.
  void observe_delays(DelaysByClass* delays) { delays_ = delays; }
  /// Records data that arrives out of order from now on; null: records none. The receiver does not
  /// own the record. Responses of READ and atomic operations are not recorded.
  void observe_reordering(Reordering* reordering) { reordering_ = reordering; }
  /// Number of packets that the receiver buffers because an earlier one is missing.
  std::size_t buffered() const { return buffered_; }
  void add_state(StateDigest& d) const {
    contexts_.every([&](const Context& c) {
      d(c.created, c.nak_sent, c.refused, c.remote_host, c.remote_qpn, c.expected, c.skipping,
        c.notification_point);
      if (c.early == nullptr) return;
      for (const Packet* early : c.early->kept) {
        d(early != nullptr);
        if (early != nullptr) d(*early);
      }
    });
    cnp_limiters_.every([&](PicoSeconds quiet_until) { d(quiet_until); });
    if (delayed_cnps_ == nullptr) return;
    for (const DelayedCnp& delayed : *delayed_cnps_) d(delayed.due, *delayed.cnp);
  }

 private:
  /// Out-of-order state of a queue pair; allocated at the first early packet.
  struct Early {
    std::vector<Packet*> kept;  // early packets, each at position PSN modulo the window; null: none
    FurthestArrival furthest;
  };
  struct Context {
    bool created = false;
    // a NAK for the current gap was sent; each gap causes one (IBTA 9.7.5.2.8)
    bool nak_sent = false;
    // this receiver has refused a request with a final NAK (invalid or access error): it accepts no
    // further packet of the queue pair, and answers each with the NAK in `refusal`
    bool refused = false;
    NakReason refusal{};  // reason that each repeated NAK carries, since the first NAK may be lost
    Service service = Service::kRc;
    HostId remote_host = 0;
    Qpn remote_qpn = 0;
    Psn expected = 0;
    bool skipping = false;  // unreliable service: the rest of a damaged message is dropped
    NotificationPoint notification_point;
    std::unique_ptr<Early> early;  // out-of-order state; null: no packet was early yet
  };

  struct DelayedCnp {
    PicoSeconds due;
    Packet* cnp;
  };

  const CnpParameters& cnp_for(HostId sender) const {
    return cnp_profile_of_ ? cnp_profile_of_(sender).cnp : parameters_.cnp;
  }
  /// True if a queue pair accepts the packet: both use the same transport service, and a connected
  /// queue pair accepts packets of its peer only. A datagram may come from any queue pair.
  static bool belongs(const Packet& packet, const Context& context) {
    if (packet.service != context.service) return false;
    return packet.service == Service::kUd ||
           (packet.source == context.remote_host && packet.source_qpn == context.remote_qpn);
  }
  void notify(const Packet& data, Context& context);
  bool wants_cnps(HostId sender) const {
    return parameters_.cnp.notify &&
           (cnp_profile_of_ ? cnp_profile_of_(sender).wanted : cnps_wanted_);
  }
  PicoSeconds& shared_limiter(HostId sender);
  void send_due_cnps();
  /// True if both this NIC and `sender` use selective repeat, so that NAKs name early packets.
  bool repeats_selectively(HostId sender) const {
    return parameters_.recovery.is_selective() && (peers_ == nullptr || !peers_->goes_back(sender));
  }
  void report_gap(const Packet& data, Context& context);
  Packet* nak_for(const Packet& data, const Context& context, NakReason reason);
  void notify_by_engine(const Packet& data, const Context& context);
  void count_mark(const Packet& data);
  void send_cnp(const Packet& data, const Context& context, std::uint8_t marks,
                std::uint8_t packets);
  void refuse(const Packet& data, Context& context, DeliverySink::Result result);
  void repeat_refusal(const Packet& data, const Context& context);
  void accept(Qpn qpn, Packet* packet, Context& context);
  void accept_unreliable(Qpn qpn, const Packet& packet, Context& context);
  DeliverySink::Result deliver(Qpn qpn, const Packet& packet);
  void count(const Packet& packet);
  Early& early_of(Context& context);
  void note_order(const Packet& packet, Early& early);
  bool keep(Packet* packet, Context& context);
  void accept_early(Qpn qpn, Context& context);
  void free_early(Context& context);
  void acknowledge(Packet& data, const Context& context, Psn psn);
  Packet* reply_to(const Packet& data, const Context& context, PacketKind kind);

  Scheduler& scheduler_;
  PacketPool& pool_;
  FlowLedger& ledger_;
  NicCounters& counters_;
  const NicParameters& parameters_;
  Transmitter& transmitter_;
  DeliverySink* sink_ = nullptr;
  const ReceiveBuffer* buffer_ = nullptr;
  DelaysByClass* delays_ = nullptr;
  Reordering* reordering_ = nullptr;
  bool cnps_wanted_ = true;
  std::function<const CnpProfile&(HostId sender)>
      cnp_profile_of_;  // CNP profile of each sender; empty: the NIC's own settings
  const PeerNics* peers_ = nullptr;
  // Limiters that several queue pairs share (nic.cnp.scope): time before which no CNP may be sent.
  // Key: the sending host, or 0 for the whole port.
  NumberedTable<PicoSeconds> cnp_limiters_;
  // CNPs that wait for nic.cnp.delay, oldest first; null: none was delayed yet
  std::unique_ptr<std::deque<DelayedCnp>> delayed_cnps_;
  Event cnp_due_;
  // engine that decides on CNPs; null: the model in each context decides
  NotificationEngine* notification_engine_ = nullptr;
  std::size_t buffered_ = 0;
  NumberedTable<Context> contexts_;
};

}  // namespace dcc
