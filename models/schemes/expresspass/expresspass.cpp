#include "schemes/expresspass/expresspass.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<ExpressPassParameters> kExpressPass{
    "expresspass", "a packet for each credit, credits shaped at every port; for credit ports",
    kMakes<ExpressPass>};

// Packs two values into a data packet's field: the number of its credit, and the number of packets
// from it to the end of the posted data, limited to 32 bits.
std::uint64_t answer_to(std::uint64_t credit, Psn to_end) {
  return credit << 32 | std::min<Psn>(to_end, 0xFFFF'FFFF);
}
std::uint64_t answered(const Packet& data) { return data.scheme >> 32; }
Psn still_to_come(const Packet& data) { return data.scheme & 0xFFFF'FFFF; }

double seconds(PicoSeconds time) { return static_cast<double>(time.count) * 1e-12; }
}  // namespace

void ExpressPassParameters::describe(ParameterVisitor& v) {
  const char* const paper = "ExpressPass, SIGCOMM'17";
  describe_framing(v);
  queue.describe(v);
  v.field("initial_rate", initial_rate, {"0.001", "1"},
          {"first rate of credits, as a share of the greatest", paper});
  v.field("target_loss", target_loss, {"0.001", "1"},
          {"share of lost credits that a flow at rate zero accepts; at the greatest rate a "
           "flow accepts none",
           paper});
  v.field("initial_weight", initial_weight, {"0.001", "1"},
          {"part of the distance to the greatest rate that a flow gains in a round trip, at first",
           paper});
  v.field("min_weight", min_weight, {"0.001", "1"}, {"… at least", paper});
  v.field("max_weight", max_weight, {"0.001", "1"}, {"… at most", paper});
  v.field(
      "weight_step", weight_step, {"0", "1"},
      {"increase of this weight in each further round trip without too many lost credits", paper});
  v.field("jitter", jitter, {"0", "0.9"},
          {"greatest random deviation of the time between two credits of a flow, as a share of it",
           paper});
  v.field("credit_spread", credit_spread, {"0B", "20B"},
          {"greatest random deviation of a credit's length", "authors' ns-2 scripts"});
  v.field("stop_after", stop_after, {"0us", "10s"},
          {"time after its last data at which a sender reports that it has sent everything",
           "authors' ns-2 scripts: 2 ms"});
  v.field("timeout", timeout, {"1us", "10s"},
          {"time without an answer after which missing data is requested again"});
  v.follows(true, kPatienceRule,
            [this](const NetworkScale& network) { timeout = network.patience(); });
}

void ExpressPassParameters::check() const {
  if (initial_weight < min_weight || max_weight < initial_weight) {
    throw ParameterError({"initial_weight", "min_weight", "max_weight"},
                         "initial_weight is not between min_weight and max_weight");
  }
}

ExpressPass::ExpressPass(const TransportContext& context, const ExpressPassParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      max_rate_(static_cast<double>(context.nic.line_rate.bits_per_second) / 8 *
                static_cast<double>(parameters.queue.credit_frame) /
                static_cast<double>(parameters.queue.credit_frame + parameters.queue.data_frame)),
      random_(context.seed, "expresspass", context.nic.host),
      queue_(parameters.queue),
      sender_deadlines_(context.scheduler,
                        Event::calling<&ExpressPass::check_senders>(*this, context.rank)),
      receiver_deadlines_(context.scheduler,
                          Event::calling<&ExpressPass::check_receivers>(*this, context.rank)),
      pacing_(Event::calling<&ExpressPass::send_credits>(*this, context.rank)),
      shaping_(Event::calling<&ExpressPass::let_credits_go>(*this, context.rank)) {
  queue_.attach(context.nic.line_rate, context.nic.link_overhead);
}

void ExpressPass::begin(Qpn qpn) {
  if (senders_.size() <= qpn) {
    senders_.resize(qpn + 1);
    receivers_.resize(qpn + 1);
  }
  const std::uint32_t pace = receivers_[qpn].pace + 1;
  senders_[qpn] = Sender{};
  receivers_[qpn] = Receiver{};
  receivers_[qpn].pace = pace;
}

void ExpressPass::end(Qpn qpn) {
  const auto of_it = [qpn](const auto& answer) { return answer.first == qpn; };
  answers_.erase(std::remove_if(answers_.begin(), answers_.end(), of_it), answers_.end());
  sender_deadlines_.clear(qpn);
  receiver_deadlines_.clear(qpn);
  ++receivers_[qpn].pace;
  receivers_[qpn].active = false;
}

void ExpressPass::add_own_state(StateDigest& d) const {
  d(random_, senders_, receivers_, queue_, sender_deadlines_, receiver_deadlines_, pacing_,
    shaping_);
  d(answers_.size());
  for (const auto& [qpn, credit] : answers_) d(qpn, credit);
  d.unordered([this](auto credit) {
    for (const Due& due : due_) {
      if (receivers_[due.qpn].pace == due.pace) credit(due.when, due.order, due.qpn);
    }
  });
}

// ---------------------------------------------------------------- Sender

std::uint64_t ExpressPass::work_left(Qpn qpn) const {
  const Connection& connection = at(qpn);
  const Psn end = connection.out.end();
  return senders_[qpn].again.size() + (end > connection.next ? end - connection.next : 0);
}

void ExpressPass::work_changed(Qpn qpn) {
  Sender& sender = senders_[qpn];
  sender.again.erase(std::remove_if(sender.again.begin(), sender.again.end(),
                                    [&](Psn psn) { return is_over(qpn, psn); }),
                     sender.again.end());
  const std::uint64_t work = work_left(qpn);
  // Drops credits that the flow no longer needs, because it was stopped or its packets to be
  // retransmitted have arrived.
  for (std::size_t i = answers_.size(); i-- > 0 && sender.promised > work;) {
    if (answers_[i].first != qpn) continue;
    answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
    --sender.promised;
  }
  if (work > sender.promised && !sender.asking && !sender.crediting) ask(qpn, false);
  if (work == 0 && sender.crediting) say_stop(qpn);
  context_.port.data_ready();
}

void ExpressPass::ask(Qpn qpn, bool again) {
  Sender& sender = senders_[qpn];
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->psn = at(qpn).out.end();
  request->last = again;
  sender.asking = true;
  sender_deadlines_.set(qpn, now() + parameters_.timeout);
  send_control(request);
}

void ExpressPass::on_credit(Qpn qpn, const Packet& credit) {
  Sender& sender = senders_[qpn];
  sender.asking = false;
  if (work_left(qpn) > sender.promised) {
    sender.crediting = true;
    ++sender.promised;
    ++totals_.credits_used;
    answers_.emplace_back(qpn, credit.scheme);
    return;
  }
  ++totals_.credits_unused;
  if (sender.promised == 0 && now() >= sender.sent + parameters_.stop_after &&
      now() >= sender.said + context_.longest_base_rtt) {
    say_stop(qpn);
  }
}

Packet* ExpressPass::next_packet() {
  const auto [qpn, credit] = answers_.front();
  answers_.pop_front();
  Sender& sender = senders_[qpn];
  --sender.promised;
  Psn psn = at(qpn).next;
  if (!sender.again.empty()) {
    psn = sender.again.front();
    sender.again.pop_front();
  }
  Packet* const packet = make_data(qpn, psn);
  packet->scheme = answer_to(credit, at(qpn).out.end() - psn);
  sender.sent = now();
  sender_deadlines_.set(qpn, now() + parameters_.timeout);
  if (work_left(qpn) == 0 && parameters_.stop_after.count == 0) say_stop(qpn);
  return packet;
}

/// Reports that the sender has no more data. The report takes the path of the data and arrives
/// behind the data.
void ExpressPass::say_stop(Qpn qpn) {
  Sender& sender = senders_[qpn];
  sender.crediting = false;
  sender.said = now();
  Packet* const stop = make_control(qpn, PacketKind::kNak, at(qpn).config.flow);
  stop->psn = at(qpn).out.end();
  ++context_.counters.naks_sent;
  send_control(stop);
}

void ExpressPass::on_request_again(Qpn qpn, const Packet& request) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  const Psn to = std::min(request.psn + request.scheme, connection.next);
  const std::size_t before = sender.again.size();
  for (Psn psn = std::max(request.psn, connection.out.first_undelivered()); psn < to; ++psn) {
    if (std::find(sender.again.begin(), sender.again.end(), psn) == sender.again.end()) {
      sender.again.push_back(psn);
    }
  }
  // The receiver also sends this request if all credits of the flow were lost, which is no loss of
  // data.
  if (sender.again.size() > before) ++context_.counters.timeouts;
  sender.crediting = true;
}

void ExpressPass::check_senders() {
  sender_deadlines_.expire([this](Qpn qpn) {
    if (at(qpn).out.undelivered() == 0) return;
    if (senders_[qpn].promised == 0) ask(qpn, true);
    sender_deadlines_.set(qpn, now() + parameters_.timeout);
  });
}

// ---------------------------------------------------------------- Arrivals

void ExpressPass::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      on_data(qpn, packet);
      return;
    case PacketKind::kNak:
      on_stop(qpn, packet);
      return;
    case PacketKind::kRequest:
      if (packet.scheme == 0) {  // a scheme field of 0 marks a request for credits
        // The flow's earlier request was lost if it repeats the request and the receiver sends no
        // credits for the flow.
        if (packet.last && !receivers_[qpn].active) ++context_.counters.timeouts;
        receivers_[qpn].end = std::max(receivers_[qpn].end, packet.psn);
        if (complete(qpn)) {
          acknowledge_whole(qpn, packet.flow, PicoSeconds());
        } else {
          start_credits(qpn);
        }
        return;
      }
      on_request_again(qpn, packet);
      break;
    case PacketKind::kCredit:
      on_credit(qpn, packet);
      break;
    case PacketKind::kAck:
      on_whole(qpn, packet);
      work_changed(qpn);
      break;
    default:
      return;
  }
  sender_deadlines_.postpone(qpn, now() + parameters_.timeout);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Receiver

