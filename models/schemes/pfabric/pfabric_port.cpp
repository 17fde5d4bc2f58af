#include "schemes/pfabric/pfabric_port.h"

#include "sim/state_digest.h"

namespace dcc {

namespace {
const Disciplines::Registered<PfabricPortParameters> kPfabricPort{
    "pfabric", "serves the flow with the least left to send, drops from the one with the most",
    [](const PfabricPortParameters& parameters, const DisciplineContext&) {
      return std::make_unique<PfabricPort>(parameters);
    }};
}  // namespace

void PfabricPortParameters::describe(ParameterVisitor& v) {
  v.field("limit", limit, {"1KB", "1GB"}, {"bytes that may wait at a port", "pFabric, SIGCOMM'13"});
}

Packet* PfabricPort::take(std::size_t index) {
  Packet* const packet = waiting_[index].packet;
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(index));
  bytes_ -= packet->wire_bytes;
  return packet;
}

PortDiscipline::EnqueueResult PfabricPort::enqueue(Packet* packet) {
  const bool data = packet->kind == PacketKind::kData;
  waiting_.push_back(
      {data ? packet->scheme : 0, std::uint64_t{packet->flow} << 1 | (data ? 1u : 0u), packet});
  bytes_ += packet->wire_bytes;
  EnqueueResult result;
  while (bytes_ > limit_) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < waiting_.size(); ++i) {
      if (waiting_[i].urgency >= waiting_[worst].urgency) worst = i;
    }
    result.dropped.push(take(worst));
  }
  return result;
}

Packet* PfabricPort::dequeue() {
  std::size_t best = 0;
  for (std::size_t i = 1; i < waiting_.size(); ++i) {
    if (waiting_[i].urgency < waiting_[best].urgency) best = i;
  }
  std::size_t first = 0;
  while (waiting_[first].flow != waiting_[best].flow) ++first;
  return take(first);
}

void PfabricPort::add_state(StateDigest& d) const {
  d(waiting_.size());
  for (const Waiting& one : waiting_) d(*one.packet);
}

}  // namespace dcc
