// Collects the counters of a platform's devices after the run.
#pragma once

#include "controller/controller_model.h"
#include "measure/results.h"
#include "nic/nic_parameters.h"
#include "switch/pfc.h"
#include "switch/switch_device.h"
#include "wire/link.h"

namespace dcc::vp {

// Adds a device's counters to the balance, which must account for every packet and every timer
// event.
void add_to(Balance& balance, const NicCounters& nic);
void add_to(Balance& balance, const SwitchCounters& totals, const PfcCounters& pfc);
void add_to(Balance& balance, const LinkCounters& link);
void add_to(Balance& balance, const TimerCounters& timers);

}  // namespace dcc::vp
