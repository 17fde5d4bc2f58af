// Sets the defaults that follow the network: ParameterVisitor::follows, and two rules for values
// that depend on each other.
#pragma once

#include "config/check/longest_path.h"
#include "config/yaml_reader.h"
#include "describe/network_scale.h"

namespace dcc::vp {

/// Measures the properties of the network, such as its longest RTT, from which defaults are
/// computed.
NetworkScale measured_network(const PlatformConfig& config, LongestPath& path);

/// Sets every parameter that has a rule in force and that the user did not write, and records the
/// rule in `config.followed`. Precondition: the topology has passed its check.
void follow_network(LoadedConfig& loaded, LongestPath& path);

/// Sets the thresholds that `switch.ecn.rule` gives, and records the rule in `config.followed`. The
/// algorithm chooses the rule if the user wrote neither a rule nor a threshold. `beginning`: the
/// configuration whose written keys count, because a change of one threshold must not move another.
/// Throws ConfigError if the user wrote a rule and a threshold.
void follow_marking_rule(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning);

/// Sets the proportional policy's r_ai and g by the rate of the slowest link, unless the user gave
/// r_ai, g or a reference rate. Sets the policy's interval by the longest base RTT. Sets r_ai of
/// the policy proportional_int by the weights that share a port, unless the user gave it.
/// `beginning`: the configuration whose given keys count, because a change of one key must not move
/// another. `beginning` is the configuration at the beginning of the run if a change made `loaded`,
/// else `loaded` itself.
void follow_step_rule(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning);

}  // namespace dcc::vp