void ExpressPass::start_credits(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  receiver_deadlines_.set(qpn, now() + parameters_.timeout);
  if (receiver.active) return;
  receiver.active = true;
  ++receiver.pace;
  receiver.rate = max_rate_ * parameters_.initial_rate.value();
  receiver.weight = parameters_.initial_weight.value();
  receiver.may_grow = false;
  receiver.since = now();
  receiver.seen = receiver.credits;
  receiver.counted = receiver.lost = receiver.timed = 0;
  if (receiver.rtt.count == 0) {
    const PicoSeconds base = at(qpn).config.base_rtt;
    receiver.rtt = base.count > 0 ? base : context_.longest_base_rtt;
  }
  plan_credit(qpn, now());
}

void ExpressPass::on_data(Qpn qpn, const Packet& packet) {
  Receiver& receiver = receivers_[qpn];
  accept(qpn, packet);
  receiver_deadlines_.postpone(qpn, now() + parameters_.timeout);
  receiver.end = std::max(receiver.end, packet.psn + still_to_come(packet));
  const std::uint64_t credit = answered(packet);
  if (credit > receiver.seen) {
    receiver.counted += credit - receiver.seen;
    receiver.lost += credit - receiver.seen - 1;
    receiver.seen = credit;
  }
  if (receiver.timed != 0 && credit >= receiver.timed) {
    if (credit == receiver.timed) {
      const PicoSeconds sample = now() - receiver.timed_at;
      receiver.rtt = PicoSeconds((receiver.rtt.count * 7 + sample.count) / 8);
    }
    receiver.timed = 0;
  }
  if (now() >= receiver.since + receiver.rtt && receiver.counted > 0) feed_back(qpn);
  const Psn whole = at(qpn).in.first_missing();
  if ((packet.last && whole > packet.psn) || whole >= receiver.end) {
    acknowledge_whole(qpn, packet.flow, packet.sent);
  }
  if (!complete(qpn))
    // the data packet answers a credit that was in flight when the receiver stopped sending credits
    start_credits(qpn);
}

