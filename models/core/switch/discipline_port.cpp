#include "switch/discipline_port.h"

#include <algorithm>
#include <utility>

#include "switch/egress_ports.h"

namespace dcc {

namespace {
/// Wire bytes whose transmission time separates two released packets while nothing waits.
constexpr Bytes kPaceBytes = 1500;
}  // namespace

DisciplinePort::DisciplinePort(PortContext& context, int number, const SwitchParameters& parameters,
                               std::unique_ptr<PortDiscipline> discipline, std::uint32_t rank)
    : EgressPort(
          context, number, parameters.scheduler,
          Event::calling<&DisciplinePort::send_next, &DisciplinePort::prefetch>(*this, rank)),
      discipline_(std::move(discipline)) {}

void DisciplinePort::set_ecn(const EcnParameters& ecn) {
  const EcnMarker marker(ecn, link_.rate);
  attends_departures_ = marker.marks_any_at(EcnParameters::MarkAt::kDequeue) ||
                        marker.has_phantom_queue() || context_->departure_observer != nullptr ||
                        context_->ingress.with_credits() || scheduler_.shapes() ||
                        discipline_->needs_every_packet();
}

// True if the packet fits without effect on the shared buffer. The second condition concerns only
// the buffer's peak: a packet that only raises the peak bypasses the discipline, which would not
// have seen it with a free buffer either.
bool DisciplinePort::fits_buffer(const Packet& packet) const {
  SharedBuffer& buffer = context_->ingress.buffer();
  return buffer.can_pass_through(packet.ingress, packet.priority, packet.wire_bytes) ||
         buffer.can_pass_with_peak(packet.ingress, packet.priority, packet.wire_bytes);
}

void DisciplinePort::join_queue(Packet* packet) {
  const IngressControl& ingress = context_->ingress;
  if (context_->needs_reverse_packets && !ingress.is_rerouting() &&
      packet->ingress != ingress.own_input()) {
    DisciplinePort& other = context_->ports.discipline(packet->ingress);
    other.discipline_->reverse_packet(*packet);
    if (&other != this && other.discipline_->holds(*packet, other.held())) {
      other.hold(packet, number_);
      return;
    }
  }
  accept(packet);
}

void DisciplinePort::hold(Packet* packet, int port) {
  held_.push(packet);
  held_ports_.push_back(static_cast<std::uint16_t>(port));
  context_->ingress.buffer().change_private(packet->wire_bytes);
  if (!wire_free_.is_scheduled()) {
    context_->scheduler.schedule_at(wire_free_, std::max(context_->scheduler.now(), free_at_));
  }
}

void DisciplinePort::release_one() {
  Packet* const packet = held_.pop();
  const int port = held_ports_.front();
  held_ports_.pop_front();
  context_->ingress.buffer().change_private(-Bytes{packet->wire_bytes});
  const bool nested = std::exchange(releasing_, true);
  context_->ports.discipline(port).accept(packet);
  releasing_ = nested;
}

void DisciplinePort::accept(Packet* packet) {
  ++enqueued_;
  PortDiscipline::EnqueueResult result = discipline_->enqueue(packet);
  if (result.trimmed != 0 || result.marked != 0) {
    SwitchCounters& counters = make_rare().counters;
    counters.trimmed += result.trimmed;
    counters.ecn_marks += result.marked;
    counters.trimmed_bytes += static_cast<std::uint64_t>(result.trimmed_bytes);
  }
  drop_all(result.dropped);
  update_bytes();
  // The port's event may be due after the wire becomes free, because the next packet may not leave
  // earlier.
  const PicoSeconds soonest = std::max(context_->scheduler.now(), free_at_);
  if (wire_free_.is_scheduled() && wire_free_.due() > soonest) {
    context_->scheduler.cancel(wire_free_);
  }
  try_send();
  tell_neighbours();
  if (result.returned == nullptr) return;
  ++dequeued_;
  ++make_rare().counters.returned;
  context_->forward_own(result.returned);
}

void DisciplinePort::drop_all(PacketFifo& dropped) {
  while (!dropped.empty()) {
    Packet* const lost = dropped.pop();
    ++dequeued_;
    if (lost->kind == PacketKind::kCredit) {
      ++make_rare().counters.credits_dropped;
    } else {
      count_drop(*lost);
    }
    context_->pool.free(lost);
  }
}

/// Bit 0 of `waiting_` stands for all packets of the discipline.
void DisciplinePort::update_bytes() {
  waiting_ = discipline_->empty() ? 0 : 1;
  const Bytes before = std::exchange(bytes_, discipline_->bytes());
  context_->ingress.buffer().change_private(bytes_ - before);
  note_queue();
}

void DisciplinePort::transmit(Packet* packet) {
  put_on_wire(packet);
  if (has_more_to_send() || !held_.empty()) context_->scheduler.schedule_at(wire_free_, free_at_);
}

void DisciplinePort::send_next() {
  if (pfc_.frame_due()) {
    Packet* const frame = next_link_frame();
    count_sent(*frame);
    transmit(frame);
    return;
  }
  if (!held_.empty()) {
    if (discipline_->may_release()) release_one();
    if (!held_.empty() && (waiting_ == 0 || pfc_.blocked() != 0) && discipline_->may_release()) {
      const PicoSeconds packet_time = serialization_time(kPaceBytes + link_.overhead, link_.rate);
      context_->scheduler.schedule_at(wire_free_, context_->scheduler.now() + packet_time);
    }
  }
  if (waiting_ == 0 || pfc_.blocked() != 0) return;
  Packet* const packet = discipline_->dequeue();
  if (packet == nullptr) {
    const PicoSeconds ready = discipline_->ready_at();
    if (ready != PicoSeconds::max()) context_->scheduler.schedule_at(wire_free_, ready);
    return;
  }
  ++dequeued_;
  const auto marks = discipline_->consume_departure_marks();
  if (marks != 0) make_rare().counters.ecn_marks += marks;
  drop_all(discipline_->departure_drops());
  update_bytes();
  if (context_->departure_observer != nullptr) {
    context_->departure_observer->departs(*packet, number_);
  }
  if (packet->collects_telemetry()) append_telemetry(*packet);
  count_sent(*packet);
  transmit(packet);
  tell_neighbours();
}

void DisciplinePort::tell_neighbours() {
  const std::uint64_t refusals = discipline_->consume_refusals();
  if (refusals != 0) make_rare().counters.queues_refused += refusals;
  std::vector<PortDiscipline::NeighbourPause>& due = discipline_->neighbour_pauses();
  for (const PortDiscipline::NeighbourPause& one : due) {
    if (one.input == context_->ingress.own_input()) continue;
    DisciplinePort& other = context_->ports.discipline(one.input);
    if (one.whole_link) {
      other.stop_link(one.priority, one.stop);
    } else {
      Packet* const frame = context_->pool.allocate();
      frame->kind = PacketKind::kFlowPause;
      frame->wire_bytes = kPauseFrameBytes;
      frame->destination = one.host;
      frame->pause_classes = one.stop ? 1 : 0;
      other.queue_link_frame(frame);
      ++make_rare().counters.flow_pauses;
    }
    other.try_send();
  }
  due.clear();
}

void DisciplinePort::stop_link(int priority, bool stop) {
  std::uint16_t& stops = link_stops_[static_cast<std::size_t>(priority)];
  if (stop ? ++stops == 1 : --stops == 0) {
    stop ? pfc_.stop(priority) : pfc_.release(priority);
  }
}

void DisciplinePort::receive_flow_pause(const Packet& frame) {
  pfc_.received_queued();
  discipline_->receive_flow_pause(frame.destination, frame.pause_classes != 0);
  tell_neighbours();
}

// The far end forgets its stops when the carrier changes, and so do the disciplines that asked for
// them. A frame from before would stop a host, and nobody would end this stop.
void DisciplinePort::carrier_changed(int port) {
  if (port == number_) {
    drop_flow_pauses();
    discipline_->carrier_changed();
  } else {
    discipline_->input_carrier_changed(port);
  }
  tell_neighbours();
}

void DisciplinePort::drop_flow_pauses() {
  if (!pfc_.queued_due()) return;
  PacketFifo& frames = make_rare().link_frames;
  PacketFifo others;
  while (!frames.empty()) {
    Packet* const frame = frames.pop();
    if (frame->kind == PacketKind::kFlowPause) {
      context_->pool.free(frame);
    } else {
      others.push(frame);
    }
  }
  frames = others;
  pfc_.sent_queued(!frames.empty());
}

void DisciplinePort::evict_all(PacketFifo& to) {
  while (!held_.empty()) release_one();
  while (!discipline_->empty()) {
    ++dequeued_;
    to.push(discipline_->evict());
  }
  context_->ingress.buffer().change_private(-std::exchange(bytes_, 0));
  waiting_ = 0;
  note_queue();
  tell_neighbours();
}

}  // namespace dcc
