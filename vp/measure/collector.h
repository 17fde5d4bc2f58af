// What a platform has counted, as results, once it has run.
#pragma once

#include <string>
#include <vector>

#include "controller/controller_device.h"
#include "measure/results.h"
#include "nic/nic_parameters.h"
#include "switch/pfc.h"
#include "switch/switch_device.h"
#include "wire/link.h"

namespace dcc::vp {

// What a device adds to the balance: every packet made is somewhere, every timer event came to
// something.
void add_to(Balance& balance, const NicCounters& nic);
void add_to(Balance& balance, const SwitchCounters& totals, const PfcCounters& pfc);
void add_to(Balance& balance, const LinkCounters& link);
void add_to(Balance& balance, const TimerCounters& timers);

/// A sentence on wires that flow control has stopped for ever: a fact about the network, not a
/// failed run. Empty for none.
std::string deadlock_warning(const std::vector<DeadlockedWire>& deadlock);

}  // namespace dcc::vp
