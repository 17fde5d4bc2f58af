#include "disturb/reconfigurer.h"

#include <utility>

namespace dcc::vp {

Reconfigurer::Reconfigurer(const sc_core::sc_module_name& name, std::uint64_t base,
                           std::function<void(sc_core::sc_event&)> notify,
                           std::function<void()> on_failure)
    : sc_module(name),
      programmer("programmer", base, true),
      notify_(std::move(notify)),
      on_failure_(std::move(on_failure)) {
  SC_HAS_PROCESS(Reconfigurer);
  SC_THREAD(run);
}

void Reconfigurer::reconfigure(const dcc_config& from, const dcc_config& to) {
  orders_.push_back({from, to});
  notify_(ordered_);
}

void Reconfigurer::run() {
  for (;;) {
    while (orders_.empty()) sc_core::wait(ordered_);
    const Order order = orders_.front();
    orders_.pop_front();
    try {
      programmer.reconfigure(order.from, order.to);
    } catch (const std::runtime_error& error) {
      failure_ = error.what();
      on_failure_();
    }
  }
}

}  // namespace dcc::vp
