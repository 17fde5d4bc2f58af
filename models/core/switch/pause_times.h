// Timed PFC pauses, in quanta of 512 bit times (IEEE 802.3 annex 31B), and the renewal of the
// pauses that a switch's ports sent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class EgressPorts;

constexpr Bytes kPauseQuantum = 64;  // bytes that a link carries in one quantum

/// Duration of a pause of `quanta` quanta on a link of this rate.
inline PicoSeconds pause_time(unsigned quanta, BitRate rate) {
  return serialization_time(kPauseQuantum * quanta, rate);
}
/// Time after which a timed pause is renewed: half the pause's duration, so that the renewing frame
/// may wait for a packet.
inline PicoSeconds renewal_time(unsigned quanta, BitRate rate) {
  return PicoSeconds(pause_time(quanta, rate).count / 2);
}

/// End times of the timed pauses that one end of a link received.
class TimedPauses {
 public:
  /// The event `over` must call the owner, which then calls take_ended().
  TimedPauses(Scheduler& scheduler, Event over) : scheduler_(scheduler), over_(std::move(over)) {}
  TimedPauses(const TimedPauses&) = delete;
  TimedPauses& operator=(const TimedPauses&) = delete;

  /// A pause frame arrived that pauses exactly these priorities (bit p: priority p) for `time` from
  /// now.
  void received(unsigned priorities, PicoSeconds time);
  /// Mask of the priorities whose pauses have ended by now; each end is reported once.
  unsigned take_ended();

  void add_state(StateDigest& d) const { d(paused_, until_, over_); }

 private:
  void await_next();

  Scheduler& scheduler_;
  // mask of priorities that the last pause frame paused and whose pause has not ended
  std::uint8_t paused_ = 0;
  std::array<PicoSeconds, kPriorities> until_{};
  Event over_;
};

/// Times of the timed pauses between a switch and its neighbours.
class SwitchPauseTimes {
 public:
  /// `egress` must outlive this object. `rank` orders the events of pauses within an instant.
  SwitchPauseTimes(Scheduler& scheduler, EgressPorts& egress, int ports, unsigned quanta,
                   std::uint32_t rank);

  /// Sets the rate of a port's link. Call it once for each port, before the first pause frame.
  void set_rate(int port, BitRate rate) { ports_[index(port)]->rate = rate; }
  /// A pause frame is about to leave: writes the pause time into the frame, and schedules the
  /// renewal of the frame's pauses.
  void sent(int port, Packet& frame);
  /// A pause frame arrived at `port`, and the port obeyed it.
  void received(int port, const Packet& frame);

  void add_state(StateDigest& d) const {
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
