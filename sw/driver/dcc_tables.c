#include "driver/dcc_tables.h"

/* Powers are taken in 0.32 with round half up: each product errs by at most 2^-33, and the chain of
 * squarings for an exponent n by at most n·2^-33. The greatest exponent is 64·63, so total
 * error is under 2^-21, so the rounding to 1.16 dominates. */
#define ONE_Q32 (UINT64_C(1) << 32)
#define ONE_Q16 65536u

static uint64_t multiply_q32(uint64_t a, uint64_t b) {
  if (a == ONE_Q32) return b;
  if (b == ONE_Q32) return a;
  return (a * b + (ONE_Q32 >> 1)) >> 32;
}

static uint64_t power_q32(uint64_t base, uint32_t exponent) {
  uint64_t result = ONE_Q32;
  while (exponent != 0) {
    if (exponent & 1u) result = multiply_q32(result, base);
    base = multiply_q32(base, base);
    exponent >>= 1;
  }
  return result;
}

static uint32_t to_q16(uint64_t q32) { return (uint32_t)((q32 + (1u << 15)) >> 16); }

uint32_t dcc_decrease_entry(enum dcc_policy policy, uint32_t i) {
  if (policy == DCC_POLICY_PROPORTIONAL) return i >= 64 ? 0 : ONE_Q16 - i * (ONE_Q16 / 64);
  return ONE_Q16 - i * (ONE_Q16 / 512);
}

void dcc_select_law(struct dcc_config* config, uint32_t law, uint32_t cut_by_marks,
                    uint32_t decrease_step) {
  config->curve = 0;
  if (law == DCC_CTRL_LAW_DCQCN) {
    config->policy = DCC_POLICY_DCQCN;
  } else if (law == DCC_CTRL_LAW_PROPORTIONAL) {
    config->policy = DCC_POLICY_PROPORTIONAL;
  } else {
    config->policy = law;
    config->curve =
        (decrease_step & DCC_CURVE_STEP_MASK) | (cut_by_marks ? DCC_CURVE_BY_MARKS_MASK : 0);
  }
}

uint32_t dcc_law(const struct dcc_config* config) {
  if (config->policy == DCC_POLICY_DCQCN) return DCC_CTRL_LAW_DCQCN;
  if (config->policy == DCC_POLICY_PROPORTIONAL) return DCC_CTRL_LAW_PROPORTIONAL;
  return config->policy;
}

uint32_t dcc_decrease_entry_of(const struct dcc_config* config, uint32_t i) {
  if (config->policy <= DCC_POLICY_PROPORTIONAL) {
    return dcc_decrease_entry((enum dcc_policy)config->policy, i);
  }
  /* the product is at most 256 * 2^17 */
  const uint32_t fall = i * (config->curve & DCC_CURVE_STEP_MASK);
  return fall < ONE_Q16 ? ONE_Q16 - fall : 0;
}

uint32_t dcc_decay(uint32_t g_q0_16, uint32_t n) {
  return to_q16(power_q32((uint64_t)(ONE_Q16 - g_q0_16) << 16, n));
}

uint32_t dcc_decay_hi_entry(uint32_t g_q0_16, uint32_t i) { return dcc_decay(g_q0_16, 64 * i); }
uint32_t dcc_decay_lo_entry(uint32_t g_q0_16, uint32_t i) { return dcc_decay(g_q0_16, i); }

struct dcc_factor dcc_factor_of_weight(uint32_t weight_q8_8) {
  struct dcc_factor factor;
  if (weight_q8_8 < DCC_WEIGHT_MIN_Q8_8) weight_q8_8 = DCC_WEIGHT_MIN_Q8_8;
  if (weight_q8_8 > DCC_WEIGHT_MAX_Q8_8) weight_q8_8 = DCC_WEIGHT_MAX_Q8_8;
  /* 1/w in 4.12 is 4096·256/w; for w = 1/16 the value is one above the greatest of the field. */
  uint32_t inverse = ((1u << 20) + weight_q8_8 / 2) / weight_q8_8;
  if (inverse > UINT16_MAX) inverse = UINT16_MAX;
  factor.f_inc_q8_8 = (uint16_t)weight_q8_8;
  factor.f_dec_q4_12 = (uint16_t)inverse;
  return factor;
}

uint32_t dcc_weight_unit(const struct dcc_weights* weights, uint64_t limit_q8_8) {
  uint64_t unit = 256;
  if (weights->sum != 0) {
    const uint64_t of_sum = limit_q8_8 * weights->least / weights->sum;
    if (of_sum < unit) unit = of_sum;
  }
  const uint64_t of_greatest = DCC_SCALED_WEIGHT_MAX_Q8_8 * weights->least / weights->greatest;
  if (of_greatest < unit) unit = of_greatest;
  return unit < DCC_WEIGHT_MIN_Q8_8 ? DCC_WEIGHT_MIN_Q8_8 : (uint32_t)unit;
}

uint32_t dcc_scaled_weight(uint64_t weight, const struct dcc_weights* weights, uint32_t unit_q8_8) {
  const uint64_t scaled = (weight * unit_q8_8 + weights->least / 2) / weights->least;
  if (scaled < DCC_WEIGHT_MIN_Q8_8) return DCC_WEIGHT_MIN_Q8_8;
  return scaled > DCC_WEIGHT_MAX_Q8_8 ? DCC_WEIGHT_MAX_Q8_8 : (uint32_t)scaled;
}

void dcc_classes_equal(struct dcc_class classes[DCC_DSCPS]) {
  for (uint32_t dscp = 0; dscp < DCC_DSCPS; ++dscp)
    classes[dscp] = dcc_class_of(256, 0, UINT32_MAX);
}

struct dcc_class dcc_class_of(uint32_t weight_q8_8, uint32_t floor_q24_8, uint32_t ceiling_q24_8) {
  struct dcc_class entitled = {0};
  if (weight_q8_8 < DCC_WEIGHT_MIN_Q8_8) weight_q8_8 = DCC_WEIGHT_MIN_Q8_8;
  if (weight_q8_8 > DCC_WEIGHT_MAX_Q8_8) weight_q8_8 = DCC_WEIGHT_MAX_Q8_8;
  entitled.weight_q8_8 = (uint16_t)weight_q8_8;
  entitled.floor_q24_8 = floor_q24_8;
  entitled.ceiling_q24_8 = ceiling_q24_8;
  return entitled;
}

struct dcc_class dcc_class_of_rank(uint32_t rank) {
  if (rank >= DCC_RANKS) rank = DCC_RANKS - 1;
  return dcc_class_of((uint32_t)DCC_WEIGHT_MIN_Q8_8 << (4 * rank), 0, UINT32_MAX);
}

void dcc_tables_generate(struct dcc_tables* tables, const struct dcc_config* config) {
  for (uint32_t dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    tables->factor[dscp] = dcc_factor_of_weight(config->classes[dscp].weight_q8_8);
    tables->floor[dscp] = config->classes[dscp].floor_q24_8;
    tables->ceiling[dscp] = config->classes[dscp].ceiling_q24_8;
  }
  for (uint32_t i = 0; i < DCC_DECAY_LO_ENTRIES; ++i) {
    tables->decay_hi[i] = dcc_decay_hi_entry(config->parameters.g, i);
    tables->decay_lo[i] = dcc_decay_lo_entry(config->parameters.g, i);
  }
  for (uint32_t i = 0; i < DCC_DECREASE_ENTRIES; ++i) {
    tables->decrease[i] = dcc_decrease_entry_of(config, i);
  }
}
