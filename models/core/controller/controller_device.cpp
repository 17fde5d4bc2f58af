#include "controller/controller_device.h"

#include <utility>

namespace dcc {

ControllerDevice::ControllerDevice(Scheduler& scheduler, const ControllerConfig& config,
                                   std::uint32_t rank, RateSink& sink,
                                   std::unique_ptr<TimerEngine> timers,
                                   std::unique_ptr<RateEngine> rates,
                                   const ControllerEngineFactory& make_engine) {
  if (make_engine) other_ = make_engine(scheduler, config, rank, sink);
  if (other_ == nullptr) {
    model_.emplace(scheduler, config, rank, sink, std::move(timers), std::move(rates));
  }
  engine_ = other_ != nullptr ? other_.get() : &*model_;
}

}  // namespace dcc
