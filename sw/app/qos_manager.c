#include "app/qos_manager.h"

#include <string.h>

#include "app/fixed_log.h"
#include "driver/dcc_tables.h"

#define ONE_Q16 65536

static int tenants_are_sound(const struct qos_tenant* tenants, uint32_t count) {
  if (count == 0 || count > QOS_TENANTS_MAX) return 0;
  uint64_t taken = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const struct qos_tenant* const t = &tenants[i];
    if (t->dscp >= DCC_DSCPS || (taken >> t->dscp & 1u) != 0) return 0;
    if (t->weight_q8_8 < DCC_WEIGHT_MIN_Q8_8 || t->weight_q8_8 > DCC_WEIGHT_MAX_Q8_8) return 0;
    taken |= UINT64_C(1) << t->dscp;
  }
  return 1;
}

/* --- meter: counts tenants' bytes --- */

int qos_meter_init(struct qos_meter* meter, const struct qos_tenant* tenants, uint32_t count,
                   uint32_t window) {
  memset(meter, 0, sizeof *meter);
  if (!tenants_are_sound(tenants, count) || window == 0 || window > QOS_WINDOW_MAX) return 0;
  meter->count = count;
  meter->window = window;
  meter->interval = 1;
  for (uint32_t i = 0; i < count; ++i) {
    meter->dscp[i] = tenants[i].dscp;
    meter->tenant_of_dscp[tenants[i].dscp] = (uint8_t)(i + 1);
  }
  return 1;
}

void qos_meter_count(struct qos_meter* meter, struct qos_flow* flow, uint32_t dscp,
                     uint32_t bytes) {
  if (dscp >= DCC_DSCPS || meter->tenant_of_dscp[dscp] == 0) return;
  const uint32_t tenant = meter->tenant_of_dscp[dscp] - 1u;
  meter->bytes[tenant] += bytes;
  if (flow->last_interval == meter->interval) return;
  uint32_t* const seen = meter->seen_last[tenant];
  if (flow->last_interval != 0 && meter->interval - flow->last_interval < meter->window) {
    --seen[flow->last_interval % QOS_WINDOW_MAX];
  } else {
    ++meter->active[tenant];
  }
  ++seen[meter->interval % QOS_WINDOW_MAX];
  flow->last_interval = meter->interval;
}

void qos_meter_report(struct qos_meter* meter, uint64_t now_ns, struct qos_report* report) {
  const uint32_t number = meter->interval;
  report->begin = number;
  report->count = meter->count;
  report->time_ns = now_ns;
  report->reserved = 0;
  for (uint32_t i = 0; i < meter->count; ++i) {
    report->entries[i].dscp = meter->dscp[i];
    report->entries[i].bytes = meter->bytes[i];
    report->entries[i].active_flows = meter->active[i];
  }
  report->end = number;

  /* The next interval begins: flows last seen a whole window ago are no longer active. */
  ++meter->interval;
  if (meter->interval <= meter->window) return;
  const uint32_t leaving = (meter->interval - meter->window) % QOS_WINDOW_MAX;
  for (uint32_t i = 0; i < meter->count; ++i) {
    meter->active[i] -= meter->seen_last[i][leaving];
    meter->seen_last[i][leaving] = 0;
  }
}

/* --- manager: computes factors --- */

struct qos_parameters qos_default_parameters(void) {
  const struct qos_parameters parameters = {
      .proportional_q16 = ONE_Q16 / 4,
      .integral_q16 = ONE_Q16 / 6,
      .integral_limit_q16 = 2 * ONE_Q16,
      .smoothing_shift = 2,
      .hold_updates = 6,
      .span_q16 = 8 * ONE_Q16,
  };
  return parameters;
}

int qos_manager_init(struct qos_manager* manager, const struct qos_parameters* parameters,
                     const struct qos_tenant* tenants, uint32_t tenant_count,
                     uint32_t meter_count) {
  memset(manager, 0, sizeof *manager);
  if (!tenants_are_sound(tenants, tenant_count)) return 0;
  if (meter_count == 0 || meter_count > QOS_METERS_MAX) return 0;
  if (parameters->smoothing_shift > 4 || parameters->span_q16 < 0 ||
      parameters->span_q16 > 12 * ONE_Q16) {
    return 0;
  }
  manager->parameters = *parameters;
  manager->tenant_count = tenant_count;
  manager->meter_count = meter_count;
  for (uint32_t i = 0; i < tenant_count; ++i) {
    manager->tenants[i] = tenants[i];
    manager->states[i].weight_q8_8 = tenants[i].weight_q8_8;
  }
  return 1;
}