void ExpressPass::on_stop(Qpn qpn, const Packet& stop) {
  Receiver& receiver = receivers_[qpn];
  receiver.end = stop.psn;
  if (complete(qpn)) {
    receiver.active = false;
    ++receiver.pace;
    acknowledge_whole(qpn, stop.flow, PicoSeconds());
  } else {  // missing packets are lost, since data arrives in order on one path
    ask_again(qpn);
  }
}

/// Adapts a flow's credit rate once per round trip: towards the maximum if few credits were lost,
/// otherwise to the rate of credits that were answered.
void ExpressPass::feed_back(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  const double loss = static_cast<double>(receiver.lost) / static_cast<double>(receiver.counted);
  const double target = (1 - receiver.rate / max_rate_) * parameters_.target_loss.value();
  const auto size = static_cast<double>(parameters_.queue.credit_frame);
  if (loss > target) {
    const double through = size * static_cast<double>(receiver.counted - receiver.lost) /
                           seconds(now() - receiver.since);
    receiver.rate = std::min(receiver.rate, through * (1 + target));
    receiver.weight = std::max(receiver.weight / 2, parameters_.min_weight.value());
    receiver.may_grow = false;
  } else {
    if (receiver.may_grow) {
      receiver.weight = std::min(receiver.weight + parameters_.weight_step.value(),
                                 parameters_.max_weight.value());
    }
    receiver.may_grow = true;
    receiver.rate = receiver.weight * max_rate_ + (1 - receiver.weight) * receiver.rate;
  }
  receiver.rate = std::min(max_rate_, std::max(receiver.rate, size / seconds(receiver.rtt)));
  receiver.since = now();
  receiver.counted = receiver.lost = 0;
}

