#include "switch/switch_device.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace dcc {

namespace {
SharedBufferParameters buffer_parameters(const SwitchParameters& parameters) {
  SharedBufferParameters buffer;
  // With credits every input has a buffer of its own, and nobody sends what it cannot hold.
  buffer.size =
      parameters.has_credits() ? std::numeric_limits<Bytes>::max() / 2 : parameters.buffer;
  buffer.alpha_q16 = static_cast<std::uint32_t>(parameters.pfc.alpha.to_fixed(16));
  buffer.resume_offset = parameters.pfc.resume_below;
  buffer.lossless = parameters.pauses() ? parameters.pfc.priorities : std::uint8_t{0};
  return buffer;
}

int checked_ports(int ports) {
  if (ports < 1 || ports > kMaxPorts) {
    throw std::invalid_argument("switch: " + std::to_string(ports) + " ports (1 … 65535)");
  }
  return ports;
}
}  // namespace

SwitchDevice::Port::Port(SwitchDevice& owner, std::uint32_t rank)
    : free(Event::calling<&Port::wake, &Port::prefetch_wake>(*this, rank)), device(&owner) {}

SwitchDevice::SwitchDevice(Scheduler& scheduler, PacketPool& pool,
                           const SwitchParameters& parameters, int ports, std::uint64_t seed,
                           std::uint64_t index, std::uint32_t rank)
    : scheduler_(scheduler),
      pool_(pool),
      parameters_(parameters),
      ports_(checked_ports(ports)),
      hash_seed_(mix64(mix64(seed) ^ index)),
      path_choice_(parameters.routing.make(
          {*this, ports_, hash_seed_, seed, index, &actions_, parameters.mtu})),
      random_(seed, "switch", index),
      buffer_(buffer_parameters(parameters), ports + 1),
      ways_out_(static_cast<std::size_t>(ports)),
      queue_all_(parameters.queue_all || parameters.qcn.enabled),
      with_credits_(parameters.has_credits()),
      actions_(*this, rank) {
  if (with_credits_) stopped_ = 1;
  if (path_choice_ != nullptr) path_needs_ = path_choice_->needs();
  egress_.reserve(static_cast<std::size_t>(ports));  // their events must stay where they are
  for (int number = 0; number < ports; ++number) {
    Port& port = egress_.emplace_back(*this, rank);
    port.scheduler = EgressScheduler(parameters.scheduler);
    if (parameters.arbitration == SwitchParameters::Arbitration::kRoundRobin) {
      port.turns.resize(kPriorities);
    }
    if (parameters.qcn.enabled) port.qcn.assign(kPriorities, QcnPoint(parameters.qcn));
    port.discipline = parameters.discipline.make({random_, scheduler_});
    disciplined_ = port.discipline != nullptr;
    has_ways_back_ = disciplined_ && port.discipline->wants_the_way_back();
  }
}

void SwitchDevice::attach(int port, PacketOut& out, const LinkParameters& link) {
  Port& p = at(port);
  connect(port, out);
  p.link = link;
  if (disciplined_) p.discipline->attach(link);
  if (with_credits_) {
    p.credits =
        std::make_unique<LaneCredits>(parameters_.credit_buffer(link), parameters_.largest_packet);
  }
  set_ecn(port, parameters_.ecn);
  // Whether it pauses anything may come to be known when the link comes up (DCBX).
  buffer_.set_alpha(port, alpha_for(link, parameters_.pfc));
  buffer_.set_headroom(port, parameters_.pfc.headroom
                                 ? *parameters_.pfc.headroom
                                 : headroom_for(link, parameters_.largest_packet));
}

void SwitchDevice::change(const SwitchParameters& parameters) {
  for (int number = 0; number < ports_; ++number) {
    set_ecn(number, parameters.ecn);
    at(number).scheduler.change_weights(parameters.scheduler);
    buffer_.set_alpha(number, alpha_for(at(number).link, parameters.pfc));
  }
  buffer_.set_resume_offset(parameters.pfc.resume_below);
  parameters_.ecn = parameters.ecn;
  parameters_.pfc = parameters.pfc;
  parameters_.scheduler = parameters.scheduler;
}

