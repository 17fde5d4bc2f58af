/* The golden model as VPI system functions, for simulators without DPI. $dcc_golden_new(slots,
 * latency) returns a number that stands for the model in the other calls; $dcc_golden_pacer_new
 * does the same for a pacer. Arguments and results are those of dcc_golden.h. $dcc_golden_answer,
 * $dcc_golden_read, _slot and _pacer_outputs write to their last arguments. A result of -1 comes
 * with a message.
 *
 *   iverilog-vpi builds the module, vvp -M DIR -m dcc_golden_vpi loads it (see check.sh). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <vpi_user.h>

#include "dcc_golden.h"

enum { kMostModels = 64, kMostArguments = 6 };
static dcc_golden *models[kMostModels];
static dcc_golden_pacer *pacers[kMostModels];
static int known, known_pacers;

enum call {
  kNew,
  kCnp,
  kBytes,
  kRelease,
  kQuery,
  kWrite,
  kRead,
  kAnswer,
  kIrq,
  kSlotOf,
  kSlot,
  kPacerNew,
  kPacerPins,
  kPacerPost,
  kPacerRate,
  kPacerOutputs
};
static const struct {
  const char *name;
  int arguments;
} calls[] = {
    {"$dcc_golden_new", 2},          {"$dcc_golden_cnp", 6},        {"$dcc_golden_bytes", 5},
    {"$dcc_golden_release", 3},      {"$dcc_golden_query", 3},      {"$dcc_golden_write", 4},
    {"$dcc_golden_read", 4},         {"$dcc_golden_answer", 6},     {"$dcc_golden_irq", 2},
    {"$dcc_golden_slot_of", 3},      {"$dcc_golden_slot", 4},       {"$dcc_golden_pacer_new", 5},
    {"$dcc_golden_pacer_pins", 4},   {"$dcc_golden_pacer_post", 4}, {"$dcc_golden_pacer_rate", 5},
    {"$dcc_golden_pacer_outputs", 4}};

/* Returns the value of an argument of at most 64 bits. */
static uint64_t value_of(vpiHandle argument) {
  s_vpi_value value;
  value.format = vpiVectorVal;
  vpi_get_value(argument, &value);
  {
    uint64_t result = (uint32_t)value.value.vector[0].aval;
    if (vpi_get(vpiSize, argument) > 32)
      result |= (uint64_t)(uint32_t)value.value.vector[1].aval << 32;
    return result;
  }
}
static void set(vpiHandle argument, uint64_t number) {
  s_vpi_vecval words[2] = {{0, 0}, {0, 0}};
  s_vpi_value value;
  words[0].aval = (PLI_INT32)(uint32_t)number;
  words[1].aval = (PLI_INT32)(uint32_t)(number >> 32);
  value.format = vpiVectorVal;
  value.value.vector = words;
  vpi_put_value(argument, &value, NULL, vpiNoDelay);
}

static PLI_INT32 size_of_call(PLI_BYTE8 *data) {
  (void)data;
  return 32;
}

static int carry_out_of_pacer(enum call call, vpiHandle *argument, const uint64_t *v) {
  dcc_golden_pacer *p;
  uint32_t words[2] = {0, 0};
  int result;
  if (call == kPacerNew) {
    if (known_pacers == kMostModels) return -1;
    p = dcc_golden_pacer_new((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3],
                             (uint32_t)v[4]);
    pacers[known_pacers] = p;
    return p == NULL ? -1 : known_pacers++;
  }
  if (v[0] >= (uint64_t)known_pacers) return -1;
  p = pacers[v[0]];
  if (call == kPacerPins) return dcc_golden_pacer_pins(p, v[1], (uint32_t)v[2], (uint32_t)v[3]);
  if (call == kPacerPost) return dcc_golden_pacer_post(p, v[1], (uint32_t)v[2], (uint32_t)v[3]);
  if (call == kPacerRate)
    return dcc_golden_pacer_rate(p, v[1], (uint32_t)v[2], (uint32_t)v[3], (uint32_t)v[4]);
  result = dcc_golden_pacer_outputs(p, v[1], &words[0], &words[1]);
  if (result >= 0) {
    set(argument[2], words[0]);
    set(argument[3], words[1]);
  }
  return result;
}

