#include "schemes/fastpass/fastpass.h"

#include <algorithm>
#include <string>

#include "describe/network_scale.h"
#include "describe/parameter_error.h"
#include "describe/quantity_text.h"
#include "describe/visitor.h"
#include "fabric/topology.h"
#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<FastpassParameters> kFastpass{
    "fastpass", "an arbiter, one of the hosts, or several allocate timeslots and paths",
    kMakes<Fastpass>};

/// Length of a default timeslot: link time of a full packet with overhead, its acknowledgement, and
/// its share of control messages.
PicoSeconds full_slot(const FastpassParameters& parameters, const TransportContext& context) {
  const auto time = [&](Bytes bytes) {
    return serialization_time(bytes + context.nic.link_overhead, context.nic.line_rate).count;
  };
  const Framing& framing = parameters.framing;
  const std::int64_t told = time(framing.control + parameters.batch * FastpassEntries::kSlotBytes);
  return PicoSeconds(time(framing.data(context.nic.mtu)) + time(framing.control) +
                     (told + parameters.batch - 1) / parameters.batch);
}

FastpassTiming timing_of(const FastpassParameters& parameters, const TransportContext& context) {
  FastpassTiming timing;
  timing.slot = parameters.slot.value_or(full_slot(parameters, context));
  timing.batch = parameters.batch;
  timing.arbiters = parameters.arbiters;
  timing.lead = parameters.lead.value_or(PicoSeconds(context.longest_base_rtt.count / 2) +
                                         timing.batch_time() + timing.turn_time());
  return timing;
}

/// Default time until an unanswered demand is repeated. A demand waits for an arbiter's turn, and
/// the answer waits until the arbiter has finished the work of that turn.
PicoSeconds default_silence(const TransportContext& context, const FastpassTiming& timing) {
  return context.longest_base_rtt * 3 + timing.lead + timing.turn_time() - timing.batch_time();
}

/// Checks that the links of all hosts have equal rates, which one slot length requires.
void check_links(const Topology& network) {
  const BitRate first = network.link(network.node_of(0), 0).rate;
  for (HostId host = 1; host < static_cast<HostId>(network.hosts()); ++host) {
    const BitRate rate = network.link(network.node_of(host), 0).rate;
    if (rate == first) continue;
    throw ParameterError({"slot", "kind"}, "slot: auto needs hosts with links alike: host 0 has " +
                                               text_of(first) + ", host " + std::to_string(host) +
                                               " " + text_of(rate));
  }
}

/// Checks that the number of hosts per edge switch and the number of uplinks match the network.
void check_racks(const Topology& network, unsigned rack, unsigned ways) {
  const auto switch_of = [&](HostId host) { return network.peer(network.node_of(host), 0).node; };
  for (HostId host = 0; host < static_cast<HostId>(network.hosts()); ++host) {
    const NodeId node = switch_of(host);
    const HostId before = host == 0 ? 0 : host - 1;
    if ((node == switch_of(before)) != (host / rack == before / rack)) {
      throw ParameterError({"rack", "kind"}, "racks of " + std::to_string(rack) +
                                                 " are not the hosts at each switch: see host " +
                                                 std::to_string(host));
    }
    unsigned up = 0;
    for (int port = 0; port < network.node(node).ports; ++port) {
      up += network.node(network.peer(node, port).node).is_host ? 0 : 1;
    }
    if (up == ways) continue;
    throw ParameterError({"ways", "kind"}, network.node(node).name + " has " + std::to_string(up) +
                                               " ports up, not " + std::to_string(ways));
  }
}
}  // namespace

void FastpassParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Fastpass, SIGCOMM'14";
  describe_framing(v);
  v.field("arbiter", arbiter, {"0", "1000000"}, {"host of the arbiter"});
  v.field("arbiters", arbiters, {"1", "64"},
          {"number of arbiters, hosts with consecutive numbers from `arbiter` on; each owns every "
           "n-th batch of timeslots"});
  v.choice("order", order,
           {"which pair gets a slot first: the one that has waited longest, or the one that "
            "needs the fewest slots",
            paper});
  v.field("slot", slot, "auto", {"1ns", "1ms"},
          {"length of a timeslot; auto: time of a full packet, an acknowledgement, and a "
           "batch's share of the packet that announces it",
           paper});
  v.field("batch", batch, {"1", "64"}, {"number of timeslots allocated at a time", paper});
  v.field(
      "lead", lead, "auto", {"0us", "1s"},
      {"time from the arbiter's work on a batch to the first slot in it; auto: half the "
       "longest base RTT and two batches, and one for each further arbiter. The paper has 65 us",
       paper});
  v.field("request_time", request_time, {"0ns", "1s"},
          {"time that the arbiter needs for a host's request"});
  v.field("allocation_time", allocation_time, {"0ns", "1s"},
          {"time that the arbiter needs to allocate a slot; the default is 1500 bytes at the 2.21 "
           "Tb/s of eight cores",
           paper});
  v.field("rack", rack, {"0", "1024"},
          {"hosts at a switch, with consecutive numbers, if the arbiter chooses paths; 0: the "
           "switches choose",
           paper});
  v.field("ways", ways, {"1", "255"}, {"number of paths up from such a switch", paper});
  v.field("ask_again", ask_again, "auto", {"1us", "10s"},
          {"time without an answer after which a demand is repeated, at growing intervals; "
           "auto: three times the longest base RTT, plus the lead and a batch for each further "
           "arbiter"});
  v.field("timeout", timeout, {"1us", "10s"},
          {"time without an answer after which a packet is sent again"});
  v.follows(true, kPatienceRule,
            [this](const NetworkScale& network) { timeout = network.patience(); });
  v.field("clock_error", clock_error, {"0ns", "1s"},
          {"greatest error of a host's clock, drawn once for each host"});
}

void FastpassParameters::check() const {
  if (rack / ways > 254) {
    throw ParameterError({"rack", "ways"}, "more than 255 ways beyond each of `ways`: rack / ways");
  }
}

void FastpassParameters::check_network(const TopologyParameters& topology) const {
  const HostId last = arbiter + arbiters - 1;
  if (last >= topology.host_count()) {
    // `arbiters` is at fault if the first arbiter is a host of the topology
    const bool first_fits = arbiter < topology.host_count();
    throw ParameterError({first_fits ? "arbiters" : "arbiter", "arbiter", "kind"},
                         "there is no host " + std::to_string(last) +
                             " to be the arbiter: the topology has 0 to " +
                             std::to_string(topology.host_count() - 1));
  }
  if (topology.host_ports().several()) {
    throw ParameterError({"kind"}, "the arbiter knows one port of a host, and some have several");
  }
  const Topology network = Topology::of(topology);
  // a network of a single host may have no link, so nothing is checked
  if (network.hosts() < 2) return;
  if (!slot) check_links(network);
  if (rack != 0) check_racks(network, rack, ways);
}

