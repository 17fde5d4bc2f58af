/* DCQCN (Zhu et al., SIGCOMM 2015, section 3) in integers: the rules of `algorithm: dcqcn`.
 *
 * values: 0 r_ai, 1 r_hai, 2 r_min (Mb/s), 3 increase timer, 4 alpha timer, 5 decrease period (ns),
 * 6 byte counter (bytes, 0: off), 7 F, 8 gain g in 1/65536. */
#include "program/dcc_program.h"

enum { kAlpha, kIncrease };

struct flow {
  uint64_t last_cut;        /* time of the last cut in ps */
  uint32_t current, target; /* current and target rate in 1/256 Mb/s */
  uint32_t alpha;           /* congestion estimate alpha; 2^30 stands for 1 */
  uint32_t timer_events, byte_events;
  uint8_t controlled; /* 1 from a notification until the rate is back at the maximum */
  uint8_t notified;   /* 1: a notification arrived too early for a cut */
};
static const uint32_t kOne = 1u << 30;

static uint32_t alpha_delay(void) { return dcc_value(4, 55000); }
static uint32_t increase_delay(void) { return dcc_value(3, 55000); }

/* Returns alpha (1 - g), rounded to nearest. */
static uint32_t decayed(uint32_t alpha) {
  return alpha - (uint32_t)(((uint64_t)alpha * dcc_value(8, 256) + 0x8000) >> 16);
}
static uint32_t grown(uint32_t alpha) { return decayed(alpha) + (dcc_value(8, 256) << 14); }

static void answer(const struct flow *flow, struct dcc_result *result) {
  dcc_set_rate(result, flow->current);
  dcc_show(result, flow->target, flow->alpha >> 14);
}

static void start(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  flow->current = flow->target = event->initial_rate ? event->initial_rate : event->line_rate;
  flow->alpha = kOne;
  answer(flow, result);
}

static void notification(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (event->marks == 0) return; /* a notification without marks changes nothing */
  if (flow->controlled && event->time_ps - flow->last_cut < dcc_value(5, 0) * 1000ull) {
    flow->notified = 1;
    return;
  }
  const uint32_t least = dcc_value(2, 40) << 8;
  const uint32_t bytes = dcc_value(6, 10000000);
  flow->controlled = 1;
  flow->last_cut = event->time_ps;
  flow->target = flow->current;
  flow->current -= (uint32_t)(((uint64_t)flow->current * flow->alpha + kOne) >> 31);
  if (flow->current < least) flow->current = least;
  flow->alpha = grown(flow->alpha);
  flow->timer_events = flow->byte_events = 0;
  flow->notified = 0;
  dcc_count_sent(result, bytes ? bytes : DCC_NO_SENT);
  dcc_start_timer(result, kAlpha, alpha_delay());
  dcc_start_timer(result, kIncrease, increase_delay());
  answer(flow, result);
}

/* Increases the rates. Both counters beyond F: hyper increase; neither: fast recovery; one:
 * additive. */
static void increase(struct flow *flow, uint32_t most, struct dcc_result *result) {
  const uint32_t f = dcc_value(7, 5);
  const uint32_t high =
      flow->timer_events > flow->byte_events ? flow->timer_events : flow->byte_events;
  const uint32_t low = flow->timer_events ^ flow->byte_events ^ high;
  if (high >= f) {
    flow->target += dcc_value(low > f ? 1 : 0, 40) << 8;
    if (flow->target > most) flow->target = most;
  }
  flow->current = (flow->target + flow->current) / 2;
  if (flow->current > most) flow->current = most;
  /* Integer halving of the distance stops one step below the target, so this step is added. */
  if (flow->target - flow->current == 1) flow->current = flow->target;
  answer(flow, result);
}

static void sent(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (!flow->controlled) return;
  ++flow->byte_events;
  increase(flow, event->line_rate, result);
}

static void timer(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (event->timer == kAlpha) {
    flow->alpha = flow->notified ? grown(flow->alpha) : decayed(flow->alpha);
    flow->notified = 0;
    dcc_start_timer(result, kAlpha, alpha_delay());
    dcc_show(result, flow->target, flow->alpha >> 14);
    return;
  }
  ++flow->timer_events;
  increase(flow, event->line_rate, result);
  if (flow->current >= event->line_rate) {
    flow->controlled = 0; /* no timer runs until the next notification */
    flow->alpha = kOne;
    dcc_stop_timer(result, kAlpha);
    dcc_count_sent(result, DCC_NO_SENT);
    return;
  }
  dcc_start_timer(result, kIncrease, increase_delay());
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .sent_bytes = DCC_NO_SENT, .on_start = start,
            .on_cnp = notification, .on_sent = sent, .on_timer = timer);
