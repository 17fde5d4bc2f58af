// Sets the defaults that a chosen scheme requires in the rest of the configuration.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Makes a scheme work without further settings: the values that its transport needs of switches,
/// NICs and hosts become the defaults, and `config.followed` notes why. Values that the user wrote
/// stay; check() refuses contradictions. Precondition: the topology has passed its check.
void bring_needs(LoadedConfig& loaded);

}  // namespace dcc::vp