void SwitchDevice::set_ecn(int port, const EcnParameters& ecn) {
  Port& p = at(port);
  p.ecn.change(ecn, p.link.rate);
  p.marks_at_enqueue = p.ecn.marks_at(EcnParameters::MarkAt::kEnqueue);
  p.attends_departures = p.ecn.marks_at(EcnParameters::MarkAt::kDequeue) ||
                         p.ecn.has_phantom_queue() || path_needs_.departures || with_credits_ ||
                         p.scheduler.shapes() ||
                         (disciplined_ && p.discipline->wants_every_packet());
}

void SwitchDevice::set_routes(const RouteTable& routes) {
  if (routes.ports_needed() > static_cast<std::uint32_t>(ports_)) {
    throw std::invalid_argument("switch: a route leads through port " +
                                std::to_string(routes.ports_needed() - 1) + " of " +
                                std::to_string(ports_));
  }
  routes_ = routes;
  if (path_choice_ != nullptr) path_choice_->routes_changed();
}

void SwitchDevice::join(const FabricMap& fabric, int self) {
  if (path_choice_ != nullptr) path_choice_->join(fabric, self);
}

Bytes SwitchDevice::backlog(int port) const {
  const Port& p = at(port);
  const PicoSeconds now = scheduler_.now();
  if (p.free_at <= now) return p.bytes;
  constexpr std::uint64_t kPicoBitsPerByte = 8'000'000'000'000u;
  const auto left = static_cast<std::uint64_t>((p.free_at - now).count);
  return p.bytes +
         static_cast<Bytes>(Uint128(left) * p.link.rate.bits_per_second / kPicoBitsPerByte);
}

Bytes SwitchDevice::drain(int port, int priority) const {
  const Port& p = at(port);
  if (disciplined_) return p.bytes;  // it keeps no priorities that could be told apart here
  Bytes bytes = 0;
  for (int one = priority; one < kPriorities; ++one) bytes += queue_bytes(port, one);
  return bytes;
}

void SwitchDevice::observe_queue(int port, QueueStatistics* statistics) {
  at(port).statistics = statistics;
  ways_out_[static_cast<std::size_t>(port)].statistics = statistics;
  at(port).largest_passed = 0;
  if (statistics != nullptr) statistics->restart(at(port).bytes, scheduler_.now());
}

int SwitchDevice::route_of(const Packet& packet, PortSet ports) const {
  if (ports.size() == 1) return ports.front();
  if (ports.empty()) return -1;
  if (path_choice_ == nullptr) return ports[hashed(packet, ports.size())];
  // What it remembers may be of other ports.
  return ports[std::min(path_choice_->peek(packet, ports), ports.size() - 1)];
}

[[gnu::always_inline]] inline int SwitchDevice::choose(Packet& packet) {
  const PortSet ports = routes_.ports(packet.destination);
  if (ports.size() == 1 && !path_needs_.every_packet) return ports.front();
  if (ports.empty()) return kNoPort;
  if (path_choice_ == nullptr) return ports[hashed(packet, ports.size())];
  const std::uint32_t way = path_choice_->choose(packet, ports);
  return way == PathChoice::kKept ? kKept : ports[way];
}

/// What is to wait is charged to where it came in, whose sender may have to stop; or it is dropped.
[[gnu::always_inline]] inline bool SwitchDevice::admit(Packet* packet, Port& egress) {
  const int input = packet->ingress;
  const int priority = packet->priority;
  const Bytes bytes = packet->wire_bytes;
  if (!buffer_.admit(input, priority, bytes)) {
    ++egress.rare.dropped;
    egress.rare.dropped_bytes += packet->wire_bytes;
    pool_.free(packet);
    return false;
  }
  if (with_credits_) take_credits(input, priority, bytes);
  if (buffer_.must_pause(input, priority) && input != own_input()) {
    Port& upstream = at(input);
    if (!upstream.pfc.has_stopped(priority)) {
      upstream.pfc.stop(priority);
      ++stopped_;
      kick(upstream);
    }
  }
  return true;
}

