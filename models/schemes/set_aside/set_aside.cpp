#include "schemes/set_aside/set_aside.h"

#include <algorithm>
#include <map>
#include <memory>

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const Disciplines::Registered<SetAsideParameters> kSetAside{
    "set_aside", "congested destinations have queues of their own, up to the sender",
    [](const SetAsideParameters& parameters, const DisciplineContext&) {
      return std::make_unique<SetAsidePort>(parameters);
    }};
}  // namespace

void SetAsideParameters::describe(ParameterVisitor& v) {
  const char* const paper = "FBICM";
  v.field("queues", queues, {"0", "64"},
          {"number of queues of a port for congested destinations", paper});
  v.field("detect", detect, {"1KB", "1GiB"},
          {"bytes in the common queue at which its greatest destination gets a queue", paper});
  v.field("stop", stop, {"1KB", "1GiB"},
          {"bytes of a queue from one input at which the neighbour there is stopped", paper});
  v.field("go", go, {"0B", "1GiB"}, {"bytes at which that neighbour may send again", paper});
  v.field("mark_above", mark_above, "never", {"0B", "1GiB"},
          {"packets that join a longer queue are marked, where their congestion begins", "CCFIT"});
  v.field("limit", limit, {"10KB", "1GB"}, {"bytes that may wait at a port"});
}

void SetAsideParameters::check() const {
  if (go >= stop) throw ParameterError({"go", "stop"}, "go is not below stop");
  if (detect > stop) {
    throw ParameterError({"detect", "stop"},
                         "detect is above stop: links would be stopped as a whole before it");
  }
}

SetAsidePort::SetAsidePort(const SetAsideParameters& parameters)
    : parameters_(parameters), aside_(parameters.queues) {}

PortDiscipline::EnqueueResult SetAsidePort::enqueue(Packet* packet) {
  EnqueueResult result;
  if (bytes_ + packet->wire_bytes > parameters_.limit) {
    result.dropped.push(packet);
    return result;
  }
  bytes_ += packet->wire_bytes;
  if (Queue* const own = queue_of(*packet)) {
    const bool marks = own->here && parameters_.mark_above && own->bytes > *parameters_.mark_above;
    if (marks && EcnMarker::mark(*packet)) ++result.marked;
    push(*own, packet);
    stop_if_full(*own, packet->ingress, packet->priority);
    return result;
  }
  const std::size_t input = packet->ingress;
  const std::uint8_t priority = packet->priority;
  const bool was_short = common_.bytes < parameters_.detect;
  push(common_, packet);
  if (common_.bytes >= parameters_.detect) {
    if (taken() < aside_.size()) {
      if (const std::optional<HostId> host = greatest()) set_aside(*host)->here = true;
    } else if (was_short) {
      ++refusals_;
    }
  }
  stop_if_full(common_, input, priority);
  return result;
}

SetAsidePort::Queue* SetAsidePort::queue_of(const Packet& packet) {
  return packet.kind == PacketKind::kData ? queue_of(packet.destination) : nullptr;
}

SetAsidePort::Queue* SetAsidePort::queue_of(HostId host) {
  for (Queue& queue : aside_) {
    if (queue.taken && queue.host == host) return &queue;
  }
  return nullptr;
}

