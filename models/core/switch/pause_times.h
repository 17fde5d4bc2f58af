// Pauses that last for a time, in quanta of 512 bit times (IEEE 802.3 annex 31B), and the renewal
// of those that a switch's ports sent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/scheduler.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class EgressPorts;

constexpr Bytes kPauseQuantum = 64;  // bytes that a link carries in one quantum

/// Duration of a pause of `quanta` quanta on a link of this rate.
inline PicoSeconds pause_time(unsigned quanta, BitRate rate) {
  return serialization_time(kPauseQuantum * quanta, rate);
}
/// Time after which a pause is renewed: half its duration, so that the frame may wait for a packet.
inline PicoSeconds renewal_time(unsigned quanta, BitRate rate) {
  return PicoSeconds(pause_time(quanta, rate).count / 2);
}

/// End times of the pauses of one end of a link that are not renewed.
class TimedPauses {
 public:
  /// `over` must call the owner, which asks take_ended().
  TimedPauses(Scheduler& scheduler, Event over) : scheduler_(scheduler), over_(std::move(over)) {}
  TimedPauses(const TimedPauses&) = delete;
  TimedPauses& operator=(const TimedPauses&) = delete;

  /// A frame pauses these priorities (bit p: priority p) for `time` from now, and no others.
  void received(unsigned priorities, PicoSeconds time);
  /// The priorities whose pauses are over by now, each once.
  unsigned take_ended();

  template <class Digest>
  void add_state(Digest& d) const {
    d(paused_, until_, over_);
  }

 private:
  void await_next();

  Scheduler& scheduler_;
  std::uint8_t paused_ = 0;  // priorities paused by the last frame, less those that are over
  std::array<PicoSeconds, kPriorities> until_{};
  Event over_;
};

/// Times of the pauses between a switch and its neighbours.
class SwitchPauseTimes {
 public:
  /// `egress` must outlive this object. `rank` orders the events within an instant.
  SwitchPauseTimes(Scheduler& scheduler, EgressPorts& egress, int ports, unsigned quanta,
                   std::uint32_t rank);

  /// Call it once for each port, before the first frame.
  void set_rate(int port, BitRate rate) { ports_[index(port)]->rate = rate; }
  /// A pause frame is about to leave: writes the time into it and renews its pauses in time.
  void sent(int port, Packet& frame);
  /// A pause frame arrived and was obeyed.
  void received(int port, const Packet& frame);

  template <class Digest>
  void add_state(Digest& d) const {
    for (const auto& port : ports_) d(port->theirs, port->renewal);
  }

 private:
  struct Port {
    Port(SwitchPauseTimes& owner, int port_number, std::uint32_t rank);
    void renew();
    void end();

    SwitchPauseTimes& all;
    int number;
    BitRate rate;
    TimedPauses theirs;  // pauses that the neighbour asked for
    Event renewal;       // timer that renews the pauses that this port asked for
  };
  static std::size_t index(int port) { return static_cast<std::size_t>(port); }

  Scheduler& scheduler_;
  EgressPorts& egress_;
  unsigned quanta_;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace dcc
