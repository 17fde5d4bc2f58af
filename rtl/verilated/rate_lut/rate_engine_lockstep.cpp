#include "rate_engine_lockstep.h"

#include <utility>

#include "rate_recording.h"

namespace dcc {

std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(const RateLockstepOptions& options) {
  return make_lockstep_rate_engine(options, make_rtl_rate_engine(options.rtl));
}

std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options, std::unique_ptr<RtlRateEngine> hardware) {
  return make_rate_lockstep(
      options, std::move(hardware), [options](const std::vector<RateCall>& calls) {
        write_recording(options.log_path,
                        {options.seed, options.rtl.fault, options.rtl.random_seed, calls});
        return options.replay_line("rate.fst");
      });
}

}  // namespace dcc
