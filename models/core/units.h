// The units that every layer shares: time, line rates, the controller's fixed-point rate, ticks.
#pragma once

#include <cstdint>
#include <limits>

namespace dcc {

/// Simulated time in picoseconds as a signed 64-bit integer: up to 106 days. The type is an
/// integer, so that the same configuration gives the same times to the picosecond on every machine.
struct PicoSeconds {
  std::int64_t count = 0;

  constexpr PicoSeconds() = default;
  constexpr explicit PicoSeconds(std::int64_t ps) : count(ps) {}
  static constexpr PicoSeconds max() {
    return PicoSeconds(std::numeric_limits<std::int64_t>::max());
  }

  constexpr PicoSeconds& operator+=(PicoSeconds o) {
    count += o.count;
    return *this;
  }
  constexpr PicoSeconds& operator-=(PicoSeconds o) {
    count -= o.count;
    return *this;
  }
  friend constexpr PicoSeconds operator+(PicoSeconds a, PicoSeconds b) {
    return PicoSeconds(a.count + b.count);
  }
  friend constexpr PicoSeconds operator-(PicoSeconds a, PicoSeconds b) {
    return PicoSeconds(a.count - b.count);
  }
  friend constexpr PicoSeconds operator*(PicoSeconds a, std::int64_t n) {
    return PicoSeconds(a.count * n);
  }
  friend constexpr std::int64_t operator/(PicoSeconds a, PicoSeconds b) {
    return a.count / b.count;
  }
  friend constexpr bool operator==(PicoSeconds a, PicoSeconds b) { return a.count == b.count; }
  friend constexpr bool operator!=(PicoSeconds a, PicoSeconds b) { return a.count != b.count; }
  friend constexpr bool operator<(PicoSeconds a, PicoSeconds b) { return a.count < b.count; }
  friend constexpr bool operator<=(PicoSeconds a, PicoSeconds b) { return a.count <= b.count; }
  friend constexpr bool operator>(PicoSeconds a, PicoSeconds b) { return a.count > b.count; }
  friend constexpr bool operator>=(PicoSeconds a, PicoSeconds b) { return a.count >= b.count; }
};

constexpr PicoSeconds kNanoSecond{1'000};
constexpr PicoSeconds kMicroSecond{1'000'000};
constexpr PicoSeconds kMilliSecond{1'000'000'000};
constexpr PicoSeconds kSecond{1'000'000'000'000};

/// Time in seconds as a real number, for people and files only. Models must not compute with it.
constexpr double to_seconds(PicoSeconds t) { return static_cast<double>(t.count) * 1e-12; }

/// Number of bytes. Signed, so that a difference may be negative.
using Bytes = std::int64_t;

/// Number of a tick, the unit of time of the controller's timing engine (configuration:
/// controller.tick).
using Tick = std::uint64_t;

/// A line rate in bits per second (links, measured goodput): 1 b/s to 18 Eb/s.
struct BitRate {
  std::uint64_t bits_per_second = 0;
  constexpr BitRate() = default;
  constexpr explicit BitRate(std::uint64_t bps) : bits_per_second(bps) {}
  friend constexpr bool operator==(BitRate a, BitRate b) {
    return a.bits_per_second == b.bits_per_second;
  }
  friend constexpr bool operator<(BitRate a, BitRate b) {
    return a.bits_per_second < b.bits_per_second;
  }
};

/// A flow's rate as the controller holds it: unsigned 24.8 fixed point in Mb/s. Range 0 … 16 777
/// 215.996 Mb/s, step 3.9 kb/s. The rate counts wire bits (headers and overhead included): a flow
/// at the link's rate fills the link.
struct Rate {
  std::uint32_t raw = 0;
  static constexpr int kFractionBits = 8;

  constexpr Rate() = default;
  constexpr explicit Rate(std::uint32_t raw_q24_8) : raw(raw_q24_8) {}
  /// The nearest representable rate; saturates at the greatest rate of the format.
  static constexpr Rate from(BitRate r) {
    const std::uint64_t whole = r.bits_per_second / 1'000'000;
    const std::uint64_t rest = r.bits_per_second % 1'000'000;
    const std::uint64_t raw =
        (whole << kFractionBits) + ((rest << kFractionBits) + 500'000) / 1'000'000;
    const std::uint64_t top = std::numeric_limits<std::uint32_t>::max();
    return Rate(
        static_cast<std::uint32_t>(whole > (top >> kFractionBits) || raw > top ? top : raw));
  }
  friend constexpr bool operator==(Rate a, Rate b) { return a.raw == b.raw; }
  friend constexpr bool operator!=(Rate a, Rate b) { return a.raw != b.raw; }
  friend constexpr bool operator<(Rate a, Rate b) { return a.raw < b.raw; }
  friend constexpr bool operator>(Rate a, Rate b) { return a.raw > b.raw; }
  friend constexpr bool operator<=(Rate a, Rate b) { return a.raw <= b.raw; }
  friend constexpr bool operator>=(Rate a, Rate b) { return a.raw >= b.raw; }
};

/// Number of a host: 0 … hosts − 1.
using HostId = std::uint32_t;

/// Number of priorities of a link; PFC (IEEE 802.1Qbb) numbers priorities 0 … 7.
constexpr int kPriorities = 8;

/// Number of values of the six-bit DSCP field (RFC 2474).
constexpr std::uint32_t kDscps = 64;

__extension__ using Uint128 = unsigned __int128;

/// Time to send `bytes` at `rate`, rounded up to a picosecond, so that a wire is never faster than
/// its rate.
constexpr PicoSeconds serialization_time(Bytes bytes, BitRate rate) {
  if (bytes >= 0 && bytes < Bytes{1}
                                << 21) {  // for the size of any packet the product fits 64 bits
    const std::uint64_t bits = static_cast<std::uint64_t>(bytes) * 8'000'000'000'000u;
    const std::uint64_t whole = bits / rate.bits_per_second;
    return PicoSeconds(static_cast<std::int64_t>(whole + (bits % rate.bits_per_second != 0)));
  }
  const Uint128 bits = static_cast<Uint128>(bytes) * 8u * 1'000'000'000'000u;
  return PicoSeconds(
      static_cast<std::int64_t>((bits + rate.bits_per_second - 1) / rate.bits_per_second));
}

/// Time between the starts of two packets of a flow paced at `rate`; at rate zero the flow never
/// sends.
constexpr PicoSeconds pacing_gap(Bytes bytes, Rate rate) {
  if (rate.raw == 0) return PicoSeconds::max();
  // Time per byte: 8·10^12 ps·bit/s divided by (raw/256)·10^6 b/s gives 2048·10^6/raw ps per byte.
  const std::uint64_t numerator = static_cast<std::uint64_t>(bytes) * 2'048'000'000u;
  return PicoSeconds(static_cast<std::int64_t>(numerator / rate.raw));
}

}  // namespace dcc