int qos_manager_take(struct qos_manager* manager, uint32_t meter, const struct qos_report* report) {
  if (meter >= manager->meter_count) return 0;
  const struct qos_report copy = *report;
  struct qos_report* const kept = &manager->reports[meter];
  /* Report numbers are compared by their difference, so they may wrap. */
  if (copy.begin != copy.end || (int32_t)(copy.begin - kept->begin) <= 0) return 0;
  if (copy.count != manager->tenant_count) return 0;
  for (uint32_t i = 0; i < copy.count; ++i) {
    if (copy.entries[i].dscp != manager->tenants[i].dscp) return 0;
    if (copy.entries[i].bytes < kept->entries[i].bytes) return 0;
  }
  *kept = copy;
  return 1;
}

static int32_t clamp(int32_t value, int32_t limit) {
  if (value > limit) return limit;
  return value < -limit ? -limit : value;
}

static int32_t scaled(int32_t factor_q16, int32_t value) {
  return (int32_t)(((int64_t)factor_q16 * value) / ONE_Q16);
}

/* Adds up the meters' reports. Returns 1 if tenants came or left, or if their number of flows
 * changed by more than a quarter: then past shares do not predict the next ones. */
static int gather(struct qos_manager* manager, uint64_t received[QOS_TENANTS_MAX]) {
  int upheaval = 0;
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    struct qos_tenant_state* const state = &manager->states[i];
    uint64_t bytes = 0;
    uint32_t flows = 0;
    for (uint32_t m = 0; m < manager->meter_count; ++m) {
      bytes += manager->reports[m].entries[i].bytes;
      flows += manager->reports[m].entries[i].active_flows;
    }
    received[i] = bytes - state->bytes;
    state->bytes = bytes;
    const uint32_t larger = flows > state->flows ? flows : state->flows;
    const uint32_t change = larger - (flows > state->flows ? state->flows : flows);
    if (4 * change > larger) upheaval = 1;
    state->flows = flows;
    if (flows == 0) state->integral_q16 = 0; /* The integral belongs to flows that have ended. */
  }
  return upheaval;
}

static void smooth(struct qos_manager* manager, const uint64_t received[QOS_TENANTS_MAX],
                   int restart) {
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    struct qos_tenant_state* const state = &manager->states[i];
    const int64_t now = (int64_t)(received[i] << 8);
    const int64_t before = (int64_t)state->smooth_bytes;
    const int64_t step = (now - before) / (1 << manager->parameters.smoothing_shift);
    state->smooth_bytes = (uint64_t)(restart ? now : before + step);
  }
}

static int is_active(const struct qos_tenant_state* state) {
  return state->flows != 0 && state->smooth_bytes != 0;
}

/* True if a tenant leaves part of its entitled share unused whatever its factor: its share is
 * its demand, and the other tenants are compared among themselves. */
static int is_demand_limited(const struct qos_manager* manager, uint32_t i) {
  return manager->states[i].integral_q16 >= manager->parameters.integral_limit_q16;
}

static void measure_errors(struct qos_manager* manager) {
  uint64_t bytes = 0;
  uint64_t weights = 0;
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    if (!is_active(&manager->states[i]) || is_demand_limited(manager, i)) continue;
    bytes += manager->states[i].smooth_bytes;
    weights += manager->tenants[i].weight_q8_8;
  }
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    struct qos_tenant_state* const state = &manager->states[i];
    state->error_q16 = 0;
    if (!is_active(state) || bytes == 0) continue;
    const int32_t wanted = fixed_log2(manager->tenants[i].weight_q8_8) - fixed_log2(weights);
    const int32_t measured = fixed_log2(state->smooth_bytes) - fixed_log2(bytes);
    state->error_q16 = clamp(wanted - measured, 2 * ONE_Q16);
  }
}

static void integrate(struct qos_manager* manager) {
  const struct qos_parameters* const p = &manager->parameters;
  int32_t sum = 0;
  int32_t count = 0;
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    struct qos_tenant_state* const state = &manager->states[i];
    if (!is_active(state)) continue;
    state->integral_q16 = clamp(state->integral_q16 + scaled(p->integral_q16, state->error_q16),
                                p->integral_limit_q16);
    if (is_demand_limited(manager, i)) continue;
    sum += state->integral_q16;
    ++count;
  }
  /* Only differences between tenants have an effect; a common part would drift to the limit. */
  for (uint32_t i = 0; count != 0 && i < manager->tenant_count; ++i) {
    struct qos_tenant_state* const state = &manager->states[i];
    if (is_active(state) && !is_demand_limited(manager, i)) state->integral_q16 -= sum / count;
  }
}

