// Events that wait for a program core, in the order of their arrival.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "program/dcc_program.h"

namespace dcc {

using Hops = std::array<dcc_hop, DCC_MAX_HOPS>;

/// An event that waits for a program core.
struct WaitingEvent {
  dcc_event event{};
  // time at which the event happened; for merged events, time of the first of them
  PicoSeconds since{};
};

/// List of events that wait for a program core; an event keeps its place number while it waits.
class EventQueue {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNone = 0xFFFFFFFF;

  Place push(const WaitingEvent& event) {
    Place place = free_;
    if (place == kNone) {
      place = static_cast<Place>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[place].next;
    }
    nodes_[place] = {event, last_, kNone};
    (last_ == kNone ? first_ : nodes_[last_].next) = place;
    last_ = place;
    return place;
  }
  void remove(Place place) {
    Node& node = nodes_[place];
    (node.before == kNone ? first_ : nodes_[node.before].next) = node.next;
    (node.next == kNone ? last_ : nodes_[node.next].before) = node.before;
    node.next = free_;
    free_ = place;
  }
  WaitingEvent& operator[](Place place) { return nodes_[place].event; }
  /// Telemetry of the waiting event at a place of the queue; the caller defines the content.
  Hops& hops(Place place) {
    if (place >= hops_.size()) hops_.resize(nodes_.size());
    return hops_[place];
  }
  Place first() const { return first_; }
  Place after(Place place) const { return nodes_[place].next; }

 private:
  struct Node {
    WaitingEvent event;
    Place before = kNone;
    Place next = kNone;
  };
  std::vector<Node> nodes_;
  // telemetry of waiting events by place number; empty if the program gets no telemetry
  std::vector<Hops> hops_;
  Place first_ = kNone;
  Place last_ = kNone;
  Place free_ = kNone;
};

}  // namespace dcc
