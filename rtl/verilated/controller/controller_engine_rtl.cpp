#include "controller_engine_rtl.h"

#include <stdexcept>
#include <string>

#include "controller_engine_rtl_sizes.h"

namespace dcc {

namespace {
struct Size {
  std::uint32_t slots;
  MakeRtlController* make;
  MakeRtlController* make_checked;
};
constexpr Size kSizes[] = {{64, make_rtl_controller_64, make_checked_controller_64},
                           {1024, make_rtl_controller_1024, make_checked_controller_1024}};
}  // namespace

std::vector<std::uint32_t> verilated_controllers() {
  std::vector<std::uint32_t> slots;
  for (const Size& size : kSizes) slots.push_back(size.slots);
  return slots;
}

std::unique_ptr<RtlControllerEngine> make_rtl_controller(Scheduler& scheduler,
                                                         const ControllerConfig& config,
                                                         std::uint32_t rank, RateSink& sink,
                                                         const RtlControllerOptions& options) {
  if (config.latency_cycles != kRtlLatency) {
    throw std::invalid_argument("the controller's RTL was built for a latency of " +
                                std::to_string(kRtlLatency) + " cycles");
  }
  for (const Size& size : kSizes) {
    if (size.slots != config.slots) continue;
    const bool checked = options.fault != 0 || options.as_shipped;
    MakeRtlController* const make = checked ? size.make_checked : size.make;
    return make(scheduler, config, rank, sink, options);
  }
  throw std::invalid_argument("the controller's RTL was not built for " +
                              std::to_string(config.slots) + " slots");
}

}  // namespace dcc