static int carry_out(enum call call, vpiHandle *argument, const uint64_t *v) {
  dcc_golden *g;
  uint64_t when = 0;
  uint32_t words[3] = {0, 0, 0};
  int result = -1;
  if (call >= kPacerNew) return carry_out_of_pacer(call, argument, v);
  if (call == kNew) {
    if (known == kMostModels) return -1;
    models[known] = dcc_golden_new((uint32_t)v[0], (uint32_t)v[1]);
    return models[known] == NULL ? -1 : known++;
  }
  if (v[0] >= (uint64_t)known) return -1;
  g = models[v[0]];
  switch (call) {
    case kCnp:
      return dcc_golden_cnp(g, v[1], (uint32_t)v[2], (uint32_t)v[3], (uint32_t)v[4],
                            (uint32_t)v[5]);
    case kBytes:
      return dcc_golden_bytes(g, v[1], (uint32_t)v[2], (uint32_t)v[3], (uint32_t)v[4]);
    case kRelease:
      return dcc_golden_release(g, v[1], (uint32_t)v[2]);
    case kQuery:
      return dcc_golden_query(g, v[1], (uint32_t)v[2]);
    case kWrite:
      return dcc_golden_write(g, v[1], (uint32_t)v[2], (uint32_t)v[3]);
    case kIrq:
      return dcc_golden_irq(g, v[1]);
    case kSlotOf:
      return dcc_golden_slot_of(g, v[1], (uint32_t)v[2]);
    case kRead:
      result = dcc_golden_read(g, v[1], (uint32_t)v[2], &words[0]);
      if (result >= 0) set(argument[3], words[0]);
      return result;
    case kSlot:
      result = dcc_golden_slot(g, v[1], (uint32_t)v[2], &words[0]);
      if (result >= 0) set(argument[3], words[0]);
      return result;
    case kAnswer:
      result = dcc_golden_answer(g, v[1], &when, &words[0], &words[1], &words[2]);
      if (result == 1) {
        int i;
        set(argument[2], when);
        for (i = 0; i < 3; ++i) set(argument[3 + i], words[i]);
      }
      return result;
    default:
      break;
  }
  return result;
}

static PLI_INT32 call_golden(PLI_BYTE8 *data) {
  const enum call call = (enum call)((char *)data - (char *)NULL);
  vpiHandle self = vpi_handle(vpiSysTfCall, NULL), argument[kMostArguments], list;
  uint64_t values[kMostArguments] = {0};
  s_vpi_value out;
  int n = 0, result;
  list = vpi_iterate(vpiArgument, self);
  while (list != NULL && n < kMostArguments && (argument[n] = vpi_scan(list)) != NULL) {
    values[n] = value_of(argument[n]);
    ++n;
  }
  result = n == calls[call].arguments ? carry_out(call, argument, values) : -1;
  if (result == -1) {
    vpi_printf(
        "%s: %s\n", calls[call].name,
        n == calls[call].arguments ? dcc_golden_error() : "another number of arguments is needed");
    vpi_control(vpiFinish, 1);
  }
  out.format = vpiIntVal;
  out.value.integer = result;
  vpi_put_value(self, &out, NULL, vpiNoDelay);
  return 0;
}

static void register_calls(void) {
  size_t i;
  for (i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    s_vpi_systf_data tf;
    memset(&tf, 0, sizeof tf);
    tf.type = vpiSysFunc;
    tf.sysfunctype = vpiIntFunc;
    tf.tfname = (PLI_BYTE8 *)calls[i].name;
    tf.calltf = call_golden;
    tf.sizetf = size_of_call;
    tf.user_data = (PLI_BYTE8 *)NULL + i;
    vpi_register_systf(&tf);
  }
}

void (*vlog_startup_routines[])(void) = {register_calls, NULL};
