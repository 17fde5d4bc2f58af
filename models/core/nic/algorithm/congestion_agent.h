// InfiniBand's congestion control agent of an adapter, with the attributes that a congestion
// manager reads and sets.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

/// An algorithm implements this interface beside Algorithm if it has the attributes
/// CACongestionSetting and CongestionControlTable (InfiniBand Architecture Specification, volume 1,
/// annex A10). A service level is a DSCP, 0 to 63.
class CongestionAgent {
 public:
  struct Setting {
    // CCTI_Increase, the step by which a notification raises the table index
    unsigned increase = 0;
    unsigned min = 0;     // CCTI_Min, the least table index
    PicoSeconds timer{};  // CCTI_Timer, the interval after which the table index falls
    friend bool operator==(const Setting& a, const Setting& b) {
      return a.increase == b.increase && a.min == b.min && a.timer == b.timer;
    }
  };
  static constexpr unsigned kLevels = 64;
  static constexpr std::int64_t kTimerUnit = 1'024'000;  // unit of CCTI_Timer in picoseconds

  /// True if each queue pair has its own table index, false if each service level has.
  virtual bool controls_queue_pairs() const = 0;
  virtual Setting setting(std::uint8_t level) const = 0;
  /// Sets the values of a service level, which apply from the next notification and the next timer
  /// on. Returns false, and changes nothing, for an increase of 0, a timer of 0, or a minimum above
  /// the limit.
  virtual bool set(std::uint8_t level, const Setting& setting) = 0;
  virtual unsigned limit() const = 0;  // CCTI_Limit, the greatest table index
  /// Injection delay of entry `index` of the congestion control table, 0 to limit().
  virtual PicoSeconds entry(unsigned index) const = 0;

 protected:
  ~CongestionAgent() = default;
};

}  // namespace dcc
