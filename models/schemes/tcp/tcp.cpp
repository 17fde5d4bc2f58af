#include "schemes/tcp/tcp.h"

#include <algorithm>
#include <limits>

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<TcpParameters> kTcp{
    "tcp", "a stream of bytes with selective acknowledgements, NewReno, Cubic or DCTCP windows",
    kMakes<Tcp>};

constexpr unsigned kNoWindow = std::numeric_limits<unsigned>::max();

// Packs the SACK blocks of an ACK (RFC 2018), relative to the acknowledged number, into packet
// fields that TCP does not use otherwise. An empty block ends the list. In a kNak packet the last
// block names the segment whose payload was trimmed.
std::uint64_t block_of(Psn base, const SequenceRanges::Range& range) {
  return std::min<Psn>(range.begin - base, 0xFFFF'FFFF) << 32 |
         std::min<Psn>(range.end - range.begin, 0xFFFF'FFFF);
}
SequenceRanges::Range range_of(Psn base, std::uint64_t block) {
  const Psn begin = base + (block >> 32);
  return {begin, begin + (block & 0xFFFF'FFFF)};
}
void put_block(Packet& ack, std::size_t place, std::uint64_t block) {
  if (place == 0) {
    ack.scheme = block;
  } else if (place == 1) {
    ack.remote_address = block;
  } else {
    ack.message_bytes = static_cast<std::uint32_t>(block >> 32);
    ack.immediate = static_cast<std::uint32_t>(block);
  }
}
std::uint64_t block_at(const Packet& ack, std::size_t place) {
  if (place == 0) return ack.scheme;
  if (place == 1) return ack.remote_address;
  return std::uint64_t{ack.message_bytes} << 32 | ack.immediate;
}

// Flag in a data segment: the sender has cut its window for the echoed marks (CWR of RFC 3168).
constexpr std::uint64_t kWindowReduced = 1;
}  // namespace

TcpParameters::TcpParameters() {
  // header bytes of Ethernet, IPv4, TCP and time stamps, and the FCS
  framing.header = 14 + 20 + 20 + 12 + 4;
  framing.control = framing.header;
}

void TcpParameters::describe(ParameterVisitor& v) {
  describe_framing(v);
  window.describe(v);
  v.field("ecn", ecn, {}, {"marks instead of drops: RFC 3168, with growth: dctcp RFC 8257"});
  v.field("receive_window", receive_window, "none", {"1", "1000000"},
          {"segments in flight that a receiver has room for", "RFC 9293"});
  v.field("fast_retransmit", fast_retransmit, {},
          {"segments that arrive behind a gap show that it is lost; false: only a timeout "
           "does, for networks that reorder but do not lose packets",
           "RFC 6675; false: DeTail, SIGCOMM'12"});
  v.field(
      "duplicate_threshold", duplicate_threshold, {"1", "100000"},
      {"number of segments that arrive behind a missing one until it counts as lost", "RFC 6675"});
  v.field("initial_timeout", initial_timeout, {"1us", "60s"},
          {"timeout while no round trip is known", "RFC 6298"});
  v.field("min_timeout", min_timeout, {"1us", "60s"}, {"least timeout", "Linux"});
  v.field("granularity", granularity, {"1ns", "1s"},
          {"least difference between a timeout and the smoothed round trip", "RFC 6298"});
  v.field("max_timeout", max_timeout, {"1us", "1000s"}, {"greatest timeout", "RFC 6298"});
}

void TcpParameters::check() const {
  if (max_timeout < min_timeout) {
    throw ParameterError({"max_timeout", "min_timeout"}, "max_timeout is below min_timeout");
  }
  if (window.growth == TcpWindowParameters::Growth::kDctcp && !ecn) {
    throw ParameterError({"ecn", "growth"}, "growth: dctcp goes by marks: ecn: true");
  }
}

Tcp::Tcp(const TransportContext& context, const TcpParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      deadlines_(context.scheduler, Event::calling<&Tcp::check_timeouts>(*this, context.rank)) {}

RtoEstimator Tcp::fresh_timer(PicoSeconds base_rtt) const {
  RtoEstimator timer(parameters_.initial_timeout, parameters_.min_timeout, parameters_.max_timeout,
                     parameters_.granularity);
  if (base_rtt != PicoSeconds()) timer.measured(base_rtt);
  return timer;
}

void Tcp::begin(Qpn qpn) {
  while (senders_.size() <= qpn) {
    senders_.emplace_back(parameters_.window, fresh_timer({}));
    receivers_.emplace_back();
  }
  senders_[qpn] = Sender(parameters_.window, fresh_timer(at(qpn).config.base_rtt));
  receivers_[qpn] = Receiver{};
}

void Tcp::end(Qpn qpn) {
  ready_.erase(std::remove(ready_.begin(), ready_.end(), qpn), ready_.end());
  senders_[qpn].ready = false;
  deadlines_.clear(qpn);
}

void Tcp::add_own_state(StateDigest& d) const { d(senders_, receivers_, ready_, deadlines_); }

// ---------------------------------------------------------------- sending

void Tcp::work_changed(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  if (!sender.ready && connection.next > 0 && first_missing(qpn) >= connection.next) {
    const PicoSeconds rest = now() - sender.sent;
    sender.window.rested(rest, rest > sender.timer.timeout());
    sender.sent = now();
  }
  settle(qpn);
  context_.port.data_ready();
}

Psn Tcp::lost_before(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  if (!parameters_.fast_retransmit) return sender.lost_to;
  return std::max(sender.lost_to, sender.arrived.highest(parameters_.duplicate_threshold));
}

Psn Tcp::pipe(Qpn qpn) const {
  const Sender& sender = senders_[qpn];
  const Psn missing = first_missing(qpn);
  const Psn out = at(qpn).next - missing - sender.arrived.count() - sender.cut_left.size();
  if (sender.state == State::kOpen) return out;
  const Psn lost = std::max(lost_before(qpn), missing);
  const Psn arrived_before = sender.arrived.count() - sender.arrived.count_from(lost);
  const auto cut_before =
      static_cast<Psn>(std::distance(sender.cut.begin(), sender.cut.lower_bound(lost)));
  return out - (lost - missing - arrived_before - cut_before) + sender.again_out;
}

Psn Tcp::next_again(Qpn qpn, Psn lost) {
  Sender& sender = senders_[qpn];
  Psn& psn = sender.sent_again_to;
  psn = std::max(psn, first_missing(qpn));
  // Skips delivered segments and segments whose payload was trimmed, because the answers to trimmed
  // headers handle the latter.
  while (psn < lost && (at(qpn).out.delivered(psn) || sender.cut.count(psn) != 0)) {
    psn = std::max(sender.arrived.around(psn).end, psn + 1);
  }
  return std::min(psn, lost);
}

/// Updates whether the TCP flow may send, either a lost segment first or a new one.
void Tcp::settle(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  bool ready = false;
  if (connection.connected) {
    const auto window = static_cast<Psn>(std::max(sender.window.segments(), 1.0));
    const Psn room = std::min<Psn>(window, parameters_.receive_window.value_or(kNoWindow));
    bool work = connection.next < connection.out.end() || !sender.cut_left.empty();
    if (!work && sender.state != State::kOpen) {
      const Psn lost = lost_before(qpn);
      work = next_again(qpn, lost) < lost;
    }
    const bool fits = sender.at_once || pipe(qpn) < room;
    if (work && !fits && room == window) sender.held_at = connection.next;
    ready = work && fits;
  }
  if (ready && !sender.ready) ready_.push_back(qpn);
  if (!ready && sender.ready) ready_.erase(std::find(ready_.begin(), ready_.end(), qpn));
  sender.ready = ready;
}

std::deque<Qpn>::const_iterator Tcp::next_ready() const {
  const unsigned allowed = context_.port.allowed();
  return std::find_if(ready_.begin(), ready_.end(),
                      [&](Qpn qpn) { return (allowed >> at(qpn).config.priority & 1u) != 0; });
}

Packet* Tcp::next_packet() {
  const auto turn = next_ready();
  const Qpn qpn = *turn;
  ready_.erase(turn);
  Sender& sender = senders_[qpn];
  sender.ready = false;
  sender.at_once = false;
  Psn psn = at(qpn).next;
  if (!sender.cut_left.empty()) {
    psn = *sender.cut_left.begin();
    sender.cut_left.erase(sender.cut_left.begin());
  } else if (sender.state != State::kOpen) {
    const Psn lost = lost_before(qpn);
    const Psn again = next_again(qpn, lost);
    if (again < lost) {
      psn = again;
      sender.sent_again_to = psn + 1;
      ++sender.again_out;
    }
  }
  Packet* const packet = make_data(qpn, psn);
  if (parameters_.ecn && at(qpn).config.ecn_capable) packet->ecn = Ecn::kEct0;
  if (sender.confirm_cut) {
    packet->scheme = kWindowReduced;
    sender.confirm_cut = false;
  }
  sender.sent = now();
  // Restarts the retransmission timeout if the first missing segment is retransmitted, so that its
  // acknowledgement has a whole timeout.
  if (!deadlines_.is_set(qpn) || psn == first_missing(qpn)) arm(qpn);
  settle(qpn);  // the sender moves to the end of the round robin
  return packet;
}

/// Applies the cumulative number and the SACK blocks of an ACK; returns the number of newly
/// acknowledged segments.
unsigned Tcp::take_in(Qpn qpn, const Packet& ack) {
  Sender& sender = senders_[qpn];
  unsigned fresh = 0;
  const auto came = [&](Psn psn) {
    if (delivered(qpn, psn) == 0) return;
    ++fresh;
    if (!sender.cut.empty() && sender.cut.erase(psn) != 0) {
      sender.cut_left.erase(psn);
    } else if (psn < sender.sent_again_to && sender.again_out > 0) {
      --sender.again_out;
    }
  };
  const Psn end = std::min(ack.psn, at(qpn).next);
  for (Psn psn = first_missing(qpn); psn < end; ++psn) came(psn);
  const bool tells_cut = ack.kind == PacketKind::kNak;
  for (std::size_t place = 0; place < kBlocks - (tells_cut ? 1 : 0); ++place) {
    SequenceRanges::Range range = range_of(ack.psn, block_at(ack, place));
    range.begin = std::max(range.begin, first_missing(qpn));
    range.end = std::min(range.end, at(qpn).next);
    if (range.begin < range.end) sender.arrived.add(range.begin, range.end, came);
  }
  sender.arrived.remove_before(first_missing(qpn));
  if (tells_cut) note_cut(qpn, range_of(ack.psn, block_at(ack, kBlocks - 1)).begin);
  return fresh;
}

void Tcp::note_cut(Qpn qpn, Psn psn) {
  Sender& sender = senders_[qpn];
  if (psn < first_missing(qpn) || psn >= at(qpn).next || at(qpn).out.delivered(psn)) return;
  const bool again = !sender.cut.insert(psn).second;
  if (!again && psn < std::max(sender.sent_again_to, sender.lost_to)) {
    // after a timeout, the segment is sent again even if it was retransmitted before
    if (psn >= sender.sent_again_to) {
      sender.cut.erase(psn);
      return;
    }
    if (sender.again_out > 0) --sender.again_out;
  }
  sender.cut_left.insert(psn);
}

void Tcp::on_ack(Qpn qpn, const Packet& ack) {
  Sender& sender = senders_[qpn];
  const PicoSeconds rtt = now() - ack.sent;
  const Psn before = first_missing(qpn);
  const Psn flight = at(qpn).next - before;
  context_.port.round_trip(rtt);
  const unsigned fresh = take_in(qpn, ack);
  const Psn missing = first_missing(qpn);
  const bool advanced = missing > before;
  if (advanced && missing > sender.timed_from) {
    sender.timer.measured(rtt);
    sender.timed_from = at(qpn).next;
  }
  const bool recovered = sender.state == State::kRecovery;
  if (sender.state != State::kOpen && missing >= sender.recovery_end) sender.state = State::kOpen;
  answer_marks(qpn, fresh, ack.ce_echo, flight);
  if (sender.state == State::kOpen && (missing < lost_before(qpn) || !sender.cut.empty())) {
    sender.window.lost(static_cast<double>(flight));
    sender.state = State::kRecovery;
    sender.at_once = true;
    sender.recovery_end = sender.cut_end = at(qpn).next;
    sender.sent_again_to = missing;
    sender.again_out = 0;
  } else if (advanced && !recovered && may_grow(qpn, before, flight)) {
    sender.window.acknowledged(fresh, sender.timer.smoothed(), now());
  }
  const bool outstanding = missing < at(qpn).next;
  if (advanced || !outstanding) {
    deadlines_.progressed(qpn, outstanding, sender.timer.timeout());
  }
}

/// Returns true if the congestion window may grow. The window does not grow while something else
/// limits the sender. After a cut for marks the window does not grow until all segments that were
/// then in flight are acknowledged.
bool Tcp::may_grow(Qpn qpn, Psn acknowledged, Psn flight) const {
  const Sender& sender = senders_[qpn];
  if (sender.state == State::kTimedOut) return true;
  if (first_missing(qpn) <= sender.cut_end) return false;
  if (acknowledged < sender.held_at) return true;
  return sender.window.in_slow_start() &&
         2 * static_cast<double>(flight) >= sender.window.segments();
}

/// Reacts to ECN marks: cuts the window once for all segments that were in flight.
void Tcp::answer_marks(Qpn qpn, unsigned segments, bool mark, Psn flight) {
  if (!parameters_.ecn) return;
  Sender& sender = senders_[qpn];
  const Psn missing = first_missing(qpn);
  if (is_dctcp()) {
    sender.window.count_marks(segments, mark);
    if (missing > sender.round_end) {
      sender.window.round_over();
      sender.round_end = at(qpn).next;
    }
  }
  if (!mark || sender.state != State::kOpen || missing <= sender.cut_end) return;
  sender.window.marked(static_cast<double>(flight));
  sender.cut_end = at(qpn).next;
  sender.confirm_cut = true;
}

void Tcp::check_timeouts() {
  deadlines_.expire([this](Qpn qpn) { timed_out(qpn); });
  context_.port.data_ready();
}

void Tcp::timed_out(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Psn missing = first_missing(qpn);
  const Psn next = at(qpn).next;
  if (!at(qpn).created || missing >= next) return;
  ++context_.counters.timeouts;
  sender.window.timed_out(static_cast<double>(next - missing), missing == sender.timed_out_at);
  sender.timed_out_at = missing;
  sender.timer.back_off();
  sender.state = State::kTimedOut;
  sender.recovery_end = sender.lost_to = sender.cut_end = next;
  sender.sent_again_to = missing;
  sender.again_out = 0;
  sender.cut.clear();
  sender.cut_left.clear();
  arm(qpn);
  settle(qpn);
}

// ---------------------------------------------------------------- arrivals

void Tcp::arrived(Qpn qpn, Packet& packet) {
  if (packet.kind == PacketKind::kData) {
    on_data(qpn, packet);
  } else if (packet.kind == PacketKind::kTrimmed) {
    take_mark(qpn, packet);
    acknowledge(qpn, packet);
  } else if (packet.kind == PacketKind::kAck || packet.kind == PacketKind::kNak) {
    ++context_.counters.acks_received;
    on_ack(qpn, packet);
    settle(qpn);
    context_.port.data_ready();
  }
}

void Tcp::on_data(Qpn qpn, const Packet& data) {
  Receiver& receiver = receivers_[qpn];
  accept(qpn, data);
  const Psn missing = at(qpn).in.first_missing();
  if (data.psn > missing) {
    receiver.early.add(data.psn, data.psn + 1, [](Psn) {});
    auto& latest = receiver.latest;
    const SequenceRanges::Range grown = receiver.early.around(data.psn);
    std::size_t place = 0;  // place of the range in the list of latest ranges for SACK blocks
    while (place + 1 < kBlocks && (latest[place] < grown.begin || latest[place] >= grown.end)) {
      ++place;
    }
    std::copy_backward(latest.begin(), latest.begin() + static_cast<std::ptrdiff_t>(place),
                       latest.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    latest[0] = data.psn;
  }
  receiver.early.remove_before(missing);
  take_mark(qpn, data);
  acknowledge(qpn, data);
}

void Tcp::take_mark(Qpn qpn, const Packet& data) {
  Receiver& receiver = receivers_[qpn];
  const bool marked = count_mark(data);
  if (is_dctcp()) {
    receiver.echo = marked;
  } else {
    receiver.echo = marked || (receiver.echo && data.scheme != kWindowReduced);
  }
}

void Tcp::acknowledge(Qpn qpn, const Packet& data) {
  const Receiver& receiver = receivers_[qpn];
  const bool cut = data.kind == PacketKind::kTrimmed && !at(qpn).in.contains(data.psn);
  Packet* const ack = make_control(qpn, cut ? PacketKind::kNak : PacketKind::kAck, data.flow);
  ack->priority = data.priority;
  ack->psn = at(qpn).in.first_missing();
  ack->sent = data.sent;
  ack->ce_echo = receiver.echo;
  // With DCTCP, hosts send every segment, ACKs included, as ECT, since a port that marks above a
  // low threshold drops other packets there.
  if (is_dctcp() && at(qpn).config.ecn_capable) ack->ecn = Ecn::kEct0;
  if (!receiver.early.empty()) {
    std::size_t place = 0;
    std::array<Psn, kBlocks> put{};
    for (const Psn psn : receiver.latest) {
      if (cut && place == kBlocks - 1) break;
      const SequenceRanges::Range range = receiver.early.around(psn);
      const auto told = put.begin() + static_cast<std::ptrdiff_t>(place);
      if (range.begin == range.end || std::find(put.begin(), told, range.begin) != told) continue;
      put_block(*ack, place, block_of(ack->psn, range));
      put[place++] = range.begin;
    }
  }
  if (cut) put_block(*ack, kBlocks - 1, block_of(ack->psn, {data.psn, data.psn + 1}));
  ++(cut ? context_.counters.naks_sent : context_.counters.acks_sent);
  send_control(ack);
}

}  // namespace dcc
