// Lets the platform itself use the C driver over APB, for hosts that have no processor.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>

#include "driver/dcc_driver.h"
#include "driver/hal.h"

namespace dcc::vp {

/// An initiator whose HAL turns the driver's register accesses into APB transactions in zero time.
class ApbProgrammer final : public sc_core::sc_module {
 public:
  explicit ApbProgrammer(const sc_core::sc_module_name& name);

  tlm_utils::simple_initiator_socket<ApbProgrammer> apb;

  /// Probes, configures and enables a controller. Once elaboration is over. Throws
  /// std::runtime_error with the driver's sentence.
  void bring_up(const dcc_config& programme);

 private:
  std::uint32_t access(bool write, std::uint64_t address, std::uint32_t value);
  hal hal_;
  dcc_controller controller_;
};

}  // namespace dcc::vp
