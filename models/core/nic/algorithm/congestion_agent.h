// InfiniBand's congestion control agent of an adapter: what a congestion manager reads and sets.
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
    unsigned increase = 0;  // CCTI_Increase
    unsigned min = 0;       // CCTI_Min
    PicoSeconds timer{};    // CCTI_Timer
    friend bool operator==(const Setting& a, const Setting& b) {
      return a.increase == b.increase && a.min == b.min && a.timer == b.timer;
    }
  };
  static constexpr unsigned kLevels = 64;
  static constexpr std::int64_t kTimerUnit = 1'024'000;  // unit of CCTI_Timer in picoseconds

  /// True if queue pairs have their own index, false if service levels have.
  virtual bool controls_queue_pairs() const = 0;
  virtual Setting setting(std::uint8_t level) const = 0;
  /// Sets a level from the next notification and the next timer on. Returns false, and changes
  /// nothing, for an increase of 0, a timer of 0, or a minimum above the limit.
  virtual bool set(std::uint8_t level, const Setting& setting) = 0;
  virtual unsigned limit() const = 0;  // CCTI_Limit
  /// Injection delay of a table entry, 0 to limit().
  virtual PicoSeconds entry(unsigned index) const = 0;

 protected:
  ~CongestionAgent() = default;
};

}  // namespace dcc
