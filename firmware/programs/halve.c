/* The shortest program: a notification halves the rate, and each 55 us without a notification add a
 * step. */
#include "program/dcc_program.h"

static const uint32_t kStep = 1000u << 8; /* increase of the rate, 1 Gb/s in 1/256 Mb/s */

static void cut(const struct dcc_event *event, void *context, struct dcc_result *result) {
  (void)context;
  dcc_set_rate(result, event->rate / 2 > kStep ? event->rate / 2 : kStep);
  dcc_start_timer(result, 0, 55000);
}

static void rise(const struct dcc_event *event, void *context, struct dcc_result *result) {
  (void)context;
  const int full = event->rate + kStep >= event->line_rate;
  dcc_set_rate(result, full ? event->line_rate : event->rate + kStep);
  if (!full) dcc_start_timer(result, 0, 55000);
}

DCC_PROGRAM(.on_cnp = cut, .on_timer = rise);