[[gnu::always_inline]] inline void SwitchDevice::join_queue(Packet* packet, Port& egress) {
  const int priority = packet->priority;
  const Bytes bytes = packet->wire_bytes;
  Queue& queue = egress.queue[static_cast<std::size_t>(priority)];
  if (egress.marks_at_enqueue) {
    mark_if_congested(egress, queue, *packet, EcnParameters::MarkAt::kEnqueue);
  }
  if (egress.attends_departures && egress.scheduler.shapes() && queue.bytes == 0) {
    egress.scheduler.shaper().began(priority, scheduler_.now());
  }
  push(egress, priority, packet);
  queue.bytes += bytes;
  egress.bytes += bytes;
  egress.waiting = static_cast<std::uint8_t>(egress.waiting | 1u << priority);
  ++egress.enqueued;
  if (egress.statistics != nullptr) egress.statistics->changed(egress.bytes, scheduler_.now());
  if (parameters_.qcn.enabled && packet->kind == PacketKind::kData) {
    const std::uint32_t feedback =
        egress.qcn[static_cast<std::size_t>(priority)].arrival(bytes, queue.bytes, random_);
    if (feedback != 0) {
      ++egress.rare.cnms_sent;
      notify_source(*packet, feedback);
    }
  }
  kick(egress);
}

bool SwitchDevice::Actions::detain(Packet* packet, int port) {
  const Bytes bytes = packet->wire_bytes;
  if (!device_.disciplined_ && !device_.admit(packet, device_.at(port))) return false;
  held_back.changed_by(bytes, device_.scheduler_.now());
  return true;
}

void SwitchDevice::Actions::release(Packet* packet, int port) {
  held_back.changed_by(-Bytes{packet->wire_bytes}, device_.scheduler_.now());
  Port& egress = device_.at(port);
  device_.disciplined_ ? device_.enqueue_by_discipline(packet, egress)
                       : device_.join_queue(packet, egress);
}

void SwitchDevice::Actions::send(Packet* packet) {
  ++sent;
  packet->ingress = static_cast<std::uint16_t>(device_.own_input());
  device_.forward(packet);
}

void SwitchDevice::Actions::consume(Packet* packet) {
  ++taken;
  if (device_.with_credits_) {
    device_.take_credits(packet->ingress, packet->priority, packet->wire_bytes);
    device_.give_credits(packet->ingress, packet->priority, packet->wire_bytes);
  }
  device_.pool_.free(packet);
}

void SwitchDevice::prefetch_port(const Port& port, int priority) const {
  const auto fetch = [](const void* line) { __builtin_prefetch(line, 1); };
  fetch(&port.waiting);
  fetch(&port.free);
  fetch(&port.dequeued);
  fetch(&port.queue[static_cast<std::size_t>(priority)]);
  fetch(&port.ecn);
  const WayOut& way = ways_out_[static_cast<std::size_t>(number_of(port))];
  const auto* const first = reinterpret_cast<const char*>(way.wire);
  for (unsigned line = 0; line < way.lines; ++line) fetch(first + std::size_t{64} * line);
  fetch(way.statistics);
}

void SwitchDevice::prefetch(const Packet& packet, int port) const {
  if (is_link_control(packet.kind)) return;
  const PortSet ports = routes_.ports(packet.destination);
  // What balances load may look far to answer.
  if (ports.empty() || (ports.size() > 1 && path_choice_ != nullptr)) return;
  const int egress = ports.size() == 1 ? ports.front() : ports[hashed(packet, ports.size())];
  prefetch_port(at(egress), packet.priority);
  buffer_.prefetch(port, packet.priority);
}

void SwitchDevice::receive(Packet* packet, int port) {
  if (is_link_control(packet->kind)) {
    honour(packet, port);
    return;
  }
  if (packet->collects_telemetry()) {
    __builtin_prefetch(&packet->telemetry->hop[packet->telemetry_hops], 1);  // for send_next()
  }
  packet->ingress = static_cast<std::uint16_t>(port);
  forward(packet);
}

[[gnu::always_inline]] inline void SwitchDevice::forward(Packet* packet) {
  const int egress = choose(*packet);
  if (egress < 0) {
    if (egress == kKept) return;
    ++unroutable_;
    if (with_credits_) {
      take_credits(packet->ingress, packet->priority, packet->wire_bytes);
      give_credits(packet->ingress, packet->priority, packet->wire_bytes);
    }
    pool_.free(packet);
    return;
  }
  enqueue(packet, at(egress));
}

void SwitchDevice::set_carrier(int port, bool up) {
  at(port).pfc.set_carrier(up, scheduler_.now());
  if (dcbx(port) != nullptr) dcbx_[static_cast<std::size_t>(port)].end->set_carrier(up);
  if (up) kick(at(port));
}

