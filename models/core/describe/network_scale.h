// Properties of a network from which default values of parameters are derived.
#pragma once

#include <algorithm>
#include <cstdint>

#include "describe/quantities.h"
#include "units.h"

namespace dcc {

/// Link rate and base round-trip time of the configured network, and values derived from both,
/// rounded so that a configuration shows them in few digits.
struct NetworkScale {
  BitRate rate;  // rate of the network's slowest link
  // RTT of a full packet and its ACK over the longest path, through empty queues
  PicoSeconds base_rtt{};
  Bytes packet = 0;                 // wire bytes of a full packet in the network
  Bytes least_packet = 0;           // wire bytes of a full packet of the host with the smallest MTU
  PicoSeconds tick = kMicroSecond;  // length of a tick of the hardware controller
  bool lossless = true;  // true if flow control protects all traffic and no fault is injected
  Bytes buffer = 0;      // size of a switch's buffer in bytes

  /// Bandwidth-delay product of link rate and base round-trip time in bytes, at most 2^40.
  Bytes bdp() const { return sent_in(base_rtt); }
  /// The given share of the bandwidth-delay product in bytes, limited to the range from `packets`
  /// full packets to 100 MB, which every parameter accepts.
  Bytes products(const Ratio& share, Bytes packets) const {
    constexpr Uint128 kMost = 100'000'000;
    const Uint128 part = Uint128(static_cast<std::uint64_t>(bdp())) * share.numerator;
    const Uint128 wanted = std::min(kMost, part / share.denominator);
    return std::max(packets * packet, static_cast<Bytes>(wanted));
  }
  /// Number of full packets in the product of the slowest link's rate and the base round trip, at
  /// least `least` and at most `most`.
  unsigned packets_in_flight(unsigned least, unsigned most) const {
    return packets_of(packet, least, most);
  }
  /// Number of packets in flight for the host with the smallest MTU. A window of this many packets
  /// fills the paths of all hosts.
  unsigned window_packets(unsigned least, unsigned most) const {
    return packets_of(least_packet, least, most);
  }
  /// The given share of the network's link rate in whole Mb/s, at least 1 Mb/s.
  BitRate share(const Ratio& of_rate) const {
    constexpr std::uint64_t kMega = 1'000'000;
    const Uint128 wanted = Uint128(rate.bits_per_second) * of_rate.numerator;
    const Uint128 step = Uint128(of_rate.denominator) * kMega;
    return BitRate(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted / step)) * kMega);
  }
  /// The rate of one full packet in `round_trips` base round trips, in whole Mb/s, at least 1 Mb/s.
  BitRate packet_rate(unsigned round_trips = 1) const {
    constexpr std::uint64_t kMega = 1'000'000;
    const auto packet_bits = static_cast<std::uint64_t>(packet) * 8;
    const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(1, base_rtt.count));
    const std::uint64_t megabits = packet_bits * kMega / time / std::max(1u, round_trips);
    return BitRate(std::max<std::uint64_t>(1, megabits) * kMega);
  }
  /// `many` base round-trip times, rounded up to a multiple of 10 ns, at most 1 s and at least
  /// `least`, the lower limit of the parameter's range.
  PicoSeconds round_trips(const Ratio& many, PicoSeconds least = {}) const {
    constexpr std::int64_t kStep = 10'000;
    const Uint128 time = Uint128(static_cast<std::uint64_t>(base_rtt.count)) * many.numerator;
    const auto steps = static_cast<std::int64_t>(time / many.denominator) / kStep + 1;
    return std::min(kSecond, std::max(least, PicoSeconds(steps * kStep)));
  }
  /// Number of steps, one in each `interval`, in which a sender's rate rises from near zero to the
  /// link's rate: as many as `recovery` holds, within the given limits. Without the limit of time a
  /// rate that was cut deeply would take hundreds of long round trips to recover.
  static unsigned recovery_steps(PicoSeconds recovery, PicoSeconds interval, unsigned least,
                                 unsigned most) {
    const std::int64_t steps = recovery / std::max(interval, PicoSeconds(1));
    return static_cast<unsigned>(std::clamp<std::int64_t>(steps, least, most));
  }
  /// Retransmission timeout of transports: four base round trips and the time in which the slowest
  /// link sends the 375 KB that wait at most at a port of most disciplines, rounded up to 10 us; at
  /// least 1 ms and at most some seconds.
  PicoSeconds patience() const {
    constexpr Bytes kPort = 375'000;
    constexpr std::int64_t kStep = 10'000'000;
    const PicoSeconds wanted = round_trips(Ratio(4)) + serialization_time(kPort, rate);
    return std::max(kMilliSecond, PicoSeconds((wanted.count + kStep - 1) / kStep * kStep));
  }
  /// The time of this many full packets on the slowest link, rounded up to a multiple of 10 ns, at
  /// most 1 s. In a short or slow network a round trip holds few packets; there the packets of
  /// other flows delay a packet by as much as congestion does, and limits of delay follow this
  /// time.
  PicoSeconds packets_time(const Ratio& count) const {
    constexpr std::int64_t kStep = 10'000;
    const PicoSeconds one = serialization_time(packet, rate);
    const Uint128 time = Uint128(static_cast<std::uint64_t>(one.count)) * count.numerator;
    const auto steps = static_cast<std::int64_t>(time / count.denominator) / kStep + 1;
    return std::min(kSecond, PicoSeconds(steps * kStep));
  }
  /// The interval at which a sender reacts to notifications: four round trips, so
  /// that a notification reports on the rates that the previous reaction set. In a
  /// long network four round trips are slow: there the interval is 50 us (that of
  /// SIGCOMM'15), or one round trip if that is longer. Rounded up to whole ticks of
  /// the controller; at most the 4096 ticks that its alpha interval allows, and 10
  /// ms.
  PicoSeconds reaction() const {
    const PicoSeconds wanted =
        std::max(base_rtt, std::min(base_rtt * 4, PicoSeconds(kMicroSecond * 50)));
    const std::int64_t most = std::min<std::int64_t>(4096, kMilliSecond * 10 / tick);
    const std::int64_t ticks = (wanted.count - 1) / tick.count + 1;
    return PicoSeconds(tick.count *
                       std::clamp<std::int64_t>(ticks, 1, std::max<std::int64_t>(1, most)));
  }
  /// Number of bytes sent at the network's link rate in `time`, at most 2^40.
  Bytes sent_in(PicoSeconds time) const {
    const Uint128 bits =
        Uint128(rate.bits_per_second) * static_cast<std::uint64_t>(time.count) / 1'000'000'000'000u;
    return static_cast<Bytes>(std::min<Uint128>(bits / 8, Uint128(1) << 40));
  }

 private:
  /// Number of packets of `bytes` bytes in bdp(), within the given limits.
  unsigned packets_of(Bytes bytes, unsigned least, unsigned most) const {
    return static_cast<unsigned>(std::clamp<Bytes>(bdp() / std::max<Bytes>(1, bytes), least, most));
  }
};

/// The rule of NetworkScale::patience() as a user reads it.
constexpr const char* kPatienceRule =
    "four base RTTs, and the time of 375KB on the slowest link; at least 1ms";

}  // namespace dcc