void ExpressPass::plan_credit(Qpn qpn, PicoSeconds when) {
  due_.push_back({when, ++planned_, qpn, receivers_[qpn].pace});
  std::push_heap(due_.begin(), due_.end());
  if (!pacing_.is_scheduled() || pacing_.due() > due_.front().when) {
    context_.scheduler.schedule_at(pacing_, due_.front().when);
  }
}

void ExpressPass::send_credits() {
  while (!due_.empty() && due_.front().when <= now()) {
    const Due due = due_.front();
    std::pop_heap(due_.begin(), due_.end());
    due_.pop_back();
    if (receivers_[due.qpn].pace == due.pace) send_credit(due.qpn);
  }
  let_credits_go();
  if (!due_.empty()) context_.scheduler.schedule_at(pacing_, due_.front().when);
}

void ExpressPass::send_credit(Qpn qpn) {
  Receiver& receiver = receivers_[qpn];
  Packet* const credit = make_control(qpn, PacketKind::kCredit, at(qpn).config.flow);
  const auto spread = static_cast<std::uint32_t>(parameters_.credit_spread);
  credit->wire_bytes += static_cast<std::uint32_t>(random_.below(2 * spread + 1)) - spread;
  credit->scheme = ++receiver.credits;
  ++totals_.credits_sent;
  if (receiver.timed == 0) {
    receiver.timed = receiver.credits;
    receiver.timed_at = now();
  }
  if (Packet* const lost = queue_.push(credit, random_)) {
    ++totals_.credits_dropped;
    context_.pool.free(lost);
  }
  // draws a random number in -1 … 1
  const double drawn = static_cast<double>(random_.next_u32()) / 2147483648.0 - 1;
  const double gap = static_cast<double>(parameters_.queue.credit_frame) * 1e12 / receiver.rate *
                     (1 + parameters_.jitter.value() * drawn);
  plan_credit(qpn, now() + PicoSeconds(static_cast<std::int64_t>(gap + 0.5)));
}

/// Sends queued credits of the NIC at the rate at which a switch's port sends credits.
void ExpressPass::let_credits_go() {
  while (!queue_.empty() && queue_.ready_at() <= now()) send_control(queue_.pop(now()));
  if (!queue_.empty()) context_.scheduler.schedule_at(shaping_, queue_.ready_at());
}

void ExpressPass::check_receivers() {
  receiver_deadlines_.expire([this](Qpn qpn) {
    Receiver& receiver = receivers_[qpn];
    if (receiver.active) {  // all credits of the flow were lost, or its sender has no more data
      receiver.rate = static_cast<double>(parameters_.queue.credit_frame) / seconds(receiver.rtt);
      receiver.weight = std::max(receiver.weight / 2, parameters_.min_weight.value());
      receiver.may_grow = false;
    }
    if (complete(qpn)) {
      receiver.active = false;
      ++receiver.pace;
    } else {
      ask_again(qpn);
    }
  });
}

/// Requests retransmission of the first missing packets and grants credits for them.
void ExpressPass::ask_again(Qpn qpn) {
  const Receiver& receiver = receivers_[qpn];
  const SequenceSet& in = at(qpn).in;
  const Psn from = in.first_missing();
  const Psn to = in.gap_end(from, receiver.end);
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->psn = from;
  request->scheme = to - from;
  send_control(request);
  start_credits(qpn);
}

}  // namespace dcc
