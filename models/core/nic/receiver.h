// The receiving half of a NIC (the text's "packet receive"): order, acknowledgement, CE → CNP,
// payload into host RAM.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "nic/nic_parameters.h"
#include "nic/notification_point.h"
#include "nic/transmitter.h"
#include "sim/scheduler.h"
#include "stats/class_delays.h"
#include "stats/flow_ledger.h"
#include "stats/numbered_table.h"
#include "stats/reordering.h"
#include "wire/packet.h"

namespace dcc {

/// Hears of data that arrived in order.
class DeliverySink {
 public:
  enum class Verdict : std::uint8_t {
    kTaken,
    kAccess,    // an address that is not this host's to give: a remote access error
    kInvalid,   // a SEND longer than the buffer posted for it, an atomic operation on a word that
                // is not aligned: a remote invalid request error
    kNotReady,  // a SEND without a posted buffer: the sender tries again later
  };
  /// Called for every request's packet in order; may copy its payload.
  virtual Verdict delivered(Qpn qpn, const Packet& packet) = 0;

 protected:
  ~DeliverySink() = default;
};

class Receiver {
 public:
  Receiver(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger, NicCounters& counters,
           const NicParameters& parameters, Transmitter& transmitter)
      : scheduler_(scheduler),
        pool_(pool),
        ledger_(ledger),
        counters_(counters),
        parameters_(parameters),
        transmitter_(transmitter) {}

  void set_delivery_sink(DeliverySink* sink) { sink_ = sink; }
  /// CNPs are made only where the senders' algorithm wants them.
  void enable_cnps(bool wanted) { cnps_wanted_ = wanted; }
  /// Instead of the NIC's own settings: what is agreed with each sender.
  void set_cnp_profiles(std::function<const CnpProfile&(HostId sender)> agreed) {
    cnps_agreed_ = std::move(agreed);
  }
  void create_queue_pair(Qpn qpn, const QueuePairConfig& config);
  void destroy_queue_pair(Qpn qpn);
  /// Nothing is kept back for want of what is before it.
  bool is_quiescent(Qpn qpn) const;
  void release(Qpn qpn) { contexts_.drop(qpn); }

  /// on_data() is near.
  void prefetch(const Packet& packet) const {
    if (const Context* const context = contexts_.find(packet.destination_qpn)) {
      __builtin_prefetch(context, 1);
      if (const FlowRecord* const record = ledger_.find(packet.flow)) {
        __builtin_prefetch(&record->last_received, 1);
      }
    }
  }
  /// A data packet; gives it back to the pool.
  void on_data(Packet* packet);
  /// Ways of what is accepted, by class, from now on; null: none. Not owned.
  void observe_delays(DelaysByClass* delays) { delays_ = delays; }
  /// Counts there what comes late, from now on; null: nowhere. Not owned. Of what it accepts or
  /// sends a NAK for; answers of READs and atomic operations are not looked at.
  void observe_reordering(Reordering* reordering) { reordering_ = reordering; }
  /// Packets that are kept because something before them is missing.
  std::size_t buffered() const { return buffered_; }
  template <class Digest>
  void add_state(Digest& d) const {
    contexts_.every([&](const Context& c) {
      d(c.created, c.nak_sent, c.remote_host, c.remote_qpn, c.expected, c.skipping,
        c.notification_point);
      if (c.early == nullptr) return;
      for (const Packet* early : c.early->kept) {
        d(early != nullptr);
        if (early != nullptr) d(*early);
      }
    });
  }

 private:
  /// Of a queue pair on which something has come too early.
  struct Early {
    std::vector<Packet*> kept;  // by PSN modulo the window
    FurthestArrival furthest;
  };
  struct Context {
    bool created = false;
    bool nak_sent = false;  // one NAK a gap (IBTA 9.7.5.2.8)
    HostId remote_host = 0;
    Qpn remote_qpn = 0;
    Psn expected = 0;
    bool skipping = false;  // unreliable: part of the message was lost, so all of it is
    NotificationPoint notification_point;
    std::unique_ptr<Early> early;  // null: nothing was
  };

  const CnpParameters& cnp_for(HostId sender) const {
    return cnps_agreed_ ? cnps_agreed_(sender).cnp : parameters_.cnp;
  }
  void notify(const Packet& data, Context& context);
  void send_cnp(const Packet& data, Context& context, std::uint8_t marks);
  void refuse(const Packet& data, Context& context, DeliverySink::Verdict verdict);
  void accept(Qpn qpn, Packet* packet, Context& context);
  void accept_unreliable(Qpn qpn, const Packet& packet, Context& context);
  DeliverySink::Verdict deliver(Qpn qpn, const Packet& packet);
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
  DelaysByClass* delays_ = nullptr;
  Reordering* reordering_ = nullptr;
  bool cnps_wanted_ = true;
  std::function<const CnpProfile&(HostId sender)> cnps_agreed_;  // mostly empty
  std::size_t buffered_ = 0;
  NumberedTable<Context> contexts_;
};

}  // namespace dcc
