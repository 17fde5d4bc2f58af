// Sets the defaults that a chosen scheme needs of the rest of the configuration.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Makes a scheme work alone: what its transport needs of switches, NICs and hosts becomes the
/// default, and `config.followed` notes why. What the user wrote stays; check() refuses it if it
/// contradicts. Precondition: the topology has passed its check.
void bring_needs(LoadedConfig& loaded);

}  // namespace dcc::vp
