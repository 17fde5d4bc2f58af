/* DCQCN as the hardware block calculates it (`algorithm: dcc`, `policy: dcqcn`), in the block's
 * formats and with its roundings (docs/formats.md). Time counts in ticks of 1 us.
 *
 * values: 0 r_ai, 1 r_hai, 2 r_min, 3 r_max, 4 initial rate (1/256 Mb/s), 5 g, 6 mi, 7 initial
 * alpha, 8 first_cut, 9 cut_floor (1/65536), 10 increase timer, 11 alpha timer, 12 decrease period
 * (us), 13 byte counter (bytes, 0: off), 14 F, plus 256 for `clamp_target: after_timer`, plus 512
 * for `timer_restart: false`. From 15 on three values for each DSCP that differs from the others:
 * dscp * 65536 + weight (1/256), least rate, greatest rate (1/256 Mb/s). */
#include "program/dcc_program.h"

enum {
  kOne = 65536, /* fixed-point value of 1 for fractions */
  kClasses = 15,
  kMaxTicks = 0xFFFFF, /* longer times count as this number of ticks */
  kKeepTarget = 256,
  kNoRestart = 512
};

struct flow {
  uint32_t rc, rt;   /* current and target rate, 1/256 Mb/s */
  uint32_t alpha;    /* congestion estimate at the last cut, 1/65536 */
  uint32_t last_cut; /* tick of the flow's last cut */
  uint32_t due;      /* tick at which the interval of the increase timer ends */
  uint8_t timer_events, byte_events;
  uint8_t bound; /* 1 from a notification until the rate is back at the maximum */
};

struct limits {
  uint32_t weight; /* weight of the flow's DSCP in 1/256 */
  uint32_t least, most;
};

static struct limits limits_of(const struct dcc_event *event) {
  struct limits is = {256, 0, 0xFFFFFFFFu};
  for (uint32_t index = kClasses; index + 2 < DCC_MAX_VALUES; index += 3) {
    const uint32_t one = dcc_value(index, 0xFFFFFFFFu);
    if (one == 0xFFFFFFFFu) break;
    if (one >> 16 != event->dscp) continue;
    is.weight = one & 0xFFFFu;
    if (is.weight < 16) is.weight = 16;
    is.least = dcc_value(index + 1, 0);
    is.most = dcc_value(index + 2, 0xFFFFFFFFu);
    break;
  }
  const uint32_t r_min = dcc_value(2, 40u << 8), r_max = dcc_value(3, event->line_rate);
  if (is.least < r_min) is.least = r_min;
  if (is.most > r_max) is.most = r_max;
  if (is.most < is.least) is.most = is.least;
  return is;
}
static uint32_t limited(uint64_t rate, const struct limits *limits) {
  if (rate < limits->least) return limits->least;
  return rate < limits->most ? (uint32_t)rate : limits->most;
}

static uint32_t now_us(const struct dcc_event *event) {
  return (uint32_t)(event->time_ps / 1000000u);
}
static uint8_t counted(uint8_t count) { return count < 255 ? (uint8_t)(count + 1) : 255; }

/* Product of a number and a fraction, rounded half up. */
static uint64_t times(uint64_t number, uint32_t fraction) {
  return (number * fraction + kOne / 2) >> 16;
}

/* (1 - g)^n in 1/65536, of powers in 2^-32 that are each rounded to nearest. */
static uint32_t power(uint32_t n) {
  const uint32_t g = dcc_value(5, 256);
  if (n == 0 || g == 0) return kOne;
  uint32_t base = (kOne - g) << 16, product = 0; /* product 0 stands for 1 */
  for (;;) {
    if (n & 1) {
      product = product == 0 ? base : (uint32_t)(((uint64_t)product * base + 0x80000000u) >> 32);
      if (product == 0) return 0;
    }
    n >>= 1;
    if (n == 0) return (uint32_t)(((uint64_t)product + kOne / 2) >> 16);
    base = (uint32_t)(((uint64_t)base * base + 0x80000000u) >> 32);
    if (base == 0) return 0;
  }
}

/* Alpha after the decays of the ticks since the last cut. */
static uint32_t decayed(uint32_t alpha, uint32_t ticks) {
  const uint32_t interval = dcc_value(11, 55);
  uint32_t n = ticks / interval;
  if (interval == 1 && n != 0)
    --n; /* the block's reciprocal of one tick counts one decay too few, so n is reduced */
  if (n > 4095) n = 4095;
  return (uint32_t)times(times(alpha, power(n & ~63u)), power(n & 63u));
}