Fastpass::Fastpass(const TransportContext& context, const FastpassParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      timing_(timing_of(parameters, context)),
      told_(PicoSeconds() - timing_.batch_time()),
      ask_again_(parameters.ask_again.value_or(default_silence(context, timing_))),
      telling_(Event::calling<&Fastpass::tell_all>(*this, context.rank)),
      slots_(Event::calling<&Fastpass::use_slots>(*this, context.rank)),
      silence_(context.scheduler, Event::calling<&Fastpass::hear_nothing>(*this, context.rank)),
      timeouts_(context.scheduler, Event::calling<&Fastpass::ring_timeouts>(*this, context.rank)) {
  // chooses the first arbiter by the host's number, so that hosts begin with different arbiters
  turn_ = context.nic.host % parameters.arbiters;
  asked_.resize(parameters.arbiters, PicoSeconds::max());
  absent_.resize(parameters.arbiters);
  // index of the host among the arbiters; a host below the first arbiter wraps round to a large
  // number
  const HostId index = context.nic.host - parameters.arbiter;
  if (index < parameters.arbiters) {
    FastpassArbiter::Client& client = *this;
    arbiter_ = std::make_unique<FastpassArbiter>(
        context.scheduler, context.rank, timing_,
        ArbiterParameters{index, parameters.order, parameters.request_time,
                          parameters.allocation_time, parameters.rack, parameters.ways},
        client);
  }
  if (parameters.clock_error.count > 0) {
    RandomStream random(context.seed, "fastpass clock", context.nic.host);
    const auto error = static_cast<std::uint64_t>(parameters.clock_error.count);
    clock_offset_ = PicoSeconds(static_cast<std::int64_t>(random.below(2 * error + 1))) -
                    parameters.clock_error;
  }
}

void Fastpass::begin(Qpn qpn) { renew(senders_, qpn); }

void Fastpass::end(Qpn qpn) {
  count_work(qpn, 0);
  timeouts_.clear(qpn);
  senders_[qpn] = Sender{};
}

void Fastpass::add_own_state(StateDigest& d) const {
  d(arbiter_, senders_, ways_, to_tell_, told_, hand_, current_, telling_, slots_, silence_,
    timeouts_);
  d(asked_, turn_);
  for (const bool absent : absent_) d(absent);
}

void Fastpass::work_changed(Qpn qpn) {
  if (!at(qpn).connected) return;
  settle(qpn);
  context_.port.data_ready();
}

// ---------------------------------------------------------------- Demands

Fastpass::Way& Fastpass::way_to(HostId host) {
  if (ways_.size() <= host) ways_.resize(std::size_t{host} + 1);
  FastpassDemand& demand = ways_[host].demand;
  if (demand.arbiters() == 0) demand = FastpassDemand(parameters_.arbiters);
  return ways_[host];
}

/// Records the number of packets that a queue pair has to send.
void Fastpass::count_work(Qpn qpn, std::uint64_t work) {
  Sender& sender = senders_[qpn];
  Way& way = way_to(at(qpn).config.remote_host);
  if (work > 0 && sender.work == 0) way.waiting.push_back(qpn);
  if (work == 0 && sender.work > 0) {
    way.waiting.erase(std::find(way.waiting.begin(), way.waiting.end(), qpn));
  }
  way.work += work;
  way.work -= sender.work;
  sender.work = work;
}

/// Demands one slot at the arbiters for each packet without a slot.
void Fastpass::want(HostId host) {
  Way& way = ways_[host];
  way.demand.want(way.work > way.in_hand ? way.work - way.in_hand : 0, absent_, turn_);
  for (unsigned k = 0; k < parameters_.arbiters; ++k) {
    FastpassAccount& account = way.demand.at(k);
    const std::uint32_t number = number_of(host, k);
    if (account.wanted > account.told) tell(host, k);
    if (account.lacking() == 0) {
      silence_.clear(number);
    } else if (!silence_.is_set(number)) {
      account.patience = ask_again_;
      silence_.set(number, now() + account.patience);
    }
  }
}

/// Notes that a host's demand must be sent to one arbiter. The event telling_ sends all noted
/// demands together, at most once per batch time.
void Fastpass::tell(HostId host, unsigned arbiter) {
  FastpassAccount& account = ways_[host].demand.at(arbiter);
  if (!account.to_tell) to_tell_.push_back(number_of(host, arbiter));
  account.to_tell = true;
  if (!telling_.is_scheduled()) {
    context_.scheduler.schedule_at(telling_, std::max(now(), told_ + timing_.batch_time()));
  }
}

void Fastpass::tell_all() {
  told_ = now();
  for (unsigned k = 0; k < parameters_.arbiters; ++k) {
    Packet* request = nullptr;
    for (const std::uint32_t number : to_tell_) {
      if (number % parameters_.arbiters != k) continue;
      FastpassEntry entry;
      entry.host = number / parameters_.arbiters;
      FastpassAccount& account = ways_[entry.host].demand.at(k);
      entry.kind = account.ask ? FastpassEntry::Kind::kAsk : FastpassEntry::Kind::kDemand;
      entry.total = account.wanted;
      entry.slot = account.ask && account.told == account.wanted ? 1 : 0;
      account.told = account.wanted;
      account.to_tell = account.ask = false;
      if (is_here(k)) {
        arbiter_->hear(context_.nic.host, entry);
        continue;
      }
      if (request == nullptr) {
        request = make_for_host(parameters_.arbiter + k, PacketKind::kRequest);
        context_.pool.attach_telemetry(*request);
      }
      FastpassEntries::add(*request, entry);
      if (request->immediate == FastpassEntries::kMax) {
        send_control(request);
        request = nullptr;
      }
    }
    if (request != nullptr) send_control(request);
  }
  to_tell_.clear();
}

void Fastpass::hear_nothing() {
  silence_.expire([this](Qpn number) {
    const HostId host = number / parameters_.arbiters;
    const unsigned arbiter = number % parameters_.arbiters;
    FastpassAccount& account = ways_[host].demand.at(arbiter);
    if (account.lacking() == 0) return;
    account.ask = true;
    tell(host, arbiter);
    account.patience += account.patience;
    silence_.set(number, now() + account.patience);
    doubt(arbiter);
  });
}

/// Marks an arbiter as absent if it has left a request unanswered for too long; no more slots are
/// then expected from this arbiter.
void Fastpass::doubt(unsigned arbiter) {
  if (asked_[arbiter] == PicoSeconds::max()) {
    asked_[arbiter] = now();
  } else if (!absent_[arbiter] && now() >= asked_[arbiter] + ask_again_) {
    absent_[arbiter] = true;
    for (HostId host = 0; host < ways_.size(); ++host) {
      if (ways_[host].work > 0) want(host);
    }
  }
}

/// Handles a message of an arbiter; the caller then calls use_slots().
void Fastpass::hear(unsigned arbiter, std::uint64_t base, const FastpassEntry& entry) {
  asked_[arbiter] = PicoSeconds::max();
  absent_[arbiter] = false;
  Way& way = way_to(entry.host);
  FastpassAccount& account = way.demand.at(arbiter);
  const bool is_reply = entry.kind == FastpassEntry::Kind::kGiven;
  if (is_reply && (entry.slot == 1 || entry.total > account.given)) ++context_.counters.timeouts;
  const bool is_news = !is_reply || entry.total > account.given;
  account.given = std::max(account.given, entry.total);
  account.wanted = std::max(account.wanted, account.given);
  if (is_news) silence_.clear(number_of(entry.host, arbiter));
  if (entry.kind == FastpassEntry::Kind::kSlot) {
    const Slot slot{base + entry.slot, entry.host, entry.first_way, entry.second_way};
    ++way.in_hand;
    auto place = hand_.end();
    while (place != hand_.begin() && std::prev(place)->number > slot.number) --place;
    hand_.insert(place, slot);
  }
  want(entry.host);
}

void Fastpass::send_entries(HostId to, std::uint64_t base,
                            const std::vector<FastpassEntry>& entries) {
  Packet* packet = nullptr;
  for (const FastpassEntry& entry : entries) {
    if (entry.kind == FastpassEntry::Kind::kSlot) ++totals_.credits_sent;
    if (to == context_.nic.host) {
      hear(context_.nic.host - parameters_.arbiter, base, entry);
      continue;
    }
    if (packet == nullptr) {
      packet = make_for_host(to, PacketKind::kCredit);
      packet->scheme = base;
      context_.pool.attach_telemetry(*packet);
    }
    FastpassEntries::add(*packet, entry);
    if (packet->immediate == FastpassEntries::kMax) {
      send_control(packet);
      packet = nullptr;
    }
  }
  if (packet != nullptr) send_control(packet);
  if (to == context_.nic.host) use_slots();
}

void Fastpass::arrived_for_host(Packet& packet) {
  if (packet.telemetry == nullptr) return;
  for (std::size_t i = 0; i < packet.immediate; ++i) {
    const FastpassEntry entry = FastpassEntries::get(packet, i);
    if (packet.kind == PacketKind::kCredit) {
      hear(packet.source - parameters_.arbiter, packet.scheme, entry);
    } else if (arbiter_ != nullptr) {
      arbiter_->hear(packet.source, entry);
    }
  }
  if (packet.kind == PacketKind::kCredit) use_slots();
}

// ---------------------------------------------------------------- Sender

/// Handles a timeslot in which no packet left.
void Fastpass::slot_passed(HostId host) {
  ++totals_.credits_unused;
  --ways_[host].in_hand;
  want(host);
}

void Fastpass::use_slots() {
  if (current_ && begin_of(current_->number + 1) <= now()) {
    const HostId host = current_->host;
    current_.reset();
    slot_passed(host);
  }
  while (!current_ && !hand_.empty() && begin_of(hand_.front().number) <= now()) {
    const Slot slot = hand_.front();
    hand_.pop_front();
    if (begin_of(slot.number + 1) <= now() || ways_[slot.host].work == 0) {
      slot_passed(slot.host);
    } else {
      current_ = slot;
    }
  }
  if (current_) {
    context_.scheduler.schedule_at(slots_, begin_of(current_->number + 1));
    context_.port.data_ready();
  } else if (!hand_.empty()) {
    context_.scheduler.schedule_at(slots_, begin_of(hand_.front().number));
  }
}

bool Fastpass::has_packet() const {
  return current_ && ways_[current_->host].work > 0 && now() < begin_of(current_->number + 1);
}

Qpn Fastpass::choose(const Way& way) const {
  if (parameters_.order == TimeslotAllocator::Order::kMaxMin) return way.waiting.front();
  return *std::min_element(way.waiting.begin(), way.waiting.end(),
                           [this](Qpn a, Qpn b) { return senders_[a].work < senders_[b].work; });
}

Packet* Fastpass::next_packet() {
  const Slot slot = *current_;
  current_.reset();
  Way& way = ways_[slot.host];
  --way.in_hand;
  ++totals_.credits_used;
  const Qpn qpn = choose(way);
  // the turn among the destination's queue pairs goes to the next queue pair
  if (way.waiting.front() == qpn) {
    way.waiting.pop_front();
    way.waiting.push_back(qpn);
  }
  Packet* const packet = make_data(qpn, senders_[qpn].packets.send(at(qpn).next, now()));
  packet->overlay.route.first_port = slot.first_way;
  packet->overlay.route.second_port = slot.second_way;
  settle(qpn);
  if (!hand_.empty()) {
    context_.scheduler.schedule_at(slots_, std::max(now(), begin_of(hand_.front().number)));
  }
  return packet;
}

/// Updates the demand and the timeout of a queue pair.
void Fastpass::settle(Qpn qpn) {
  Sender& sender = senders_[qpn];
  count_work(qpn, packets_left(qpn, sender.packets));
  want(at(qpn).config.remote_host);
  timeouts_.set(qpn, std::max(now(), sender.packets.overdue_at(parameters_.timeout)));
}

void Fastpass::look_at(Qpn qpn) {
  Sender& sender = senders_[qpn];
  while (const auto psn = sender.packets.overdue(now(), parameters_.timeout)) {
    sender.packets.lost(*psn);
    ++context_.counters.timeouts;
  }
  settle(qpn);
}

void Fastpass::ring_timeouts() {
  timeouts_.expire([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

void Fastpass::arrived(Qpn qpn, Packet& packet) {
  if (packet.kind == PacketKind::kData) {
    accept(qpn, packet);
    Packet* const ack = make_ack(qpn, packet);
    // The acknowledgement takes the path of its data: data packets of one slot to one rack have
    // different paths, so their acknowledgements need different paths, too.
    ack->overlay.route.first_port = packet.overlay.route.first_port;
    ack->overlay.route.second_port = packet.overlay.route.second_port;
    send_control(ack);
  } else if (packet.kind == PacketKind::kAck) {
    ++context_.counters.acks_received;
    senders_[qpn].packets.arrived(packet.psn);
    acknowledged(qpn, packet.psn, packet.sent);
    settle(qpn);
  }
}

}  // namespace dcc
