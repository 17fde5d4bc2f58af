#include "switch/drop_tail.h"

#include <limits>

#include "describe/parameter_error.h"
#include "sim/state_digest.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const Disciplines::Registered<DropTailParameters> kDropTail{
    "drop_tail",
    "a bounded queue by priority that drops arrivals without room; with red: some earlier",
    kMakes<DropTailPort>};

constexpr Bytes kFullPacket = 1500;
constexpr Bytes kNever = std::numeric_limits<Bytes>::max();
}  // namespace

void DropTailParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Floyd and Jacobson, 1993";
  v.field("limit", limit, {"64B", "1GB"}, {"greatest number of queued bytes of a port"});
  v.field("red", red, {},
          {"random early detection: marks some arrivals, and drops those that are not ECT", paper});
  v.when(red, "red: true", [&] {
    v.field("min_threshold", min_threshold, {"0B", "1GB"},
            {"average queue length up to which no arrival is marked or dropped", paper});
    v.field("max_threshold", max_threshold, {"0B", "1GB"},
            {"average queue length from which on every arrival is marked or dropped", paper});
    v.field("max_probability", max_probability, {"0", "1"},
            {"probability just below max_threshold", paper});
    v.field("weight", weight, {"1/1048576", "1"},
            {"weight of the newest queue length in the average", paper});
  });
  const char* const cp = "Cheng et al., NSDI'14";
  v.field("cut_above", cut_above, "never", {"0B", "1GB"},
          {"queue length above which arriving data loses its payload; its header is queued", cp});
  v.when(cut_above.has_value(), "cut_above: given", [&] {
    v.field("header", header, {"20B", "1KB"}, {"wire bytes of a packet without its payload", cp});
  });
}

void DropTailParameters::check() const {
  if (cut_above && *cut_above >= limit) {
    throw ParameterError({"cut_above", "limit"},
                         "cut_above must be less than limit, so that headers have room");
  }
  if (red && max_threshold < min_threshold) {
    throw ParameterError({"max_threshold", "min_threshold"},
                         "max_threshold is less than min_threshold");
  }
}

DropTailPort::DropTailPort(const DropTailParameters& parameters, const DisciplineContext& context)
    : parameters_(parameters), weight_(parameters.weight.value()), context_(context) {}

void DropTailPort::attach(const LinkParameters& link) {
  packet_time_ = serialization_time(kFullPacket + link.overhead, link.rate);
}

bool DropTailPort::is_early_victim() {
  if (empty() && packet_time_ != PicoSeconds()) {
    double left = 1 - weight_;
    double rest = 1;
    for (std::int64_t n = (context_.clock.now() - empty_since_) / packet_time_; n != 0; n >>= 1) {
      if ((n & 1) != 0) rest *= left;
      left *= left;
    }
    average_ *= rest;
  } else {
    average_ += weight_ * (static_cast<double>(bytes_) - average_);
  }
  const auto low = static_cast<double>(parameters_.min_threshold);
  const auto high = static_cast<double>(parameters_.max_threshold);
  if (average_ <= low) {
    spared_ = -1;
    return false;
  }
  ++spared_;
  double probability = 1;
  if (average_ < high) {
    const double base = parameters_.max_probability.value() * (average_ - low) / (high - low);
    const double spread = 1 - static_cast<double>(spared_) * base;
    probability = spread > base ? base / spread : 1;
  }
  const auto q32 = static_cast<std::uint64_t>(probability * 4294967296.0);
  if (!context_.random.chance(q32)) return false;
  spared_ = 0;
  return true;
}

PortDiscipline::EnqueueResult DropTailPort::enqueue(Packet* packet) {
  EnqueueResult result;
  if (parameters_.red && is_early_victim() && packet->ecn != Ecn::kCe) {
    if (EcnMarker::mark(*packet)) {
      ++result.marked;
    } else {
      result.dropped.push(packet);
      return result;
    }
  }
  if (packet->kind == PacketKind::kData && bytes_ > parameters_.cut_above.value_or(kNever)) {
    result.trim(*packet, parameters_.header);
  }
  if (bytes_ + packet->wire_bytes > parameters_.limit) {
    result.dropped.push(packet);
    return result;
  }
  waiting_[packet->priority].push(packet);
  present_ |= 1u << packet->priority;
  bytes_ += packet->wire_bytes;
  return result;
}

Packet* DropTailPort::dequeue() {
  const int highest = 31 - __builtin_clz(present_);
  PacketFifo& fifo = waiting_[static_cast<std::size_t>(highest)];
  Packet* const packet = fifo.pop();
  if (fifo.empty()) present_ &= ~(1u << highest);
  bytes_ -= packet->wire_bytes;
  if (empty()) empty_since_ = context_.clock.now();
  return packet;
}

void DropTailPort::add_state(StateDigest& d) const {
  d(waiting_);
  if (parameters_.red) d(average_, spared_, empty_since_);
}

}  // namespace dcc
