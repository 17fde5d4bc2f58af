#include "nic/algorithm_timers.h"

namespace dcc {

void AlgorithmTimers::start(int id, PicoSeconds delay) {
  std::unique_ptr<Timer>& timer = timers_[static_cast<std::size_t>(id)];
  if (timer == nullptr) timer = std::make_unique<Timer>(*this, id);
  scheduler_.schedule_in(timer->event, delay);
}

void AlgorithmTimers::stop(int id) {
  const std::unique_ptr<Timer>& timer = timers_[static_cast<std::size_t>(id)];
  if (timer != nullptr) scheduler_.cancel(timer->event);
}

}  // namespace dcc
