#include "switch/pause_times.h"

#include <algorithm>

#include "switch/egress_ports.h"

namespace dcc {

void TimedPauses::received(unsigned priorities, PicoSeconds time) {
  paused_ = static_cast<std::uint8_t>(priorities);
  for (std::size_t p = 0; p < kPriorities; ++p) {
    if ((priorities >> p & 1) != 0) until_[p] = scheduler_.now() + time;
  }
  await_next();
}

unsigned TimedPauses::take_ended() {
  unsigned ended = 0;
  for (std::size_t p = 0; p < kPriorities; ++p) {
    if ((paused_ >> p & 1) != 0 && until_[p] <= scheduler_.now()) ended |= 1u << p;
  }
  paused_ = static_cast<std::uint8_t>(paused_ & ~ended);
  await_next();
  return ended;
}

void TimedPauses::await_next() {
  PicoSeconds next = PicoSeconds::max();
  for (std::size_t p = 0; p < kPriorities; ++p) {
    if ((paused_ >> p & 1) != 0) next = std::min(next, until_[p]);
  }
  if (over_.is_scheduled()) scheduler_.cancel(over_);
  if (paused_ != 0) scheduler_.schedule_at(over_, next);
}

SwitchPauseTimes::Port::Port(SwitchPauseTimes& owner, int port_number, std::uint32_t rank)
    : all(owner),
      number(port_number),
      theirs(owner.scheduler_, Event::calling<&Port::end>(*this, rank)),
      renewal(Event::calling<&Port::renew>(*this, rank)) {}

void SwitchPauseTimes::Port::renew() {
  all.egress_.at(number).pfc().renew();
  all.egress_.try_send(number);
}

void SwitchPauseTimes::Port::end() {
  const auto ended = static_cast<std::uint8_t>(theirs.take_ended());
  all.egress_.at(number).pfc().end_pauses(ended, all.scheduler_.now());
  all.egress_.try_send(number);
}

SwitchPauseTimes::SwitchPauseTimes(Scheduler& scheduler, EgressPorts& egress, int ports,
                                   unsigned quanta, std::uint32_t rank)
    : scheduler_(scheduler), egress_(egress), quanta_(quanta) {
  for (int port = 0; port < ports; ++port) {
    ports_.push_back(std::make_unique<Port>(*this, port, rank));
  }
}

void SwitchPauseTimes::sent(int port, Packet& frame) {
  Port& from = *ports_[index(port)];
  frame.pause_quanta = quanta_;
  if (from.renewal.is_scheduled()) scheduler_.cancel(from.renewal);
  if (frame.pause_classes == 0) return;
  scheduler_.schedule_in(from.renewal, renewal_time(quanta_, from.rate));
}

void SwitchPauseTimes::received(int port, const Packet& frame) {
  Port& to = *ports_[index(port)];
  const bool timed = frame.pause_quanta != 0;
  to.theirs.received(timed ? frame.pause_classes : 0, pause_time(frame.pause_quanta, to.rate));
}

}  // namespace dcc
