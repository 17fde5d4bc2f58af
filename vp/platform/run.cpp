#include "platform/run.h"

#include "platform/collector.h"
#include "platform/platform.h"
#include "platform/run_loop.h"

namespace dcc::vp {

RunResults run_platform(const PlatformConfig& config, RunObserver& observer,
                        const RunSetup& setup) {
  Platform platform("platform", config, setup);
  RunLoop loop(platform, observer);
  RunResults results;
  loop.run(results);
  collect(platform, results);
  return results;
}

}  // namespace dcc::vp