/* Starts the increase timer, which expires at the begin of a tick. */
static void start_timer(const struct dcc_event *event, uint32_t ticks, struct dcc_result *result) {
  const uint32_t into_ps = (uint32_t)event->time_ps - now_us(event) * 1000000u;
  dcc_start_timer(result, 0, (ticks < 2 ? 2 : ticks) * 1000u - into_ps / 1000u);
}
static void start_interval(struct flow *flow, const struct dcc_event *event,
                           struct dcc_result *result) {
  const uint32_t interval = dcc_value(10, 55);
  flow->due = now_us(event) + interval;
  start_timer(event, interval, result);
}

static void answer(const struct flow *flow, uint32_t before, struct dcc_result *result) {
  if (flow->rc != before) dcc_set_rate(result, flow->rc);
  dcc_show(result, flow->rt, flow->alpha);
}

static void cut(struct flow *flow, const struct dcc_event *event, uint32_t ticks, int first) {
  const struct limits limits = limits_of(event);
  if (first) flow->rc = flow->rt = flow->rc < limits.most ? flow->rc : limits.most;
  const uint32_t alpha = decayed(flow->alpha, ticks);
  /* factor of a cut for the weight of the class, in 1/4096 */
  uint32_t factor = ((1u << 20) + limits.weight / 2) / limits.weight;
  if (factor > 0xFFFF) factor = 0xFFFF;
  const uint64_t share = (uint64_t)alpha * factor >> 12;
  uint32_t keeps = kOne - (share < kOne ? (uint32_t)share : kOne) / 2;
  if (keeps < dcc_value(9, 0)) keeps = dcc_value(9, 0);
  if (first && dcc_value(8, 0) != 0) keeps = dcc_value(8, 0);
  const int keep_target = (dcc_value(14, 5) & kKeepTarget) != 0;
  if (first || flow->timer_events != 0 || !keep_target) flow->rt = flow->rc;
  flow->rc = limited((uint64_t)flow->rc * keeps >> 16, &limits);
  flow->alpha = alpha + (uint32_t)times(kOne - alpha, dcc_value(5, 256));
  flow->timer_events = flow->byte_events = 0;
}

static void notification(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (event->marks == 0) return; /* a notification without marks changes nothing */
  const int first = !flow->bound;
  uint32_t ticks = 0;
  if (first) {
    const uint32_t r_max = dcc_value(3, event->line_rate);
    flow->rc = dcc_value(4, r_max < event->line_rate ? r_max : event->line_rate);
    flow->alpha = dcc_value(7, kOne);
    if (flow->alpha > kOne) flow->alpha = kOne;
    flow->bound = 1;
    start_interval(flow, event, result);
  } else {
    ticks = now_us(event) - flow->last_cut;
    if (ticks > kMaxTicks) ticks = kMaxTicks;
    if (ticks < dcc_value(12, 0)) return;
    /* The running timer finds the new end of its interval when it expires. */
    if (!(dcc_value(14, 5) & kNoRestart)) flow->due = now_us(event) + dcc_value(10, 55);
  }
  const uint32_t before = flow->rc;
  cut(flow, event, ticks, first);
  flow->last_cut = now_us(event);
  const uint32_t bytes = dcc_value(13, 10000000);
  dcc_count_sent(result, bytes ? bytes : DCC_NO_SENT);
  answer(flow, before, result);
  if (first) dcc_set_rate(result, flow->rc);
}

/* Increases the rates. Both counts beyond F: hyper increase; none at F: recovery; else additive.
 * Returns 1 if the rate has reached its maximum. */
static int increase(struct flow *flow, const struct dcc_event *event, struct dcc_result *result) {
  const struct limits limits = limits_of(event);
  const uint32_t f = dcc_value(14, 5) & 0xFFu;
  const uint32_t t = flow->timer_events, b = flow->byte_events;
  const uint32_t before = flow->rc;
  uint64_t target = flow->rt;
  if (t >= f || b >= f) {
    const uint64_t step = dcc_value(t > f && b > f ? 1 : 0, 40u << 8);
    target += ((step * limits.weight + 128) >> 8) + times(flow->rt, dcc_value(6, 0));
  }
  flow->rt = target < limits.most ? (uint32_t)target : limits.most;
  flow->rc = limited(((uint64_t)flow->rc + flow->rt + 1) / 2, &limits);
  answer(flow, before, result);
  return flow->rc == limits.most;
}

static void sent(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (!flow->bound) return;
  flow->byte_events = counted(flow->byte_events);
  increase(flow, event, result);
}

static void timer(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  const int32_t left = (int32_t)(flow->due - now_us(event));
  if (left > 0) { /* a cut has put off the end of the timer's interval */
    start_timer(event, (uint32_t)left, result);
    return;
  }
  flow->timer_events = counted(flow->timer_events);
  if (!increase(flow, event, result)) {
    start_interval(flow, event, result);
    return;
  }
  flow->bound = 0;
  dcc_count_sent(result, DCC_NO_SENT);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .sent_bytes = DCC_NO_SENT, .on_cnp = notification,
            .on_sent = sent, .on_timer = timer);
