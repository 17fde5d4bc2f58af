// Parts and settings from which one NIC's hardware controller is made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "controller/controller_engine.h"

namespace dcc {

/// The platform fills a ControllerSetup for every NIC and hands it to the algorithm
/// (AlgorithmContext::controller); only an algorithm with a hardware controller reads it.
struct ControllerSetup {
  ControllerConfig config;
  // makes the timing engine; empty: the model's timers
  std::function<std::unique_ptr<TimerEngine>()> timers;
  // makes the rate unit; empty: the model's rate unit
  std::function<std::unique_ptr<RateEngine>()> rates;
  ControllerEngineFactory engine;  // makes the whole controller; empty: the controller's model
  // greatest f_dec (4.12) of a class with at least twice the least weight in use; 0: no such class
  std::uint32_t heavy_factor = 0;

  /// The smallest controller setup, with one slot, which suffices to ask an algorithm for its
  /// needs.
  static ControllerSetup one_slot() {
    ControllerSetup setup;
    setup.config.slots = 1;
    return setup;
  }
};

}  // namespace dcc
