#include "platform/algorithms.h"

#include "cc/dcqcn.h"
#include "cc/dcqcn_slotted.h"
#include "cc/dctcp.h"
#include "cc/hpcc.h"
#include "cc/ibcc.h"
#include "cc/qcn.h"
#include "cc/timely.h"
#include "platform/algorithm_parameters.h"
#include "platform/engines.h"
#include "platform/translate.h"

namespace dcc::vp {

GovernedBy make_algorithm(const PlatformConfig& config, const AlgorithmContext& context) {
  const CongestionControlConfig& cc = config.nic.congestion_control;
  GovernedBy made;
  switch (cc.algorithm) {
    case AlgorithmKind::kDcc: {
      auto dcc = std::make_unique<Dcc>(
          context.scheduler, context.host, controller_config(config.nic), context.controller_rank,
          make_timer_engine(config, context.id), make_rate_engine(config, context.id));
      made.dcc = dcc.get();
      made.algorithm = std::move(dcc);
      break;
    }
    case AlgorithmKind::kDcqcn:
      if (cc.dcqcn.variant == DcqcnVariant::kSlotted) {
        made.algorithm = std::make_unique<DcqcnSlotted>(context.host, dcqcn_parameters(cc.dcqcn));
      } else {
        made.algorithm = std::make_unique<Dcqcn>(context.host, dcqcn_parameters(cc.dcqcn));
      }
      break;
    case AlgorithmKind::kDctcp:
      made.algorithm = std::make_unique<Dctcp>(
          context.host, dctcp_parameters(config.nic, context.longest_base_rtt));
      break;
    case AlgorithmKind::kHpcc:
      made.algorithm =
          std::make_unique<Hpcc>(context.host, hpcc_parameters(cc.hpcc, context.longest_base_rtt));
      break;
    case AlgorithmKind::kTimely:
      made.algorithm = std::make_unique<Timely>(context.host, timely_parameters(cc.timely));
      break;
    case AlgorithmKind::kIbcc:
      made.algorithm = std::make_unique<Ibcc>(context.host, ibcc_parameters(cc.ibcc),
                                              static_cast<std::uint32_t>(config.nic.mtu));
      break;
    case AlgorithmKind::kQcn:
      made.algorithm = std::make_unique<Qcn>(context.host, qcn_parameters(cc.qcn));
      break;
    case AlgorithmKind::kNone:
      break;
  }
  return made;
}

}  // namespace dcc::vp
