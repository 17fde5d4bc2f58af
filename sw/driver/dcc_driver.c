#include "driver/dcc_driver.h"

#include "driver/dcc_regs.h"
#include "driver/dcc_tables.h"
#include "driver/register_access.h"

enum { kSupportedMajor = 1, kReadyTimeoutNs = 10 * 1000 * 1000, kSlotLooks = 8, DCC_LAW_MAX = 15 };

static const char* const kErrorText[DCC_ERRORS] = {
    [DCC_OK] = "no error",
    [DCC_ERROR_ID] = "no congestion controller at this address: register ID does not read DCC1",
    [DCC_ERROR_VERSION] = "the controller's register map has another major version than the driver",
    [DCC_ERROR_NOT_READY] = "the controller did not become ready after reset (STATUS.READY)",
    [DCC_ERROR_POLICY] =
        "unknown policy: not dcqcn (0), not proportional (1), no law from 2 to 15 with a curve",
    [DCC_ERROR_RATES] = "rates do not satisfy R_MIN <= R_MAX",
    [DCC_ERROR_FLAG] = "timer restart or byte counter is neither 0 nor 1",
    [DCC_ERROR_WEIGHT] = "a DSCP's weight is outside 1/16 to 255.996",
    [DCC_ERROR_CLASS_RATES] = "a DSCP's floor is above its ceiling, or its ceiling is 0",
    [DCC_ERROR_DSCP] = "there are 64 DSCPs, 0 to 63",
    [DCC_ERROR_SLOT] = "the controller has no slot of this number",
    [DCC_ERROR_SLOT_CHANGING] = "the slot changed at every look",
    [DCC_ERROR_READ_BACK] = "a parameter register does not read back what was written",
    [DCC_ERROR_LOCKED] = "what is to be written is locked until the block is reset (REGWEN)",
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a literal, and array designators take none */
#define SENTENCE(NAME, member, least, most, sentence) \
  [DCC_ERROR_OUTSIDE_RANGE + DCC_PARAMETER_##NAME] = sentence,
    DCC_FOR_EACH_PARAMETER(SENTENCE)
#undef SENTENCE
};

/* Table of the parameters with register, structure member and range. */
static const struct register_parameter kParameters[DCC_PARAMETER_REGISTERS] = {
#define ROW(NAME, member, least, most, sentence) \
  {DCC_##NAME##_OFFSET, offsetof(struct dcc_parameters, member), least, most},
    DCC_FOR_EACH_PARAMETER(ROW)
#undef ROW
};

const char* dcc_error_text(enum dcc_error error) {
  return (uint32_t)error < DCC_ERRORS ? kErrorText[error]
                                      : "unknown error of the controller's driver";
}

static uint32_t get(const struct dcc_controller* dcc, uint32_t offset) {
  return hal_read32(dcc->hal, dcc->base + offset);
}

static void put(const struct dcc_controller* dcc, uint32_t offset, uint32_t value) {
  hal_write32(dcc->hal, dcc->base + offset, value);
}

static enum dcc_error wait_until_ready(const struct dcc_controller* dcc) {
  return register_wait(dcc->hal, dcc->base + DCC_STATUS_OFFSET, DCC_STATUS_READY_MASK,
                       DCC_STATUS_READY_MASK, kReadyTimeoutNs)
             ? DCC_OK
             : DCC_ERROR_NOT_READY;
}

enum dcc_error dcc_probe(struct dcc_controller* dcc, const struct hal* hal, uint64_t base) {
  dcc->hal = hal;
  dcc->base = base;
  if (get(dcc, DCC_ID_OFFSET) != DCC_ID_RESET) return DCC_ERROR_ID;
  const uint32_t version = get(dcc, DCC_VERSION_OFFSET);
  if (FIELD_GET(DCC_VERSION_MAJOR, version) != kSupportedMajor) return DCC_ERROR_VERSION;
  dcc->version_minor = FIELD_GET(DCC_VERSION_MINOR, version);
  const uint32_t caps = get(dcc, DCC_CAPS_OFFSET);
  dcc->slots = 1u << FIELD_GET(DCC_CAPS_SLOTS_LOG2, caps);
  dcc->latency_cycles = FIELD_GET(DCC_CAPS_LATENCY, caps);
  dcc->locked = 0;
  return wait_until_ready(dcc);
}

uint32_t dcc_read_locks(struct dcc_controller* dcc) {
  dcc->locked = ~get(dcc, DCC_REGWEN_OFFSET) & DCC_REGWEN_RESET;
  return dcc->locked;
}

enum dcc_error dcc_lock(struct dcc_controller* dcc, uint32_t what) {
  put(dcc, DCC_REGWEN_OFFSET, ~what);
  return (dcc_read_locks(dcc) & what) == what ? DCC_OK : DCC_ERROR_READ_BACK;
}

static enum dcc_error check_class(const struct dcc_class* entitled) {
  if (entitled->weight_q8_8 < DCC_WEIGHT_MIN_Q8_8) return DCC_ERROR_WEIGHT;
  if (entitled->ceiling_q24_8 == 0) return DCC_ERROR_CLASS_RATES;
  if (entitled->floor_q24_8 > entitled->ceiling_q24_8) return DCC_ERROR_CLASS_RATES;
  return DCC_OK;
}

enum dcc_error dcc_check(const struct dcc_config* config) {
  /* Laws from 2 on describe their curve. The read-back shows whether the controller has the law. */
  if (dcc_law(config) > DCC_LAW_MAX) return DCC_ERROR_POLICY;
  if (config->policy > DCC_POLICY_PROPORTIONAL && config->curve == 0) return DCC_ERROR_POLICY;
  if (config->timer_restart > 1 || config->byte_counter > 1 || config->keep_target > 1) {
    return DCC_ERROR_FLAG;
  }
  const uint32_t outside =
      register_outside(kParameters, DCC_PARAMETER_REGISTERS, &config->parameters);
  if (outside < DCC_PARAMETER_REGISTERS) return (enum dcc_error)(DCC_ERROR_OUTSIDE_RANGE + outside);
  if (config->parameters.r_min > config->parameters.r_max) return DCC_ERROR_RATES;
  for (uint32_t dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    const enum dcc_error error = check_class(&config->classes[dscp]);
    if (error != DCC_OK) return error;
  }
  return DCC_OK;
}

static uint32_t control_word(const struct dcc_config* config) {
  const uint32_t law = dcc_law(config);
  const uint32_t by_marks =
      config->policy == DCC_POLICY_PROPORTIONAL || (config->curve & DCC_CURVE_BY_MARKS_MASK) != 0;
  return FIELD_PUT(DCC_CTRL_TIMER_RESTART, config->timer_restart) |
         FIELD_PUT(DCC_CTRL_LAW, law & 1u) | FIELD_PUT(DCC_CTRL_LAW_HIGH, law >> 1) |
         FIELD_PUT(DCC_CTRL_CUT_BY_MARKS, by_marks) |
         FIELD_PUT(DCC_CTRL_BYTE_COUNTER, config->byte_counter) |
         FIELD_PUT(DCC_CTRL_KEEP_TARGET, config->keep_target);
}

static enum dcc_error program_parameters(struct dcc_controller* dcc,
                                         const struct dcc_config* config) {
  put(dcc, DCC_CTRL_OFFSET, control_word(config));
  register_program(dcc->hal, dcc->base, kParameters, DCC_PARAMETER_REGISTERS, &config->parameters);
  return get(dcc, DCC_CTRL_OFFSET) == control_word(config) &&
                 register_reads_back(dcc->hal, dcc->base, kParameters, DCC_PARAMETER_REGISTERS,
                                     &config->parameters)
             ? DCC_OK
             : DCC_ERROR_READ_BACK;
}

static void program_class(struct dcc_controller* dcc, uint32_t dscp,
                          const struct dcc_class* entitled) {
  const struct dcc_factor factor = dcc_factor_of_weight(entitled->weight_q8_8);
  put(dcc, DCC_FACTOR_ENTRY_OFFSET(dscp),
      FIELD_PUT(DCC_FACTOR_F_INC, factor.f_inc_q8_8) |
          FIELD_PUT(DCC_FACTOR_F_DEC, factor.f_dec_q4_12));
  put(dcc, DCC_FLOOR_ENTRY_OFFSET(dscp), entitled->floor_q24_8);
  put(dcc, DCC_CEILING_ENTRY_OFFSET(dscp), entitled->ceiling_q24_8);
}

/* Programs the decay tables, which depend on G. */
static void program_decay(struct dcc_controller* dcc, uint32_t g) {
  for (uint32_t i = 0; i < DCC_DECAY_LO_ENTRIES; ++i) {
    put(dcc, DCC_DECAY_HI_ENTRY_OFFSET(i), dcc_decay_hi_entry(g, i));
    put(dcc, DCC_DECAY_LO_ENTRY_OFFSET(i), dcc_decay_lo_entry(g, i));
  }
}

enum dcc_error dcc_configure(struct dcc_controller* dcc, const struct dcc_config* config) {
  enum dcc_error error = dcc_check(config);
  if (error != DCC_OK) return error;
  if (dcc->locked != 0) return DCC_ERROR_LOCKED;
  dcc_disable(dcc);
  error = dcc_soft_reset(dcc);
  if (error != DCC_OK) return error;
  error = program_parameters(dcc, config);
  if (error != DCC_OK) return error;

  for (uint32_t dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    program_class(dcc, dscp, &config->classes[dscp]);
  }
  program_decay(dcc, config->parameters.g);
  for (uint32_t i = 0; i < DCC_DECREASE_ENTRIES; ++i) {
    put(dcc, DCC_DECREASE_ENTRY_OFFSET(i), dcc_decrease_entry_of(config, i));
  }
  return DCC_OK;
}

void dcc_enable(struct dcc_controller* dcc) {
  hal_barrier(dcc->hal);
  put(dcc, DCC_CTRL_OFFSET, get(dcc, DCC_CTRL_OFFSET) | DCC_CTRL_ENABLE_MASK);
}

void dcc_disable(struct dcc_controller* dcc) {
  put(dcc, DCC_CTRL_OFFSET, get(dcc, DCC_CTRL_OFFSET) & ~DCC_CTRL_ENABLE_MASK);
}

enum dcc_error dcc_soft_reset(struct dcc_controller* dcc) {
  if ((dcc->locked & DCC_REGWEN_CTRL_MASK) != 0) return DCC_ERROR_LOCKED;
  put(dcc, DCC_CTRL_OFFSET, get(dcc, DCC_CTRL_OFFSET) | DCC_CTRL_SOFT_RESET_MASK);
  return wait_until_ready(dcc);
}

enum dcc_error dcc_set_class(struct dcc_controller* dcc, uint32_t dscp,
                             const struct dcc_class* entitled) {
  if (dscp >= DCC_DSCPS) return DCC_ERROR_DSCP;
  const enum dcc_error error = check_class(entitled);
  if (error != DCC_OK) return error;
  if ((dcc->locked & DCC_REGWEN_TABLES_MASK) != 0) return DCC_ERROR_LOCKED;
  program_class(dcc, dscp, entitled);
  return DCC_OK;
}

enum dcc_error dcc_set_weight(struct dcc_controller* dcc, uint32_t dscp, uint32_t weight_q8_8) {
  if (dscp >= DCC_DSCPS) return DCC_ERROR_DSCP;
  if (weight_q8_8 < DCC_WEIGHT_MIN_Q8_8 || weight_q8_8 > DCC_WEIGHT_MAX_Q8_8) {
    return DCC_ERROR_WEIGHT;
  }
  if ((dcc->locked & DCC_REGWEN_TABLES_MASK) != 0) return DCC_ERROR_LOCKED;
  const struct dcc_factor factor = dcc_factor_of_weight(weight_q8_8);
  put(dcc, DCC_FACTOR_ENTRY_OFFSET(dscp),
      FIELD_PUT(DCC_FACTOR_F_INC, factor.f_inc_q8_8) |
          FIELD_PUT(DCC_FACTOR_F_DEC, factor.f_dec_q4_12));
  return DCC_OK;
}

static int same_class(const struct dcc_class* a, const struct dcc_class* b) {
  return a->weight_q8_8 == b->weight_q8_8 && a->floor_q24_8 == b->floor_q24_8 &&
         a->ceiling_q24_8 == b->ceiling_q24_8;
}

enum dcc_error dcc_retune(struct dcc_controller* dcc, const struct dcc_config* from,
                          const struct dcc_config* to) {
  const enum dcc_error error = dcc_check(to);
  if (error != DCC_OK) return error;
  if (from->policy != to->policy) return DCC_ERROR_POLICY;
  if (dcc->locked != 0) return DCC_ERROR_LOCKED;
  if (control_word(from) != control_word(to)) {
    const uint32_t running = get(dcc, DCC_CTRL_OFFSET) & DCC_CTRL_ENABLE_MASK;
    put(dcc, DCC_CTRL_OFFSET, control_word(to) | running);
  }
  for (uint32_t i = 0; i < DCC_PARAMETER_REGISTERS; ++i) {
    const uint32_t value = register_parameter_value(&kParameters[i], &to->parameters);
    if (value == register_parameter_value(&kParameters[i], &from->parameters)) continue;
    put(dcc, kParameters[i].offset, value);
    if (get(dcc, kParameters[i].offset) != value) return DCC_ERROR_READ_BACK;
  }
  for (uint32_t dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    const struct dcc_class* const entitled = &to->classes[dscp];
    if (!same_class(&from->classes[dscp], entitled)) program_class(dcc, dscp, entitled);
  }
  if (from->parameters.g != to->parameters.g) program_decay(dcc, to->parameters.g);
  return DCC_OK;
}

void dcc_read_statistics(struct dcc_controller* dcc, struct dcc_statistics* s) {
#define READ(NAME, member) \
  s->member = register_read64(dcc->hal, dcc->base + DCC_STAT_##NAME##_LO_OFFSET);
  DCC_FOR_EACH_STATISTIC(READ)
#undef READ
}

void dcc_read_state(struct dcc_controller* dcc, struct dcc_state* state) {
  const uint32_t status = get(dcc, DCC_STATUS_OFFSET);
  state->free_slots = get(dcc, DCC_FREE_SLOTS_OFFSET);
  state->time_ticks = get(dcc, DCC_TIME_OFFSET);
  state->timer_lag_ticks = get(dcc, DCC_TIMER_LAG_OFFSET);
  state->timer_lateness_max_ticks = get(dcc, DCC_TIMER_LATENESS_MAX_OFFSET);
  state->events_pending = get(dcc, DCC_EVENTS_PENDING_OFFSET);
  state->idle = FIELD_GET(DCC_STATUS_IDLE, status);
  state->overrun = FIELD_GET(DCC_STATUS_OVERRUN, status);
}

void dcc_read_memory_state(struct dcc_controller* dcc, struct dcc_memory_state* state) {
  state->fault = FIELD_GET(DCC_STATUS_FAULT, get(dcc, DCC_STATUS_OFFSET));
  state->memories = get(dcc, DCC_MEMORY_ERROR_OFFSET);
  state->errors = get(dcc, DCC_MEMORY_ERRORS_OFFSET);
  state->corrected = get(dcc, DCC_MEMORY_CORRECTED_OFFSET);
  state->word = get(dcc, DCC_MEMORY_WORD_OFFSET);
  state->lost = get(dcc, DCC_MEMORY_LOST_OFFSET);
}

enum { kSlotWords = DCC_SLOTS_STRIDE / 4 };

/* Reads the words of a slot into `words`; returns 1 if a word differs from the previous read. */
static int slot_words_changed(const struct dcc_controller* dcc, uint32_t slot,
                              uint32_t words[kSlotWords]) {
  int changed = 0;
  for (uint32_t i = 0; i < kSlotWords; ++i) {
    const uint32_t word = get(dcc, DCC_SLOTS_ENTRY_OFFSET(slot) + 4 * i);
    changed |= word != words[i];
    words[i] = word;
  }
  return changed;
}

enum dcc_error dcc_read_slot(struct dcc_controller* dcc, uint32_t slot, struct dcc_slot* content) {
  if (slot >= dcc->slots) return DCC_ERROR_SLOT;
  uint32_t words[kSlotWords] = {0};
  slot_words_changed(dcc, slot, words);
  int looks = 1;
  while (slot_words_changed(dcc, slot, words)) {
    if (++looks > kSlotLooks) return DCC_ERROR_SLOT_CHANGING;
  }
  const uint32_t flow = words[DCC_SLOTS_FLOW_WORD_OFFSET / 4];
  const uint32_t counts = words[DCC_SLOTS_COUNTS_WORD_OFFSET / 4];
  const uint32_t due = words[DCC_SLOTS_DUE_WORD_OFFSET / 4];
  content->valid = FIELD_GET(DCC_SLOTS_FLOW_VALID, flow);
  content->flow = FIELD_GET(DCC_SLOTS_FLOW_NUMBER, flow);
  content->rate_q24_8 = words[DCC_SLOTS_RATE_WORD_OFFSET / 4];
  content->target_q24_8 = words[DCC_SLOTS_TARGET_WORD_OFFSET / 4];
  content->alpha_q1_16 = FIELD_GET(DCC_SLOTS_ALPHA_VALUE, words[DCC_SLOTS_ALPHA_WORD_OFFSET / 4]);
  content->timer_count = FIELD_GET(DCC_SLOTS_COUNTS_T, counts);
  content->byte_count = FIELD_GET(DCC_SLOTS_COUNTS_BC, counts);
  content->dscp = FIELD_GET(DCC_SLOTS_COUNTS_DSCP, counts);
  content->length_bytes = words[DCC_SLOTS_LENGTH_WORD_OFFSET / 4];
  content->last_cut_tick = words[DCC_SLOTS_LATEST_WORD_OFFSET / 4];
  content->due_tick = FIELD_GET(DCC_SLOTS_DUE_TICK, due);
  content->due_epoch = FIELD_GET(DCC_SLOTS_DUE_EPOCH, due);
  content->pending = FIELD_GET(DCC_SLOTS_DUE_PENDING, due);
  return DCC_OK;
}

void dcc_enable_interrupts(struct dcc_controller* dcc, uint32_t causes) {
  put(dcc, DCC_IRQ_MASK_OFFSET, causes);
}

uint32_t dcc_take_interrupts(struct dcc_controller* dcc) {
  const uint32_t causes = get(dcc, DCC_IRQ_STATUS_OFFSET) & get(dcc, DCC_IRQ_MASK_OFFSET);
  if (causes != 0) put(dcc, DCC_IRQ_STATUS_OFFSET, causes);
  return causes;
}

void dcc_read_refused_access(struct dcc_controller* dcc, struct dcc_refused_access* access) {
  const uint32_t info = get(dcc, DCC_ERROR_INFO_OFFSET);
  access->address = FIELD_GET(DCC_ERROR_INFO_ADDRESS, info);
  access->code = FIELD_GET(DCC_ERROR_INFO_CODE, info);
  access->write = FIELD_GET(DCC_ERROR_INFO_WRITE, info);
}
