#include "schemes/sp_pifo/sp_pifo.h"

#include <algorithm>
#include <memory>

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Disciplines::Registered<SpPifoParameters> kSpPifo{
    "sp_pifo", "strict priorities that approximate a queue sorted by the bytes a flow has left",
    [](const SpPifoParameters& parameters, const DisciplineContext&) {
      return std::make_unique<SpPifoPort>(parameters);
    }};
}  // namespace

void SpPifoParameters::describe(ParameterVisitor& v) {
  v.field("limit", limit, {"1KB", "1GB"}, {"bytes that may wait at a port"});
  v.field("queues", queues, {"1", "64"}, {"number of strict priorities", "SP-PIFO, NSDI'20"});
}

SpPifoPort::SpPifoPort(const SpPifoParameters& parameters)
    : limit_(parameters.limit), queues_(parameters.queues) {}

std::size_t SpPifoPort::queue_of(std::uint64_t rank) {
  for (std::size_t i = queues_.size(); i-- > 0;) {
    if (rank < queues_[i].bound) continue;
    queues_[i].bound = rank;
    return i;
  }
  const std::uint64_t cost = queues_[0].bound - rank;
  for (Queue& queue : queues_) queue.bound -= std::min(cost, queue.bound);
  return 0;
}

PortDiscipline::EnqueueResult SpPifoPort::enqueue(Packet* packet) {
  EnqueueResult result;
  if (bytes_ + packet->wire_bytes > limit_) {
    result.dropped.push(packet);
    return result;
  }
  const std::uint64_t rank = packet->kind == PacketKind::kData ? packet->scheme : 0;
  bytes_ += packet->wire_bytes;
  queues_[queue_of(rank)].packets.push(packet);
  return result;
}

Packet* SpPifoPort::dequeue() {
  for (Queue& queue : queues_) {
    if (queue.packets.empty()) continue;
    Packet* const packet = queue.packets.pop();
    bytes_ -= packet->wire_bytes;
    return packet;
  }
  return nullptr;
}

void SpPifoPort::add_state(StateDigest& d) const {
  for (const Queue& queue : queues_) d(queue.packets, queue.bound);
}

}  // namespace dcc