/// Destination with the most bytes of data in the common queue; of equal destinations the lowest.
std::optional<HostId> SetAsidePort::greatest() const {
  std::map<HostId, Bytes> bytes;
  for (const Packet* packet = common_.fifo.front(); packet != nullptr; packet = packet->next) {
    if (packet->kind == PacketKind::kData) bytes[packet->destination] += packet->wire_bytes;
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(bytes.begin(), bytes.end(), less);
  return most == bytes.end() ? std::nullopt : std::optional(most->first);
}

SetAsidePort::Queue* SetAsidePort::set_aside(HostId host) {
  const auto at =
      std::find_if(aside_.begin(), aside_.end(), [](const Queue& queue) { return !queue.taken; });
  if (at == aside_.end()) return nullptr;
  at->taken = true;
  at->here = false;
  at->host = host;
  PacketFifo rest;
  PacketFifo own;
  for (Packet* packet = common_.fifo.front(); packet != nullptr;) {
    Packet* const next = packet->next;
    const bool moves = packet->kind == PacketKind::kData && packet->destination == host;
    (moves ? own : rest).push(packet);
    packet = next;
  }
  common_.fifo = rest;
  while (!own.empty()) {
    Packet* const packet = own.pop();
    Input& input = common_.inputs[packet->ingress];
    input.bytes -= packet->wire_bytes;
    common_.bytes -= packet->wire_bytes;
    push(*at, packet);
    stop_if_full(*at, packet->ingress, packet->priority);
    if (input.stopped && input.bytes <= parameters_.go) tell(common_, packet->ingress, false);
  }
  return &*at;
}

void SetAsidePort::push(Queue& queue, Packet* packet) {
  const std::size_t number = packet->ingress;
  if (queue.inputs.size() <= number) queue.inputs.resize(number + 1);
  Input& input = queue.inputs[number];
  queue.fifo.push(packet);
  queue.bytes += packet->wire_bytes;
  input.bytes += packet->wire_bytes;
}

void SetAsidePort::stop_if_full(Queue& queue, std::size_t number, std::uint8_t priority) {
  Input& input = queue.inputs[number];
  if (input.stopped || input.bytes < parameters_.stop) return;
  input.priority = priority;
  tell(queue, number, true);
}

Packet* SetAsidePort::pop(Queue& queue) {
  Packet* const packet = queue.fifo.pop();
  Input& input = queue.inputs[packet->ingress];
  queue.bytes -= packet->wire_bytes;
  input.bytes -= packet->wire_bytes;
  bytes_ -= packet->wire_bytes;
  if (input.stopped && input.bytes <= parameters_.go) tell(queue, packet->ingress, false);
  if (queue.taken) give_back(queue);
  return packet;
}

void SetAsidePort::tell(Queue& queue, std::size_t number, bool stop) {
  Input& input = queue.inputs[number];
  input.stopped = stop;
  NeighbourPause pause;
  pause.input = static_cast<std::uint16_t>(number);
  pause.stop = stop;
  pause.whole_link = !queue.taken;
  pause.priority = input.priority;
  pause.host = queue.host;
  neighbour_pauses_.push_back(pause);
}

/// Frees a queue set aside that is empty and not stopped, and gives it to a destination that waits
/// for a queue.
void SetAsidePort::give_back(Queue& queue) {
  if (queue.bytes != 0 || queue.stops != 0) return;
  queue.taken = false;
  if (unheld_.empty()) return;
  const HostId host = unheld_.front();
  const auto rest = std::remove(unheld_.begin(), unheld_.end(), host);
  set_aside(host)->stops = static_cast<unsigned>(unheld_.end() - rest);
  unheld_.erase(rest, unheld_.end());
}

Packet* SetAsidePort::dequeue() {
  if (!unheld_.empty()) return nullptr;
  for (std::size_t tries = 0; tries <= aside_.size(); ++tries) {
    Queue& queue = turn_ == 0 ? common_ : aside_[turn_ - 1];
    turn_ = (turn_ + 1) % (aside_.size() + 1);
    if (queue.bytes != 0 && queue.stops == 0) return pop(queue);
  }
  return nullptr;
}

Packet* SetAsidePort::evict() {
  if (common_.bytes != 0) return pop(common_);
  const auto at = std::find_if(aside_.begin(), aside_.end(),
                               [](const Queue& queue) { return queue.bytes != 0; });
  return pop(*at);
}

void SetAsidePort::receive_flow_pause(HostId host, bool stop) {
  Queue* queue = queue_of(host);
  if (stop) {
    if (queue == nullptr) queue = set_aside(host);
    if (queue != nullptr) {
      ++queue->stops;
      queue->here = false;
    } else {
      unheld_.push_back(host);
      ++refusals_;
    }
    return;
  }
  const auto waits = std::find(unheld_.begin(), unheld_.end(), host);
  if (waits != unheld_.end()) {
    unheld_.erase(waits);
  } else if (queue != nullptr && queue->stops != 0) {
    --queue->stops;
    give_back(*queue);
  }
}

void SetAsidePort::carrier_changed() {
  unheld_.clear();
  for (Queue& queue : aside_) {
    queue.stops = 0;
    if (queue.taken) give_back(queue);
  }
}

/// Forgets the stops sent to the neighbour at `input`. The port repeats stops of the whole link
/// itself, like those of PFC.
void SetAsidePort::input_carrier_changed(int input) {
  const auto number = static_cast<std::size_t>(input);
  for (Queue& queue : aside_) {
    if (number < queue.inputs.size()) queue.inputs[number].stopped = false;
  }
}

std::size_t SetAsidePort::taken() const {
  return static_cast<std::size_t>(
      std::count_if(aside_.begin(), aside_.end(), [](const Queue& queue) { return queue.taken; }));
}

void SetAsidePort::add_state(StateDigest& d) const { d(common_, aside_, unheld_, turn_); }

}  // namespace dcc
