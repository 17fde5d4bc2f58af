/* Additive increase and multiplicative decrease on a window: an acknowledgement without a mark adds
 * a share of a packet, the first marked acknowledgement in a round trip halves the window. */
#include "program/dcc_program.h"

struct flow {
  uint32_t window; /* window in bytes */
  uint32_t until;  /* number of the packet whose acknowledgement ends the round trip of a cut */
  uint32_t cuts;
};

static void start(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  flow->window = 64 * event->mtu;
  dcc_set_window(result, flow->window);
}

static void acknowledged(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (event->marks == 0) {
    flow->window += event->bytes * event->mtu / flow->window;
  } else if ((int32_t)(event->psn - flow->until) >= 0) {
    flow->until = event->next_psn;
    flow->window = flow->window / 2 > event->mtu ? flow->window / 2 : event->mtu;
    if (++flow->cuts <= 3) dcc_trace("cut %u to %u bytes", flow->cuts, flow->window);
  }
  dcc_set_window(result, flow->window);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .flags = DCC_EACH_ACK | DCC_MARKS,
            .on_start = start, .on_ack = acknowledged);
