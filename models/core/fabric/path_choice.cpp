#include "fabric/path_choice.h"

#include "fabric/routing_parameters.h"

namespace dcc {

std::unique_ptr<PathChoice> make_path_choice(const RoutingParameters& parameters,
                                             const PathContext& context) {
  using Kind = RoutingParameters::Kind;
  switch (parameters.kind) {
    case Kind::kEcmp:
      break;
    case Kind::kWcmp:
      return make_wcmp(context);
    case Kind::kPerFlow:
      return make_per_flow();
    case Kind::kSpray:
      return make_spray();
    case Kind::kRps:
      return make_rps(context);
    case Kind::kPermutation:
      return make_permutation(context);
    case Kind::kLmc:
      return make_lmc(parameters.lmc, context.hash_seed, parameters.lid_manager.on());
    case Kind::kLetflow:
      return make_letflow(parameters, context);
    case Kind::kDrill:
      return make_drill(parameters, context);
    case Kind::kDetail:
      return make_detail(parameters, context);
    case Kind::kConga:
      return make_conga(parameters, context);
    case Kind::kPresto:
      return make_presto(parameters, context);
    case Kind::kHedera:
      return make_hedera(context);
    case Kind::kReps:
      return make_reps(parameters, context);
    case Kind::kConweave:
      return make_conweave(parameters, context);
    case Kind::kHermes:
      return make_hermes(parameters, context);
    case Kind::kSymmetric:
      return make_symmetric(context.seed);
    case Kind::kSource:
      return make_source(context);
  }
  return nullptr;
}

}  // namespace dcc
