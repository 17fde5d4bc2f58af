/* TIMELY (Mittal et al., SIGCOMM 2015, algorithm 1) in fixed point: the rules of
 * `algorithm: timely` with `app_limit: 0` and `bursts: false`; a higher rate applies at once.
 *
 * values: 0 step (Mb/s), 1 t_low, 2 t_high, 3 min_rtt (ns), 4 segment (payload bytes, below 64
 * KiB), 5 ewma, 6 beta (in 1/65536), 7 r_min (Mb/s). A missing value follows from base round trip
 * and line rate. */
#include "program/dcc_program.h"

enum { kHaiAfter = 5, kHaiFactor = 5 };

struct flow {
  uint64_t last_rtt; /* last round-trip time in ps; 0: none yet */
  uint64_t t_low, t_high;
  int64_t diff;     /* smoothed difference of successive round trips, 1/65536 ps */
  uint32_t inverse; /* reciprocal of min_rtt, 2^48 / min_rtt */
  uint32_t sends;   /* bytes that a rate of 2^32/256 Mb/s sends in min_rtt */
  uint32_t rate;    /* current rate in 1/256 Mb/s */
  uint32_t step, least, segment;
  uint32_t acked;
  uint32_t rises;
};

static uint64_t time_value(uint32_t index, uint64_t otherwise) {
  const uint32_t ns = dcc_value(index, 0);
  return ns ? ns * 1000ull : otherwise;
}

static void start(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  const uint64_t base = event->base_rtt_ps ? event->base_rtt_ps : 1000000;
  const uint32_t share = dcc_value(0, 0) << 8;
  const uint32_t least = dcc_value(7, 0) << 8;
  uint64_t min_rtt = time_value(3, base);
  /* Within 100 ns to 2 ms the two products below fit 32 bits. */
  if (min_rtt < 100000) min_rtt = 100000;
  if (min_rtt > 2000000000u) min_rtt = 2000000000u;
  flow->t_low = time_value(1, base + base / 3);
  flow->t_high = time_value(2, 3 * base);
  flow->inverse = (uint32_t)((1ull << 48) / min_rtt);
  flow->sends = (uint32_t)((min_rtt << 24) / 8000000u);
  flow->step = share ? share : event->line_rate / 500;
  flow->least = least ? least : event->line_rate / 500;
  flow->segment = dcc_value(4, 16000);
  flow->rate = event->initial_rate ? event->initial_rate : event->line_rate;
  dcc_set_rate(result, flow->rate);
}

static uint32_t risen(struct flow *flow) {
  ++flow->rises;
  return flow->rate + (flow->rises > kHaiAfter ? kHaiFactor : 1u) * flow->step;
}
/* Returns rate (1 - share / 65536). */
static uint32_t cut(uint32_t rate, uint64_t share) {
  return share >= 65536 ? 0 : rate - (uint32_t)((rate * share) >> 16);
}

static uint32_t wanted_rate(struct flow *flow, uint64_t rtt) {
  const uint32_t beta = dcc_value(6, 52429); /* default beta 0.8 */
  if (rtt < flow->t_low) {
    flow->rises = 0;
    return flow->rate + flow->step;
  }
  if (rtt > flow->t_high) {
    flow->rises = 0;
    const uint32_t beyond = 65536u - (uint32_t)((flow->t_high << 16) / rtt);
    return cut(flow->rate, (uint64_t)beta * beyond >> 16);
  }
  if (flow->diff <= 0) return risen(flow);
  flow->rises = 0;
  /* The gradient is diff / min_rtt. */
  const uint64_t gradient = ((uint64_t)(flow->diff >> 16) * flow->inverse) >> 32;
  return cut(flow->rate, beta * gradient >> 16);
}

static void acknowledged(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  flow->acked += event->bytes;
  if (flow->acked < flow->segment && !(event->flags & DCC_LAST_OF_MESSAGE)) return;
  const uint32_t bytes = flow->acked;
  flow->acked = 0;
  const uint64_t last = flow->last_rtt;
  flow->last_rtt = event->rtt_ps;
  if (last == 0) return;

  int64_t newest = (int64_t)(event->rtt_ps - last);
  if (newest > 1000000000) newest = 1000000000;
  if (newest < -1000000000) newest = -1000000000;
  flow->diff += ((newest * 65536 - flow->diff) * (int32_t)dcc_value(5, 32768)) >> 16;
  const uint32_t rate = flow->rate;
  uint32_t wanted = wanted_rate(flow, event->rtt_ps);
  if (wanted < rate / 2) wanted = rate / 2;
  /* Completions within one min_rtt share one update of the rate. */
  const uint32_t round = (uint32_t)(((uint64_t)rate * flow->sends) >> 32);
  if (bytes < round && bytes < 65536) {
    const uint32_t share = (bytes << 16) / round;
    wanted = wanted > rate ? rate + (uint32_t)(((uint64_t)(wanted - rate) * share) >> 16)
                           : rate - (uint32_t)(((uint64_t)(rate - wanted) * share) >> 16);
  }
  if (wanted < flow->least) wanted = flow->least;
  if (wanted > event->line_rate) wanted = event->line_rate;
  if (wanted == rate) return;
  flow->rate = wanted;
  dcc_set_rate(result, wanted);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .flags = DCC_RTT_FROM_DUE, .on_start = start,
            .on_ack = acknowledged);
