// ExpressPass: one data packet for each credit; ports forward credits only as fast as the data that
// they request fits the reverse path.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/expresspass/credit_queue.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

/// Cho et al., "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017,
/// section 3; constants of the authors' ns-2 code.
struct ExpressPassParameters final : TransportParameters {
  // parameters of the NIC's credit queue, which all flows of the NIC share
  CreditQueueParameters queue;
  Ratio initial_rate{1, 2};  // first credit rate as a share of the maximum credit rate
  // target share of lost credits at credit rate zero; the target falls to 0 at the maximum credit
  // rate
  Ratio target_loss{1, 8};
  // weight: share of the gap to the maximum credit rate that is closed per round trip
  Ratio initial_weight{1, 2};
  Ratio min_weight{1, 100};
  Ratio max_weight{1, 2};
  Ratio weight_step{1, 20};
  Ratio jitter{1, 10};      // greatest relative deviation of the time between two credits of a flow
  Bytes credit_spread = 8;  // maximum deviation of a credit packet's size in bytes
  // time without data after which a sender tells the receiver that it has sent everything
  PicoSeconds stop_after{};
  // time without data after which the receiver requests missing data again
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* discipline() const override { return "credit"; }
};

/// The sender of ExpressPass requests credits when it has data, sends one packet per credit, and
/// reports when it has sent everything.
///
/// The receiver paces numbered credits for each flow. Data carries the number of its credit, so the
/// receiver knows which credits were dropped. Once per round trip the credit rate of a flow moves
/// towards the maximum if few credits were lost; otherwise the credit rate is set to the rate of
/// answered credits. Credits and their data must take the same path (`routing: symmetric`).
///
/// The credits of all flows of a host leave through one credit queue like that of a port. After the
/// timeout the receiver requests missing data again, with credits.
class ExpressPass final : public MessageTransport {
 public:
  ExpressPass(const TransportContext& context, const ExpressPassParameters& parameters);

  bool has_packet() const override { return !answers_.empty(); }
  Packet* next_packet() override;
  std::size_t buffered() const override { return queue_.size(); }

 private:
  struct Sender {
    bool asking = false;         // true if the sender requested credits and none has arrived yet
    bool crediting = false;      // true if the sender knows that the receiver sends credits
    std::deque<Psn> again;       // numbers of the sender's packets to be retransmitted
    std::uint64_t promised = 0;  // number of credits received whose packets are not sent yet
    PicoSeconds said{};          // time at which the sender last reported that everything is sent
    PicoSeconds sent{};          // sending time of the flow's last data packet
    void add_state(StateDigest& d) const { d(asking, crediting, again, promised, said, sent); }
  };
  struct Receiver {
    // number that tells credits scheduled after a pause from credits scheduled before the pause
    std::uint32_t pace = 0;
    bool active = false;  // true while the receiver sends credits to the flow
    Psn end = 0;          // one above the number of the last announced packet
    // Members that pace the credits of a flow
    std::uint64_t credits = 0;  // number of credits sent; credits are numbered from 1
    double rate = 0;            // credit rate of the flow in wire bytes per second
    double weight = 0;
    bool may_grow = false;
    // Start time of the flow's present round trip.
    PicoSeconds since{};
    std::uint64_t seen = 0;  // number of the last credit that was answered with data
    std::uint64_t counted =
        0;  // number of credits in this round trip that were answered with data or skipped
    std::uint64_t lost = 0;  // number of credits in this round trip that were skipped, hence lost
    PicoSeconds rtt{};
    std::uint64_t timed = 0;  // number of the credit whose round trip is measured; 0: none
    PicoSeconds timed_at{};
    void add_state(StateDigest& d) const {
      d(pace, active, end, credits, rate, weight, may_grow, since, seen, counted, lost, rtt, timed,
        timed_at);
    }
  };
  struct Due {
    PicoSeconds when{};
    std::uint64_t order = 0;
    Qpn qpn = 0;
    std::uint32_t pace = 0;
    // A later credit compares as less, so that the earliest one is at the front of the heap.
    bool operator<(const Due& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Functions of the ExpressPass sender
  std::uint64_t work_left(Qpn qpn) const;
  /// Requests credits; `again` is true if the request is for the packets of an earlier request.
  void ask(Qpn qpn, bool again);
  void on_credit(Qpn qpn, const Packet& credit);
  void on_request_again(Qpn qpn, const Packet& request);
  void say_stop(Qpn qpn);
  void check_senders();

  // Functions of the ExpressPass receiver
  void start_credits(Qpn qpn);
  void on_data(Qpn qpn, const Packet& packet);
  void on_stop(Qpn qpn, const Packet& stop);
  void feed_back(Qpn qpn);
  void plan_credit(Qpn qpn, PicoSeconds when);
  void send_credits();
  void send_credit(Qpn qpn);
  void let_credits_go();
  void check_receivers();
  void ask_again(Qpn qpn);
  bool complete(Qpn qpn) const { return at(qpn).in.count() >= receivers_[qpn].end; }

  ExpressPassParameters parameters_;
  double max_rate_;  // maximum credit rate of the host's link in wire bytes per second
  RandomStream random_;
  std::vector<Sender> senders_;      // senders indexed by queue pair
  std::vector<Receiver> receivers_;  // receivers indexed by queue pair
  // queue pair and number of each credit that arrived and is not used yet
  std::deque<std::pair<Qpn, std::uint64_t>> answers_;
  std::vector<Due> due_;  // scheduled credits, as a heap by sending time
  std::uint64_t planned_ = 0;
  CreditQueue queue_;
  DeadlineTable sender_deadlines_;
  DeadlineTable receiver_deadlines_;
  Event pacing_;
  Event shaping_;
};

}  // namespace dcc
