#include "schemes/codel/codel.h"

#include <algorithm>
#include <cmath>

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const Disciplines::Registered<CodelParameters> kCodel{
    "codel", "a bounded queue that drops or marks leaving packets by the time they waited",
    kMakes<CodelPort>};
}  // namespace

void CodelParameters::describe(ParameterVisitor& v) {
  const char* const rfc = "RFC 8289, 4.2 to 4.4";
  v.field("limit", limit, {"64B", "1GB"}, {"bytes that may wait at a port"});
  v.field("target", target, {"1ns", "1s"}, {"acceptable time that packets wait", rfc});
  v.field("interval", interval, {"1ns", "10s"},
          {"time above the target before the first drop; some round trips", rfc});
  v.field("ecn", ecn, {},
          {"marks packets that can be marked instead of dropping them", "RFC 8289, 3.1"});
}

void CodelParameters::check() const {
  if (interval < target) {
    throw ParameterError({"interval", "target"}, "interval is shorter than target");
  }
}

PortDiscipline::EnqueueResult CodelPort::enqueue(Packet* packet) {
  EnqueueResult result;
  if (bytes_ + packet->wire_bytes > parameters_.limit) {
    result.dropped.push(packet);
    return result;
  }
  waiting_.push_back({packet, clock_.now()});
  bytes_ += packet->wire_bytes;
  largest_packet_ = std::max<Bytes>(largest_packet_, packet->wire_bytes);
  return result;
}

CodelPort::Entry CodelPort::pop() {
  const Entry entry = waiting_.front();
  waiting_.pop_front();
  bytes_ -= entry.packet->wire_bytes;
  return entry;
}

// Chooses the packet to send, as dodequeue() in RFC 8289, section 5.6, does.
CodelPort::Departure CodelPort::next() {
  const PicoSeconds now = clock_.now();
  const Entry entry = pop();
  Departure departure{entry.packet, false};
  if (now - entry.arrived < parameters_.target || bytes_ <= largest_packet_) {
    first_above_ = PicoSeconds();
  } else if (first_above_ == PicoSeconds()) {
    first_above_ = now + parameters_.interval;
  } else {
    departure.may_drop = now >= first_above_;
  }
  return departure;
}

bool CodelPort::mark(Packet& packet) {
  if (!parameters_.ecn || !EcnMarker::mark(packet)) return false;
  ++departure_marks_;
  return true;
}

PicoSeconds CodelPort::control_law(PicoSeconds from) const {
  const double interval = static_cast<double>(parameters_.interval.count);
  return from + PicoSeconds(static_cast<std::int64_t>(
                    interval / std::sqrt(static_cast<double>(count_)) + 0.5));
}

// Takes the next packet, as deque() in RFC 8289, section 5.5, does. With ECN a mark replaces the
// drop, so the marked packet leaves.
Packet* CodelPort::dequeue() {
  const PicoSeconds now = clock_.now();
  Departure departure = next();
  if (dropping_) {
    dropping_ = departure.may_drop;
    while (dropping_ && now >= drop_next_) {
      ++count_;
      if (mark(*departure.packet)) {
        drop_next_ = control_law(drop_next_);
        break;
      }
      departure_drops_.push(departure.packet);
      departure = next();
      dropping_ = departure.may_drop;
      if (dropping_) drop_next_ = control_law(drop_next_);
    }
  } else if (departure.may_drop) {
    if (!mark(*departure.packet)) {
      departure_drops_.push(departure.packet);
      departure = next();
    }
    dropping_ = true;
    // If dropping starts again soon after it ended, the drop rate begins at its last value.
    const std::uint64_t gained = count_ - last_count_;
    count_ = gained > 1 && now - drop_next_ < parameters_.interval * 16 ? gained : 1;
    drop_next_ = control_law(now);
    last_count_ = count_;
  }
  return departure.packet;
}

void CodelPort::add_state(StateDigest& d) const {
  for (const Entry& entry : waiting_) d(*entry.packet, entry.arrived);
  d(waiting_.size(), largest_packet_, first_above_, drop_next_, count_, last_count_, dropping_);
}

}  // namespace dcc
