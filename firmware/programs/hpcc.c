/* HPCC (Li et al., SIGCOMM 2019, algorithm 1) in fixed point: the rules of `algorithm: hpcc`.
 * Windows are held as rates W/T.
 *
 * values: 0 eta (in 1/65536), 1 max_stage plus 1, 2 w_ai_rate, 3 r_min (Mb/s), 4 base_rtt (ns).
 * A value that is missing or 0 has the paper's default, or follows from base round trip and line
 * rate. */
#include "program/dcc_program.h"

enum { kOne = 1 << 24 }; /* fixed-point value of utilisation 1.0 */

struct link {
  uint64_t time_ps, tx_bytes;
  uint32_t queue;
};

struct flow {
  uint64_t period;             /* base round-trip time T of the paper in ps */
  uint32_t current, reference; /* W/T and Wc/T of the paper, 1/256 Mb/s */
  uint32_t u;
  uint32_t stage;
  uint32_t last_update;
  uint32_t hops;
  /* telemetry of the path's links at the last ACK, L of the paper */
  struct link links[DCC_MAX_HOPS];
};

static uint32_t value(uint32_t index, uint32_t otherwise) {
  const uint32_t given = dcc_value(index, 0);
  return given ? given : otherwise;
}

/* Data in 1/256 bytes that a rate sends in a time below 100 ms. */
static uint64_t sent_in(uint64_t ps, uint32_t rate) { return ps * rate / 8000000u; }

static void apply(const struct flow *flow, struct dcc_result *result) {
  dcc_set_rate(result, flow->current);
  dcc_set_window(result, (uint32_t)(sent_in(flow->period, flow->current) >> 8));
  dcc_show(result, flow->reference, flow->u >> 8);
}

static void start(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  flow->period = dcc_value(4, 0) ? dcc_value(4, 0) * 1000ull : event->base_rtt_ps;
  flow->current = flow->reference = event->initial_rate ? event->initial_rate : event->line_rate;
  flow->u = kOne;
  apply(flow, result);
}

/* Load of a link: bytes on the wire and in the queue, relative to the bandwidth-delay product. */
static uint64_t load_of(const struct flow *flow, const struct dcc_hop *hop, const struct link *last,
                        uint64_t elapsed) {
  uint64_t sent = hop->tx_bytes - last->tx_bytes;
  /* halves both values for a flow that was silent for long */
  for (; elapsed > 100000000000u; elapsed >>= 1) sent >>= 1;
  const uint32_t queue = hop->queue < last->queue ? hop->queue : last->queue;
  const uint64_t able = sent_in(elapsed, hop->rate);
  return (able ? (sent << 32) / able : 0) +
         ((uint64_t)queue << 32) / sent_in(flow->period, hop->rate);
}

/* Computes the utilisation, MeasureInflight of the paper. Returns 0 without earlier telemetry of
 * the same path. */
static int measure(struct flow *flow, const struct dcc_event *event) {
  const struct dcc_hop *const hops = dcc_hops();
  const int comparable = flow->hops == event->hops;
  uint64_t u = 0, tau = 0;
  for (uint32_t i = 0; i < event->hops; ++i) {
    struct link *const last = &flow->links[i];
    const uint64_t elapsed = hops[i].time_ps - last->time_ps;
    if (comparable && (int64_t)elapsed > 0) {
      const uint64_t load = load_of(flow, &hops[i], last, elapsed);
      if (load > u) {
        u = load;
        tau = elapsed;
      }
    }
    last->time_ps = hops[i].time_ps;
    last->tx_bytes = hops[i].tx_bytes;
    last->queue = hops[i].queue;
  }
  flow->hops = event->hops;
  if (!comparable) return 0;
  if (u > 0x7FFFFFFF) u = 0x7FFFFFFF;
  if (tau > flow->period) tau = flow->period;
  const uint32_t part = (uint32_t)((tau << 24) / flow->period);
  flow->u += (uint32_t)((((int64_t)u - (int64_t)flow->u) * part + kOne / 2) >> 24);
  return 1;
}

/* Computes the window, ComputeWind of the paper. */
static void compute(struct flow *flow, const struct dcc_event *event, int update) {
  const uint32_t eta = value(0, 62259) << 8; /* default eta 0.95 */
  const uint32_t step = dcc_value(2, 0) ? dcc_value(2, 0) << 8 : event->line_rate / 200;
  const uint32_t least = dcc_value(3, 0) ? dcc_value(3, 0) << 8 : event->line_rate / 1000;
  const int multiplicative = flow->u >= eta || flow->stage >= value(1, 6) - 1;
  uint64_t rate = flow->reference;
  if (multiplicative) rate = flow->u ? rate * eta / flow->u : event->line_rate;
  rate += step;
  if (rate < least) rate = least;
  if (rate > event->line_rate) rate = event->line_rate;
  flow->current = (uint32_t)rate;
  if (!update) return;
  flow->stage = multiplicative ? 0 : flow->stage + 1;
  flow->reference = flow->current;
}

/* Handles an ACK, NewAck of the paper. */
static void acknowledged(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (event->hops == 0) return;
  const uint32_t before = flow->current;
  const int comparable = measure(flow, event);
  const int update = (int32_t)(event->psn - flow->last_update) >= 0;
  if (comparable) compute(flow, event, update);
  if (update || !comparable) flow->last_update = event->next_psn;
  if (flow->current != before) apply(flow, result);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .flags = DCC_EACH_ACK | DCC_TELEMETRY,
            .on_start = start, .on_ack = acknowledged);
