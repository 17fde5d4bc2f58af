// Collects the counters of a platform's devices after the run.
#pragma once

#include <string>
#include <vector>

#include "controller/controller_model.h"
#include "measure/results.h"
#include "nic/nic_parameters.h"
#include "switch/pfc.h"
#include "switch/switch_device.h"
#include "wire/link.h"

namespace dcc::vp {

// Adds a device's counters to the balance, in which every packet and every timer event must be
// accounted for.
void add_to(Balance& balance, const NicCounters& nic);
void add_to(Balance& balance, const SwitchCounters& totals, const PfcCounters& pfc);
void add_to(Balance& balance, const LinkCounters& link);
void add_to(Balance& balance, const TimerCounters& timers);

/// A warning about wires that flow control has stopped for ever, which is a property of the network
/// and does not fail the run. Empty if there are none.
std::string deadlock_warning(const std::vector<DeadlockedWire>& deadlock);

}  // namespace dcc::vp
