// The congestion controller as a SystemC module for any platform: registers on APB, notifications
// as calls, rates as callbacks, all at SystemC's time.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <systemc>

#include "controller.h"
#include "controller/controller_model.h"
#include "sim/scheduler.h"
#include "simulation_kernel.h"

namespace dcc::model {

/// A complete controller with its own scheduler; no other object has to be created or called.
///
///   ControllerModule controller("controller", {}, [&](std::uint32_t flow, Rate rate) { … });
///   bus.bind(controller.apb);                 // docs/registers/dcc.md, or driver/dcc_driver.h
///   controller.cnp(flow, dscp);               // from any process, at its own time
///
/// The controller answers an input after `latency_cycles`: a process of this module calls the
/// listener when sc_time_stamp() is the time of the answer. The listener may notify events, write
/// signals and call cnp() or bytes(). Notifications while CTRL.ENABLE is 0 are dropped, as the
/// hardware does, and the first dropped notification is reported as a warning of type
/// "/dccvp/controller".
class ControllerModule final : public sc_core::sc_module, private RateSink {
 public:
  using RateListener = std::function<void(std::uint32_t flow, Rate rate)>;

  tlm::tlm_target_socket<32> apb{"apb"};
  /// Level of the controller's interrupt line.
  sc_core::sc_signal<bool> interrupt{"interrupt"};

  /// Throws std::invalid_argument for a configuration outside its ranges or without a listener.
  /// Engines as in ControllerModel; APB latency as in ApbTarget.
  ControllerModule(const sc_core::sc_module_name& name, const ControllerConfig& config,
                   RateListener listener,
                   const sc_core::sc_time& apb_latency = sc_core::SC_ZERO_TIME,
                   std::unique_ptr<TimerEngine> timers = nullptr,
                   std::unique_ptr<RateEngine> rates = nullptr);

  /// Passes a congestion notification for a flow to the controller; the notification stands for
  /// `marks` CE marks. Called from a SystemC process.
  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks = 1, std::uint8_t packets = 0);
  /// Tells the controller that a flow has sent `length` bytes. Called from a SystemC process.
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length);

  /// Resets the controller's registers and device as the hardware's reset does.
  void reset();
  /// The controller device, brought to sc_time_stamp(), for inspection of slots and statistics.
  ControllerEngine& device();

 private:
  void rate_calculated(std::uint32_t flow, Rate rate) override { listener_(flow, rate); }
  void need_enabled();
  void drive_interrupt();

  RateListener listener_;
  Scheduler scheduler_;
  SimulationKernel kernel_;
  ControllerModel device_;
  ApbController registers_;
  bool interrupt_level_ = false;
  sc_core::sc_event interrupt_changed_;
  bool warned_ = false;
};

}  // namespace dcc::model