/* log2 of the factor that a flow of tenant i should have, up to a constant common to all
 * tenants. */
static int32_t wanted_factor(const struct qos_manager* manager, uint32_t i, int with_feedback) {
  const struct qos_tenant_state* const state = &manager->states[i];
  int32_t factor = fixed_log2(manager->tenants[i].weight_q8_8) + state->integral_q16;
  if (state->flows > 1) factor -= fixed_log2(state->flows);
  if (with_feedback) factor += scaled(manager->parameters.proportional_q16, state->error_q16);
  return factor;
}

/* Makes the lowest active factor 1.0, as far as the span to the highest factor permits. */
static int load_factors(struct qos_manager* manager, int with_feedback) {
  int32_t lowest = INT32_MAX;
  int32_t highest = INT32_MIN;
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    if (!is_active(&manager->states[i])) continue;
    const int32_t factor = wanted_factor(manager, i, with_feedback);
    if (factor < lowest) lowest = factor;
    if (factor > highest) highest = factor;
  }
  if (highest == INT32_MIN) return 0;
  const int32_t span = manager->parameters.span_q16;
  if (highest - lowest > span) lowest = highest - span;
  /* 256 stands for 1.0; the highest factor must stay below 2^8. */
  int32_t offset = 8 * ONE_Q16 - lowest;
  if (highest + offset > 16 * ONE_Q16 - 1) offset = 16 * ONE_Q16 - 1 - highest;
  int changed = 0;
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    struct qos_tenant_state* const state = &manager->states[i];
    int32_t factor = wanted_factor(manager, i, with_feedback);
    if (factor < lowest) factor = lowest;
    uint32_t weight = fixed_exp2(factor + offset);
    if (weight < DCC_WEIGHT_MIN_Q8_8) weight = DCC_WEIGHT_MIN_Q8_8;
    if (weight > DCC_WEIGHT_MAX_Q8_8) weight = DCC_WEIGHT_MAX_Q8_8;
    changed |= weight != state->weight_q8_8;
    state->weight_q8_8 = weight;
  }
  return changed;
}

static void write_command(struct qos_manager* manager, struct qos_command* command) {
  memset(command, 0, sizeof *command);
  command->begin = ++manager->commands;
  command->count = manager->tenant_count;
  for (uint32_t i = 0; i < manager->tenant_count; ++i) {
    command->entries[i].dscp = (uint16_t)manager->tenants[i].dscp;
    command->entries[i].weight_q8_8 = (uint16_t)manager->states[i].weight_q8_8;
  }
  command->end = command->begin;
}

int qos_manager_update(struct qos_manager* manager, struct qos_command* command) {
  uint64_t received[QOS_TENANTS_MAX];
  ++manager->updates;
  const int upheaval = gather(manager, received);
  if (upheaval) manager->hold = manager->parameters.hold_updates;
  smooth(manager, received, upheaval || manager->hold != 0);
  const int with_feedback = manager->hold == 0;
  if (manager->hold != 0) --manager->hold;
  measure_errors(manager);
  if (with_feedback) integrate(manager);
  if (!load_factors(manager, with_feedback)) return 0;
  write_command(manager, command);
  return 1;
}

/* --- agent: loads factors --- */

static int set_weight(struct dcc_controller* controller, struct nic* nic,
                      const struct qos_command_entry* entry) {
  if (controller != NULL) {
    return dcc_set_weight(controller, entry->dscp, entry->weight_q8_8) == DCC_OK;
  }
  return nic_set_weight(nic, entry->dscp, entry->weight_q8_8) == NIC_OK;
}

int qos_agent_apply(struct qos_agent* agent, struct dcc_controller* controller, struct nic* nic,
                    const struct qos_command* command) {
  const struct qos_command copy = *command;
  if (copy.begin != copy.end || copy.count > QOS_TENANTS_MAX) return 0;
  if ((int32_t)(copy.begin - agent->last_command) <= 0) return 0;
  agent->last_command = copy.begin;
  for (uint32_t i = 0; i < copy.count; ++i) {
    if (!set_weight(controller, nic, &copy.entries[i])) return -1;
  }
  return (int)copy.count;
}
