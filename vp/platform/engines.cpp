#include "platform/engines.h"

namespace dcc::vp {

std::unique_ptr<TimerEngine> make_timer_engine(const PlatformConfig&, HostId) { return nullptr; }
std::unique_ptr<RateEngine> make_rate_engine(const PlatformConfig&, HostId) { return nullptr; }

}  // namespace dcc::vp
