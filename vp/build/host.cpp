#include "build/host.h"

#include "build/engines.h"
#include "build/translate.h"
#include "controller/controller_model.h"
#include "controller/controller_registers.h"
#include "controller/controller_setup.h"
#include "nic/algorithm/weighted.h"
#include "software/controller_programmer.h"
#include "software/host_driver.h"

namespace dcc::vp {

namespace {
// latency of an APB access: five cycles at 250 MHz
const sc_core::sc_time kApbLatency(20, sc_core::SC_NS);
}  // namespace

Host::Host(const sc_core::sc_module_name& name, const HostContext& context)
    : sc_module(name),
      id_(context.id),
      config_(context.config),
      kernel_(context.kernel),
      link_(context.link),
      notification_(make_notification_engine(context.config, context.id)),
      parser_(make_parser_engine(context.config, context.id)),
      nic_("nic", context.scheduler, context.pool, context.ledger,
           nic_parameters(context.config, context.id, context.link), context.nic_rank,
           context.sockets) {
  nic_.device().receiver().set_notification_engine(notification_.get());
  const PicoSeconds pacer_cycle = config_.nic.controller.clock_period();
  Transmitter& transmitter = nic_.device().transmitter();
  pacer_ = make_pacer_engine(config_, id_, transmitter.pacer_settings(PacerShape{}, pacer_cycle));
  transmitter.set_parser(parser_.get());
  if (pacer_ != nullptr) transmitter.set_pacer(*pacer_, PacerShape{}, pacer_cycle);
  const bool driven = config_.host_of(id_).driver != DriverKind::kNone;
  const ControllerSetup controller{
      static_cast<const dcc::ControllerConfig&>(config_.nic.controller),
      [&] { return make_timer_engine(config_, id_, context.recordings); },
      [&] { return make_rate_engine(config_, id_, context.recordings); },
      controller_engine(config_, id_, context.recordings), heavy_factor(config_, id_, link_.rate)};
  algorithm_ = config_.congestion_control_of(id_).make(
      {context.scheduler, nic_.device().transmitter(), config_.mtu_of(id_),
       context.longest_base_rtt, context.controller_rank, &controller, config_.seed});
  dcc_ = dynamic_cast<Dcc*>(algorithm_.get());
  nic_.device().set_algorithm(algorithm_.get());
  NicDevice& nic = nic_.device();
  transport_ = config_.transport_of(id_).make({context.scheduler, context.pool, context.ledger,
                                               nic.counters(), nic.parameters(), nic.transmitter(),
                                               context.nic_rank, context.longest_base_rtt,
                                               context.hosts, config_.seed, &nic.reordering()});
  nic.set_transport(transport_.get());
  const bool weighs = dynamic_cast<WeightedAlgorithm*>(algorithm_.get()) != nullptr;
  for (const auto& [dscp, entry] : config_.dscp) {
    const auto number = static_cast<std::uint8_t>(dscp);
    if (weighs) algorithm_->on_weight(number, entry.weight);
    if (transport_ != nullptr) transport_->on_weight(number, entry.weight);
  }
  if (dcc_ != nullptr && (driven || context.keep_registers)) {
    controller_ = std::make_unique<model::ApbController>(
        "controller", dcc_->device(),
        // Without software the registers are written once, before simulated time begins.
        driven ? std::function<void()>([this] { kernel_.synchronise(); }) : [] {},
        driven ? kApbLatency : sc_core::SC_ZERO_TIME, wheel_split(config_.nic.controller));
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
  if (dcc_ == nullptr || driver_ != nullptr) return;
  const dcc_config program = controller_program(config_, id_, link_.rate);
  if (programmer_ != nullptr) {
    programmer_->bring_up(program);
    return;
  }
  regs::ControllerRegisters registers(dcc_->device(), wheel_split(config_.nic.controller));
  ControllerProgrammer programmer([&](bool write, std::uint64_t address, std::uint32_t value) {
    const auto offset = static_cast<std::uint32_t>(address);
    const regs::AccessResult result =
        write ? registers.block().write(offset, value) : registers.block().read(offset, value);
    if (result != regs::AccessResult::kOk) ControllerProgrammer::refuse(write, address, value);
    return value;
  });
  programmer.bring_up(program);
}

void Host::share_tables(const Host& other) {
  if (dcc_ == nullptr || other.dcc_ == nullptr) return;
  ControllerModel* const model = dcc_->device().model();
  if (model != nullptr) model->share_tables(other.dcc_->device().tables());
}

void Host::reconfigure(const PlatformConfig& from, const PlatformConfig& to) {
  if (dcc_ == nullptr) return;
  const dcc_config before = controller_program(from, id_, link_.rate);
  const dcc_config after = controller_program(to, id_, link_.rate);
  if (driver_ != nullptr) {
    driver_->reconfigure(before, after);
  } else {
    programmer_->reconfigure(before, after);
  }
}

void Host::set_weight(unsigned dscp, std::uint32_t weight_q8_8) {
  programmer_->set_weight(dscp, weight_q8_8);
}

void Host::finish() {
  if (driver_ != nullptr) driver_->finish();
  if (dcc() == nullptr) return;
  ControllerEngine& device = dcc()->device();
  device.finish();
  if (ControllerModel* const model = device.model(); model != nullptr) {
    finish_timer_engine(model->timers(), model->time());
    finish_rate_engine(model->rates());
  }
}

QosResult Host::qos_result() const { return driver_->qos_result(); }

std::vector<model::RiscvCpu*> Host::harts() {
  std::vector<model::RiscvCpu*> all;
  if (cpu() == nullptr) return all;
  for (const auto& hart : driver_->firmware()->cpus()) all.push_back(hart.get());
  return all;
}

model::RiscvCpu* Host::cpu() { return driver_ == nullptr ? nullptr : driver_->cpu(); }

void Host::trace_transactions(model::BusTrace::Sink sink) {
  if (driver_ != nullptr) {
    driver_->trace_bus("host" + std::to_string(id_), std::move(sink));
  } else if (controller_ != nullptr) {
    trace_programmer(std::move(sink));
  }
}

void Host::observe_lines(std::function<void(const char*, bool)> observer) {
  if (driver_ != nullptr) {
    driver_->observe_lines(std::move(observer));
  } else if (controller_ != nullptr) {
    controller_->set_interrupt_listener(
        [observer = std::move(observer)](bool high) { observer("controller", high); });
  }
}

bool Host::observe_slots(SlotObserver& observer) {
  if (dcc() == nullptr) return true;
  if (dcc()->device().model() == nullptr) return false;
  slot_observers_.add(observer);
  dcc()->device().observe(&slot_observers_);
  return true;
}

void Host::trace_programmer(model::BusTrace::Sink sink) {
  controller_->add_observer([this, sink = std::move(sink)](const model::ApbTransfer& transfer) {
    regs::AccessRecord record;
    record.begin = record.end = kernel_.now();
    record.path = "host" + std::to_string(id_) + ".platform";
    record.target = "controller";
    record.write = transfer.write;
    record.address = transfer.address;
    record.name = controller_->block().name_of(transfer.address);
    const std::uint32_t word = transfer.data;
    record.data = reinterpret_cast<const std::uint8_t*>(&word);
    record.length = 4;
    record.response = regs::to_string(transfer.result);
    sink(record);
  });
}

Host::SoftwareReport Host::software_report() const {
  return driver_ == nullptr ? SoftwareReport{} : driver_->report();
}

}  // namespace dcc::vp
