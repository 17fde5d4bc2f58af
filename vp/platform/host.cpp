#include "platform/host.h"

#include "platform/engines.h"
#include "platform/host_driver.h"
#include "platform/translate.h"

namespace dcc::vp {

namespace {
const sc_core::sc_time kApbLatency(20, sc_core::SC_NS);  // five cycles at 250 MHz
}

Host::Host(const sc_core::sc_module_name& name, const HostContext& context)
    : sc_module(name),
      id_(context.id),
      config_(context.config),
      link_(context.link),
      nic_("nic", context.kernel.scheduler(), context.pool, context.ledger,
           nic_parameters(context.config, context.id, context.link), context.nic_rank) {
  const bool driven = config_.host_of(id_).driver != DriverKind::kNone;
  governed_by_ = make_algorithm(config_, {context.kernel.scheduler(), nic_.device().transmitter(),
                                          id_, context.controller_rank, context.longest_base_rtt});
  nic_.device().set_algorithm(governed_by_.algorithm.get());
  if (governed_by_.dcc != nullptr) {
    controller_ = std::make_unique<model::ApbController>(
        "controller", governed_by_.dcc->device(), driven ? kApbLatency : sc_core::SC_ZERO_TIME,
        wheel_split(config_.nic.controller));
  }
  if (driven) {
    nic_.add_host_interface(context.plan, context.nic_rank, kApbLatency);
    driver_ = std::make_unique<HostDriver>("driver", context, nic_, controller_.get());
  } else if (controller_ != nullptr) {
    programmer_ = std::make_unique<ApbProgrammer>("programmer");
    programmer_->apb.bind(controller_->apb);
  }
}

Host::~Host() = default;

void Host::bring_up() {
  if (programmer_ != nullptr) programmer_->bring_up(controller_programme(config_, link_.rate));
}

void Host::finish() {
  if (dcc() == nullptr) return;
  ControllerDevice& device = dcc()->device();
  finish_timer_engine(device.timers(), device.time());
  finish_rate_engine(device.rates());
}

QosResult Host::qos_result() const { return driver_->qos_result(); }

Host::SoftwareReport Host::software_report() const {
  return driver_ == nullptr ? SoftwareReport{} : driver_->report();
}

}  // namespace dcc::vp
