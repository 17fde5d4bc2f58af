// A hash of the state of devices: equal states have equal digests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "units.h"

namespace dcc {

/// A hash of a sequence of values. Each step is a bijection of the state for a given value, and of
/// the value for a given state, so two sequences that differ in one value have different digests.
/// The result is identical on all machines of the same byte order.
///
/// A class adds its state in a member function:
///
///   void add_state(StateDigest& d) const { d(rate_, due_, queue_); }
///
/// add_state() passes the members of the class on which its later behaviour depends. It leaves out
/// statistics, the progress of deferred work, and parameters: the digests of two runs with
/// different parameters part when the parameter first has an effect.
///
/// An interface declares a pure virtual add_state(StateDigest&), so that no implementation omits
/// it.
class StateDigest {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (add(values), ...);
  }
  /// Adds a block of memory to the digest.
  void bytes(const void* data, std::size_t count) {
    constexpr std::size_t kLanes = 4;
    const auto* at = static_cast<const unsigned char*>(data);
    std::uint64_t lane[kLanes] = {1, 2, 3, 4};
    std::size_t left = count;
    for (; left >= sizeof lane; left -= sizeof lane, at += sizeof lane) {
      std::uint64_t word[kLanes];
      std::memcpy(word, at, sizeof word);
      for (std::size_t i = 0; i < kLanes; ++i) lane[i] = mixed(lane[i], word[i]);
    }
    for (const std::uint64_t one : lane) mix(one);
    for (; left != 0; --left) mix(*at++);
    mix(count);
  }
  /// Adds elements that have no defined order to the digest. `tell(one)` calls one(values...) for
  /// each element.
  template <class Tell>
  void unordered(Tell tell) {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    tell([&](const auto&... values) {
      StateDigest of_one;
      of_one(values...);
      sum += of_one.value();
      ++count;
    });
    mix(count);
    mix(sum);
  }
  std::uint64_t value() const { return state_; }

 private:
  static std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
    const std::uint64_t x = (state ^ value) * 0x9E3779B97F4A7C15u;
    return x ^ x >> 32;
  }
  void mix(std::uint64_t value) { state_ = mixed(state_, value); }

  template <class T>
  void add(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      mix(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      mix(bits);
    } else {
      value.add_state(*this);
    }
  }
  void add(const PicoSeconds& time) { mix(static_cast<std::uint64_t>(time.count)); }
  void add(const Rate& rate) { mix(static_cast<std::uint64_t>(rate.raw)); }
  void add(const BitRate& rate) { mix(static_cast<std::uint64_t>(rate.bits_per_second)); }
  template <class T>
  void add(const std::optional<T>& value) {
    mix(value.has_value() ? 1 : 0);
    if (value) add(*value);
  }
  template <class T>
  void add(const std::unique_ptr<T>& value) {
    mix(value != nullptr ? 1 : 0);
    if (value != nullptr) add(*value);
  }
  template <class T, std::size_t N>
  void add(const std::array<T, N>& values) {
    for (const T& value : values) add(value);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add_all(values);
  }
  template <class T>
  void add(const std::deque<T>& values) {
    add_all(values);
  }
  template <class List>
  void add_all(const List& values) {
    mix(values.size());
    for (const auto& value : values) add(value);
  }

  std::uint64_t state_ = 0x6A09E667F3BCC908u;
};

/// Adds a struct that contains only counters to the digest, as one block of memory.
template <class Counters>
void add_counters(StateDigest& d, const Counters& counters) {
  static_assert(std::has_unique_object_representations_v<Counters>);
  d.bytes(&counters, sizeof counters);
}

}  // namespace dcc
