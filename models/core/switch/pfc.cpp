#include "switch/pfc.h"

#include "describe/visitor.h"

namespace dcc {

Bytes headroom_for(const LinkParameters& link, Bytes largest_packet) {
  const auto on_the_wire =
      static_cast<Bytes>(static_cast<Uint128>(link.rate.bits_per_second) *
                             static_cast<Uint128>(2 * link.delay.count) / 8'000'000'000'000u +
                         1);
  const Bytes packet = largest_packet + link.overhead;
  return on_the_wire + 3 * packet + kPauseFrameBytes + link.overhead;
}

void WatchdogParameters::describe(ParameterVisitor& v) {
  v.field("detect", detect, "off", {"1us", "10s"},
          {"time for which a queue with packets is paused until a pause storm is assumed; "
           "off: no watchdog",
           "SONiC: detection_time"});
  v.field("restore", restore, {"1us", "100s"},
          {"the storm is over when no pause frame came for this long", "SONiC: restoration_time"});
  v.field("poll", poll, "auto", {"1us", "10s"},
          {"time between two looks at the queues; auto: as detect", "SONiC: POLL_INTERVAL"});
  v.choice("action", action,
           {"during a storm the queue's packets are dropped, or sent in spite of the pauses",
            "SONiC: action"});
}

void PfcParameters::describe(ParameterVisitor& v) {
  v.field("enabled", enabled, {},
          {"true: senders are paused; false: packets are dropped when the buffer is full"});
  v.field("alpha", alpha, {"1/1024", "64"},
          {"a class is paused above alpha x free buffer", "dynamic threshold, Choudhury and Hahne",
           kRuntime});
  v.field("reference_rate", reference_rate, "none", {"1Mbps", "10Tbps"},
          {"port rate that alpha is for; alpha scales with the port's rate", "", kRuntime});
  v.field("headroom", headroom, "auto", {"0B", "1GiB"},
          {"reserved per port and priority for packets in flight when a pause is sent"});
  v.field("response", response, {"0ns", "1ms"},
          {"time that a neighbour may take to obey a pause, for which headroom: auto provides; the "
           "platform's NICs and switches take none",
           "IEEE 802.1Q, 36.1.3.3"});
  v.field("shared_headroom", shared_headroom, "none", {"0B", "64GiB"},
          {"one headroom pool of this size, taken out of switch.buffer, that all classes share; "
           "`headroom` is then what one class may take of it",
           "SONiC: xoff of a buffer pool"});
  v.field("resume_below", resume_below, {"0B", "1GiB"},
          {"a class resumes when it is this far below its threshold", "", kRuntime});
  v.bits("priorities", priorities,
         {"lossless priorities, which are paused; others drop packets when the buffer is full"});
  v.field(
      "quanta", quanta, "unlimited", {"1", "65535"},
      {"time of a pause in quanta of 512 bit times, from switches and NICs alike. The sender of "
       "the pause renews it after half of that time, and resumes with a time of 0; unlimited: "
       "a pause ends when it is resumed",
       "IEEE 802.3, 31B: pause_time"});
  v.section("watchdog", {"ends pause storms", "SONiC: PFC watchdog"},
            [&] { watchdog.describe(v); });
}

std::uint32_t alpha_for(const LinkParameters& link, const PfcParameters& parameters) {
  const auto alpha = static_cast<std::uint32_t>(parameters.alpha.to_fixed(16));
  if (!parameters.reference_rate) return alpha;
  constexpr Uint128 kMax = 64u << 16;
  const Uint128 scaled = static_cast<Uint128>(alpha) * link.rate.bits_per_second /
                         parameters.reference_rate->bits_per_second;
  return static_cast<std::uint32_t>(scaled < 1 ? 1 : scaled > kMax ? kMax : scaled);
}

const PfcPort::History PfcPort::kNoHistory{};

void PfcPort::write_frame(Packet& packet) {
  ++counters_.frames_sent;
  packet.kind = PacketKind::kPause;
  packet.wire_bytes = kPauseFrameBytes;
  packet.pause_classes = stopped_;
  if (stopped_ != 0) {
    History& history = make_history();
    for (std::size_t p = 0; p < kPriorities; ++p) history.frames_sent[p] += stopped_ >> p & 1;
  }
  pause_due_ = false;
  frame_due_ = queued_due_;
}

void PfcPort::receive_frame(const Packet& packet, PicoSeconds now) {
  ++counters_.frames_received;
  if (packet.pause_classes != 0) {
    History& history = make_history();
    for (std::size_t p = 0; p < kPriorities; ++p) {
      history.frames_received[p] += packet.pause_classes >> p & 1;
    }
  }
  pause(static_cast<std::uint8_t>(packet.pause_classes & priorities_), now);
}

void PfcPort::set_pfc_mask(std::uint8_t priorities, PicoSeconds now) {
  priorities_ = priorities;
  if ((paused_ & ~priorities) != 0) pause(paused_ & priorities, now);
}

void PfcPort::set_carrier(bool up, PicoSeconds now) {
  pause(0, now);
  if (up) {
    pause_due_ = stopped_ != 0;
    frame_due_ = pause_due_ || queued_due_;
  } else {
    blocked_ = 0xFF;
  }
}

void PfcPort::pause(std::uint8_t wanted, PicoSeconds now) {
  if (wanted != paused_) {
    record(wanted, now);
    paused_ = wanted;
  }
  blocked_ = static_cast<std::uint8_t>(wanted & ~ignored_);
}

/// Notes which priorities change from the present state to `wanted`.
void PfcPort::record(std::uint8_t wanted, PicoSeconds now) {
  History& history = make_history();
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    const bool was = (paused_ >> priority & 1) != 0;
    const bool is = (wanted >> priority & 1) != 0;
    if (is && !was) {
      history.since[priority] = now;
      ++counters_.pauses_received;
    } else if (was && !is) {
      history.total[priority] += now - history.since[priority];
      ++counters_.resumes_received;
      ++history.ends[priority];
    }
  }
  if (wanted != 0 && paused_ == 0) history.any_since = now;
  if (wanted == 0 && paused_ != 0) history.any_total += now - history.any_since;
}

PicoSeconds PfcPort::pause_time(int priority, PicoSeconds now) const {
  const auto p = static_cast<std::size_t>(priority);
  const PicoSeconds total = history().total[p];
  return (paused_ >> priority & 1) != 0 ? total + (now - history().since[p]) : total;
}

PicoSeconds PfcPort::pause_time(PicoSeconds now) const {
  const PicoSeconds total = history().any_total;
  return paused_ != 0 ? total + (now - history().any_since) : total;
}

}  // namespace dcc