void SwitchDevice::route_again(int port) {
  Port& egress = at(port);
  PacketFifo waiting;
  while (disciplined_ && !egress.discipline->empty()) {
    ++egress.dequeued;
    waiting.push(egress.discipline->evict());
  }
  if (disciplined_) buffer_.hold_apart(-std::exchange(egress.bytes, 0));
  for (int priority = 0; priority < kPriorities; ++priority) {
    Queue& queue = egress.queue[static_cast<std::size_t>(priority)];
    if (queue.bytes == 0) continue;
    while (queue.bytes > 0) {
      Packet* const packet = pop(egress, priority);
      queue.bytes -= packet->wire_bytes;
      egress.bytes -= packet->wire_bytes;
      ++egress.dequeued;
      leave_buffer(packet->ingress, priority, packet->wire_bytes);
      waiting.push(packet);
    }
    egress.scheduler.emptied(priority);
  }
  egress.waiting = 0;
  if (egress.statistics != nullptr) egress.statistics->changed(egress.bytes, scheduler_.now());
  routing_again_ = true;
  while (!waiting.empty()) forward(waiting.pop());
  routing_again_ = false;
}

// Most packets of most networks find their way out free: what queueing would do and undo in the
// same moment is left out. Everything it would leave behind is the same.
bool SwitchDevice::leaves_at_once(const Packet& packet, const Port& egress) {
  const unsigned in_the_way =
      egress.waiting | (unsigned{egress.pfc.blocked()} >> packet.priority & 1);
  if (in_the_way != 0 || egress.pfc.frame_owed() || egress.attends_departures) return false;
  // At free_at itself the port's event may still be to come.
  if (scheduler_.now() <= egress.free_at || stopped_ != 0 || queue_all_) return false;
  if (buffer_.lets_through(packet.ingress, packet.priority, packet.wire_bytes)) return true;
  // A discipline is not to see one that it would not have seen, for the peak's sake.
  return disciplined_ && buffer_.passes_apart(packet.ingress, packet.priority, packet.wire_bytes);
}

void SwitchDevice::pass_through(Packet* packet, Port& egress) {
  const int priority = egress.scheduler.pick(1u << packet->priority);
  egress.scheduler.charge(priority, packet->wire_bytes);
  egress.scheduler.emptied(priority);
  if (packet->collects_telemetry()) append_telemetry(egress, *packet);
  ++egress.enqueued;
  ++egress.dequeued;
  egress.tx_bytes += packet->wire_bytes + static_cast<std::uint64_t>(egress.link.overhead);
  if (packet->wire_bytes > egress.largest_passed && egress.statistics != nullptr) {
    egress.largest_passed = packet->wire_bytes;
    egress.statistics->touched(packet->wire_bytes);
  }
  egress.free_at = scheduler_.now() + egress.out->send(packet);
}

void SwitchDevice::enqueue(Packet* packet, Port& egress) {
  if (leaves_at_once(*packet, egress)) {
    pass_through(packet, egress);
    return;
  }
  if (disciplined_) {
    enqueue_by_discipline(packet, egress);
    return;
  }
  if (admit(packet, egress)) join_queue(packet, egress);
}

void SwitchDevice::kick(Port& egress) {
  if (egress.free.is_scheduled()) {
    // A shaped queue may be all that the port waits for, and this be something else.
    if (!egress.scheduler.shapes()) return;
    if (egress.free.due() <= std::max(scheduler_.now(), egress.free_at)) return;
    scheduler_.cancel(egress.free);
  }
  if (scheduler_.now() < egress.free_at) {
    scheduler_.schedule_at(egress.free, egress.free_at);
  } else {
    send_next(egress);
  }
}

[[gnu::always_inline]] inline void SwitchDevice::transmit(Port& egress, Packet* packet) {
  egress.free_at = scheduler_.now() + egress.out->send(packet);
  if (egress.waiting != 0 || egress.pfc.frame_owed()) {
    // What it will send then may have left the caches, waiting.
    const int soon = egress.waiting != 0 ? __builtin_ctz(egress.waiting) : 0;
    scheduler_.schedule_at(egress.free, egress.free_at,
                           egress.queue[static_cast<std::size_t>(soon)].fifo.front());
  }
}

