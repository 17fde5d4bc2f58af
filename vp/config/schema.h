// The one table of parameters: every key of the YAML, its member, range, meaning and source. To add
// a parameter: a member with its default in platform_config.h (or its neighbours), and one line in
// the describe() function of its struct.
#pragma once

#include "config/platform_config.h"
#include "config/schema_visitor.h"

namespace dcc::vp {

/// Walks all of a configuration.
void describe(SchemaVisitor& v, PlatformConfig& c);

// The parts of it, one a file.
void describe_topology(SchemaVisitor& v, TopologyConfig& c);
void describe_link(SchemaVisitor& v, LinkConfig& c);
void describe_switch(SchemaVisitor& v, SwitchConfig& c);
void describe_nic(SchemaVisitor& v, NicConfig& c);
/// `cnp` because presets set the notification point's spacing, too.
void describe_congestion_control(SchemaVisitor& v, CongestionControlConfig& c, CnpConfig& cnp);
void describe_host(SchemaVisitor& v, HostConfig& c);
void describe_traffic(SchemaVisitor& v, TrafficConfig& c);
void describe_fault(SchemaVisitor& v, FaultConfig& c);

}  // namespace dcc::vp
