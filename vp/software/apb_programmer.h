// Runs the C driver over APB for hosts without a processor.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>

#include "software/controller_programmer.h"

namespace dcc::vp {

/// A TLM initiator that turns the driver's register accesses into APB transactions. The accesses
/// take no simulated time, or the time of bus and registers if all calls come from a SystemC
/// process.
class ApbProgrammer final : public sc_core::sc_module {
 public:
  /// Creates the initiator. `base`: address of the controller behind the socket. `takes_time`: true
  /// if all calls come from a SystemC process.
  explicit ApbProgrammer(const sc_core::sc_module_name& name, std::uint64_t base = 0,
                         bool takes_time = false);

  tlm_utils::simple_initiator_socket<ApbProgrammer> apb;

  /// Probes, configures and enables a controller. Call once elaboration is over. Throws
  /// std::runtime_error with the driver's sentence.
  void bring_up(const dcc_config& program) { programmer_.bring_up(program); }
  /// Changes a running controller from one configuration to another. Throws like bring_up().
  void reconfigure(const dcc_config& from, const dcc_config& to) {
    programmer_.reconfigure(from, to);
  }
  /// Sets the weight of a DSCP, 1.0 = 256. Precondition: bring_up() was called. Throws like
  /// bring_up().
  void set_weight(std::uint32_t dscp, std::uint32_t weight_q8_8) {
    programmer_.set_weight(dscp, weight_q8_8);
  }

 private:
  std::uint32_t access(bool write, std::uint64_t address, std::uint32_t value);

  bool takes_time_;
  ControllerProgrammer programmer_;
};

}  // namespace dcc::vp