void SwitchDevice::send_next(Port& egress) {
  if (egress.pfc.frame_owed()) {
    Packet* const frame = next_frame(egress);
    egress.tx_bytes += frame->wire_bytes + static_cast<std::uint64_t>(egress.link.overhead);
    transmit(egress, frame);
    return;
  }
  if (disciplined_) {
    send_by_discipline(egress);
    return;
  }
  unsigned eligible = egress.waiting & ~unsigned{egress.pfc.blocked()};
  if (eligible == 0) return;
  if (egress.scheduler.shapes()) {
    const CreditShaper& shaper = egress.scheduler.shaper();
    const unsigned released = shaper.released(eligible, scheduler_.now());
    if (released == 0) {
      scheduler_.schedule_at(egress.free, shaper.next_release(eligible));
      return;
    }
    eligible = released;
  }

  const int priority = egress.scheduler.pick(eligible);
  Queue& queue = egress.queue[static_cast<std::size_t>(priority)];
  Packet* const packet = pop(egress, priority);
  const Bytes bytes = packet->wire_bytes;
  queue.bytes -= bytes;
  egress.bytes -= bytes;
  egress.scheduler.charge(priority, bytes);
  if (queue.bytes == 0) {
    egress.waiting = static_cast<std::uint8_t>(egress.waiting & ~(1u << priority));
    egress.scheduler.emptied(priority);
  }
  if (egress.attends_departures) {
    if (egress.credits != nullptr) charge_credits(egress, priority, bytes);
    if (egress.scheduler.shapes()) {
      egress.scheduler.shaper().sent(priority, bytes + egress.link.overhead);
    }
    mark_if_congested(egress, queue, *packet, EcnParameters::MarkAt::kDequeue);
    if (path_needs_.departures) path_choice_->departs(*packet, number_of(egress));
  }
  if (packet->collects_telemetry()) append_telemetry(egress, *packet);
  egress.tx_bytes += packet->wire_bytes + static_cast<std::uint64_t>(egress.link.overhead);
  ++egress.dequeued;
  if (egress.statistics != nullptr) egress.statistics->changed(egress.bytes, scheduler_.now());
  const int input = packet->ingress;
  transmit(egress, packet);
  leave_buffer(input, priority, bytes);
}

void SwitchDevice::enqueue_by_discipline(Packet* packet, Port& egress) {
  ++egress.enqueued;
  if (has_ways_back_ && !routing_again_ && packet->ingress != own_input()) {
    at(packet->ingress).discipline->came_back(*packet);
  }
  PortDiscipline::Verdict verdict = egress.discipline->enqueue(packet);
  egress.rare.trimmed += verdict.trimmed;
  egress.rare.ecn_marks += verdict.marked;
  egress.rare.trimmed_bytes += static_cast<std::uint64_t>(verdict.cut);
  drop_by_discipline(verdict.dropped, egress);
  discipline_changed(egress);
  // It may have waited for something that may not leave yet.
  const PicoSeconds soonest = std::max(scheduler_.now(), egress.free_at);
  if (egress.free.is_scheduled() && egress.free.due() > soonest) scheduler_.cancel(egress.free);
  kick(egress);
  if (verdict.returned == nullptr) return;
  ++egress.dequeued;
  ++egress.rare.returned;
  verdict.returned->ingress = static_cast<std::uint16_t>(own_input());
  forward(verdict.returned);
}

void SwitchDevice::drop_by_discipline(PacketFifo& dropped, Port& egress) {
  while (!dropped.empty()) {
    Packet* const lost = dropped.pop();
    ++egress.dequeued;
    if (lost->kind == PacketKind::kCredit) {
      ++egress.rare.credits_dropped;
    } else {
      ++egress.rare.dropped;
      egress.rare.dropped_bytes += lost->wire_bytes;
    }
    pool_.free(lost);
  }
}

/// Bit 0 of `waiting` stands for all that the discipline holds.
void SwitchDevice::discipline_changed(Port& egress) {
  egress.waiting = egress.discipline->empty() ? 0 : 1;
  const Bytes before = std::exchange(egress.bytes, egress.discipline->bytes());
  buffer_.hold_apart(egress.bytes - before);
  if (egress.statistics != nullptr) egress.statistics->changed(egress.bytes, scheduler_.now());
}

