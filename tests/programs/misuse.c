/* A program whose handlers misuse the program interface. Value 0 of its configuration selects the
 * kind of misuse. */
#include "program/dcc_program.h"

enum { kBehindContext, kIntoValues, kUnknownTimer, kTimerWithoutDelay, kBehindResult };

struct flow {
  uint32_t words[16];
};

static void begin(const struct dcc_event *event, void *context, struct dcc_result *result) {
  (void)context;
  (void)event;
  if (dcc_value(0, 0) == kTimerWithoutDelay) dcc_start_timer(result, 0, 0);
}

static void cut(const struct dcc_event *event, void *context, struct dcc_result *result) {
  volatile uint32_t *const words = context;
  const uint32_t way = dcc_value(0, 0);
  dcc_set_rate(result, event->rate / 2);
  switch (way) {
    case kBehindContext:
      words[16] = 0xFFFFFFFFu;
      break;
    case kIntoValues:
      for (uint32_t i = 0; i < (DCC_VALUES_ADDRESS - DCC_CONTEXT_ADDRESS) / 4u + 2u; ++i)
        words[i] = 3;
      break;
    case kUnknownTimer:
      dcc_start_timer(result, dcc_value(1, 5), 100);
      break;
    case kBehindResult:
      *(volatile uint8_t *)(result + 1) = 1;
      break;
    default:
      dcc_trace("value %u", way);
      break;
  }
}

static void expired(const struct dcc_event *event, void *context, struct dcc_result *result) {
  (void)event;
  (void)context;
  dcc_start_timer(result, 0, 0);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .on_start = begin, .on_cnp = cut,
            .on_timer = expired);
