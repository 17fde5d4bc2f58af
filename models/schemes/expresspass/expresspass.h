// ExpressPass: a packet of data for each credit, and credits that ports let pass only as fast as
// the data they call for fits on the way back.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/expresspass/credit_queue.h"
#include "sim/random.h"

namespace dcc {

/// Cho et al., "Credit-Scheduled Delay-Bounded Congestion Control for Datacenters", SIGCOMM 2017,
/// section 3; constants of the authors' ns-2 code.
struct ExpressPassParameters final : TransportParameters {
  CreditQueueParameters queue;  // at the NIC, for all its flows' credits
  Ratio initial_rate{1, 2};     // of the greatest rate of credits
  Ratio target_loss{1, 8};      // of credits, for a flow at rate zero; at the greatest rate: none
  Ratio initial_weight{1, 2};   // how far a flow goes towards the greatest rate in a round trip
  Ratio min_weight{1, 100};
  Ratio max_weight{1, 2};
  Ratio weight_step{1, 20};
  Ratio jitter{1, 10};                 // of the time between two credits of a flow, each way
  Bytes credit_spread = 8;             // credits are up to so much longer or shorter
  PicoSeconds stop_after{};            // a sender with nothing to send says so then
  PicoSeconds timeout = kMilliSecond;  // nothing heard of what is missing

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* discipline() const override { return "credit"; }
};

/// Sender: asks for credits when it has something to send, sends a packet for each one that comes,
/// and says so when it has sent all. Receiver: paces credits, numbered, for each flow; data says
/// which one it answers, so those that ports dropped are known. Once a round trip a flow's rate
/// goes towards the greatest there is if few were lost, else to what came through. Credits and
/// their data must take the same way (`routing: symmetric`).
///
/// Credits of all flows of a host leave through one queue like those of the ports. A gap in the
/// data is asked for again after the timeout, with credits; so is all of which nobody has heard.
class ExpressPass final : public MessageTransport {
 public:
  ExpressPass(const TransportContext& context, const ExpressPassParameters& parameters);

  bool has_packet() const override { return !answers_.empty(); }
  Packet* next_packet() override;
  std::size_t buffered() const override { return queue_.size(); }

 private:
  struct Sender {
    bool asking = false;         // a request is out; no credit has come yet
    bool crediting = false;      // the receiver sends credits, as far as this knows
    std::deque<Psn> again;       // asked for once more
    std::uint64_t promised = 0;  // credits taken, packets not sent yet
    PicoSeconds said{};          // when it last said that it has sent all
    PicoSeconds sent{};          // when it last sent data
    template <class Digest>
    void add_state(Digest& d) const {
      d(asking, crediting, again, promised, said, sent);
    }
  };
  struct Receiver {
    std::uint32_t pace = 0;  // tells credits planned before a pause
    bool active = false;     // credits are sent
    Psn end = 0;             // one behind what is known to come
    // Pacing
    std::uint64_t credits = 0;  // numbered from 1
    double rate = 0;            // bytes of credits a second, on the wire
    double weight = 0;
    bool may_grow = false;
    // This round trip
    PicoSeconds since{};
    std::uint64_t seen = 0;     // number of the credit answered last
    std::uint64_t counted = 0;  // credits answered or passed over
    std::uint64_t lost = 0;     // … passed over
    PicoSeconds rtt{};
    std::uint64_t timed = 0;  // the credit whose round trip is taken; 0: none
    PicoSeconds timed_at{};
    template <class Digest>
    void add_state(Digest& d) const {
      d(pace, active, end, credits, rate, weight, may_grow, since, seen, counted, lost, rtt, timed,
        timed_at);
    }
  };
  struct Due {
    PicoSeconds when{};
    std::uint64_t order = 0;
    Qpn qpn = 0;
    std::uint32_t pace = 0;
    bool operator<(const Due& other) const {  // the first is the greatest, as heaps have it
      return when != other.when ? when > other.when : order > other.order;
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Sending
  std::uint64_t work_left(Qpn qpn) const;
  void ask(Qpn qpn);
  void on_credit(Qpn qpn, const Packet& credit);
  void on_request_again(Qpn qpn, const Packet& request);
  void say_stop(Qpn qpn);
  void check_senders();

  // Receiving
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
  double max_rate_;  // bytes of credits a second
  RandomStream random_;
  std::vector<Sender> senders_;                        // by queue pair
  std::vector<Receiver> receivers_;                    // the same
  std::deque<std::pair<Qpn, std::uint64_t>> answers_;  // queue pair and credit, to be answered
  std::vector<Due> due_;                               // credits to come, a heap
  std::uint64_t planned_ = 0;
  CreditQueue queue_;
  DeadlineTable sender_deadlines_;
  DeadlineTable receiver_deadlines_;
  Event pacing_;
  Event shaping_;
};

}  // namespace dcc
