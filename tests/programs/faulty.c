/* A faulty program: its handler dereferences a null pointer at the second notification of a flow.
 * */
#include "program/dcc_program.h"

struct flow {
  uint32_t notified;
};

static uint32_t *where(uint32_t notified) {
  static uint32_t word;
  return notified < 2 ? &word : 0;
}

static void cut(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  dcc_set_rate(result, event->rate / 2);
  *(volatile uint32_t *)where(++flow->notified) = event->rate;
  dcc_trace("%s %u", (uint32_t) "cut of", event->rate >> 8);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .on_cnp = cut);
