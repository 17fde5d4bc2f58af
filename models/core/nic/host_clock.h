// A host's clock as delay-based algorithms read it: readings that come late, and a rate of its own.
#pragma once

#include "describe/quantities.h"
#include "sim/random.h"
#include "units.h"

namespace dcc {

class ParameterVisitor;

struct ClockParameters {
  PicoSeconds noise{};   // a reading is late by up to so much, evenly drawn
  Ratio drift{0};        // a host's clock is fast or slow by up to this share, drawn once
  bool controls = true;  // algorithms go by its readings

  bool exact() const { return noise.count == 0 && drift.value() == 0; }
  void describe(ParameterVisitor& v);
};

/// One host's. Same seed and host, same readings.
class HostClock {
 public:
  /// `host` tells clocks apart.
  HostClock(const ClockParameters& parameters, std::uint64_t seed, std::uint64_t host);

  /// What the clock says passed between two readings, one at either end of `elapsed`; never below
  /// zero.
  PicoSeconds between(PicoSeconds elapsed);
  /// Parts of 2^32 by which it is fast (or slow, below zero).
  std::int64_t drift_q32() const { return drift_q32_; }

 private:
  RandomStream random_;
  std::uint64_t readings_;  // choices of how late one is
  std::int64_t drift_q32_ = 0;
};

}  // namespace dcc