void SwitchDevice::send_by_discipline(Port& egress) {
  if (egress.waiting == 0 || egress.pfc.blocked() != 0) return;
  Packet* const packet = egress.discipline->dequeue();
  if (packet == nullptr) {
    scheduler_.schedule_at(egress.free, egress.discipline->ready_at());
    return;
  }
  ++egress.dequeued;
  egress.rare.ecn_marks += egress.discipline->take_marked();
  drop_by_discipline(egress.discipline->dropped_leaving(), egress);
  discipline_changed(egress);
  if (path_needs_.departures) path_choice_->departs(*packet, number_of(egress));
  if (packet->collects_telemetry()) append_telemetry(egress, *packet);
  egress.tx_bytes += packet->wire_bytes + static_cast<std::uint64_t>(egress.link.overhead);
  transmit(egress, packet);
}

void SwitchDevice::push(Port& egress, int priority, Packet* packet) {
  const auto p = static_cast<std::size_t>(priority);
  if (parameters_.arbitration == SwitchParameters::Arbitration::kFifo) {
    egress.queue[p].fifo.push(packet);
    return;
  }
  TurnQueue& queue = egress.turns[p];
  if (queue.inputs == nullptr) {
    queue.inputs = std::make_unique<TurnQueue::Input[]>(static_cast<std::size_t>(ports_) + 1);
  }
  TurnQueue::Input& input = queue.inputs[packet->ingress];
  if (input.fifo.empty()) {
    input.next = nullptr;
    (queue.first == nullptr ? queue.first : queue.last->next) = &input;
    queue.last = &input;
  }
  input.fifo.push(packet);
}

Packet* SwitchDevice::pop(Port& egress, int priority) {
  const auto p = static_cast<std::size_t>(priority);
  if (parameters_.arbitration == SwitchParameters::Arbitration::kFifo)
    return egress.queue[p].fifo.pop();
  TurnQueue& queue = egress.turns[p];
  TurnQueue::Input* const input = queue.first;
  Packet* const packet = input->fifo.pop();
  queue.first = input->next;
  if (!input->fifo.empty()) {  // to the end of the ring
    input->next = nullptr;
    (queue.first == nullptr ? queue.first : queue.last->next) = input;
    queue.last = input;
  }
  return packet;
}

void SwitchDevice::mark_if_congested(Port& port, Queue& queue, Packet& packet,
                                     EcnParameters::MarkAt moment) {
  bool congested = false;
  if (port.ecn.marks_at(moment)) {
    // The queue the packet finds when it joins, or leaves behind.
    congested = port.ecn.congested(port.ecn.per_port() ? port.bytes : queue.bytes, random_);
  }
  if (moment == EcnParameters::MarkAt::kDequeue && port.ecn.has_phantom_queue() &&
      port.ecn.phantom_congested(packet.wire_bytes, scheduler_.now())) {
    congested = true;
  }
  if (congested && EcnMarker::mark(packet)) ++port.rare.ecn_marks;
}

void SwitchDevice::append_telemetry(const Port& port, Packet& packet) const {
  IntHop& hop = packet.telemetry->hop[packet.telemetry_hops++];
  hop.timestamp = scheduler_.now();
  hop.tx_bytes = port.tx_bytes;
  hop.queue = port.bytes;
  hop.rate = port.link.rate;
}

void SwitchDevice::leave_buffer(int input, int priority, Bytes bytes) {
  buffer_.release(input, priority, bytes);
  if (stopped_ == 0 || input == own_input()) return;
  if (with_credits_) {
    give_credits(input, priority, bytes);
    return;
  }
  Port& upstream = at(input);
  if (upstream.pfc.has_stopped(priority) && buffer_.may_resume(input, priority)) {
    upstream.pfc.release(priority);
    --stopped_;
    kick(upstream);
  }
}

void SwitchDevice::notify_source(const Packet& packet, std::uint32_t feedback) {
  Packet* const message = pool_.allocate();
  message->kind = PacketKind::kCnm;
  message->priority = parameters_.qcn.message_priority;
  message->wire_bytes = 64;
  message->source = packet.destination;
  message->destination = packet.source;
  message->destination_qpn = packet.source_qpn;
  message->source_qpn = packet.destination_qpn;
  message->flow = packet.flow;
  message->qcn_feedback = feedback;
  message->ingress = static_cast<std::uint16_t>(own_input());
  forward(message);
}

}  // namespace dcc
