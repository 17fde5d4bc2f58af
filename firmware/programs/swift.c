/* Swift (Kumar et al., SIGCOMM 2020, section 3) in fixed point: the rules of `algorithm: swift`.
 *
 * values: 0 base_target, 1 scaling_range (ns), 2 scaling_min, 3 scaling_max (1/1000 packet),
 * 4 additive_increase, 5 beta, 6 max_decrease (in 1/65536), 7 initial_window, 8 min_window,
 * 9 max_window (bytes). A value that is missing or 0 follows from base round trip and line
 * rate. */
#include "program/dcc_program.h"

struct flow {
  uint64_t window, most;  /* window and greatest window in 1/65536 bytes */
  uint64_t rtt;           /* smoothed round-trip time, in 1/256 ps */
  uint64_t base_target;   /* base target delay in ps */
  uint64_t last_decrease; /* time of the last decrease in ps; 0: no decrease yet */
  uint64_t scale, range;  /* flow scaling in ps: scale / sqrt(packets) - offset, at most range */
  uint32_t offset;        /* 1 / sqrt(scaling_max), in 2^-24 */
};

static uint32_t value(uint32_t index, uint32_t otherwise) {
  const uint32_t given = dcc_value(index, 0);
  return given ? given : otherwise;
}

/* Integer square root: the greatest number whose square is at most x. */
static uint32_t root(uint64_t x) {
  uint64_t result = 0;
  for (uint64_t bit = 1ull << 62; bit; bit >>= 2) {
    if (x >= result + bit) {
      x -= result + bit;
      result = (result >> 1) + bit;
    } else {
      result >>= 1;
    }
  }
  return (uint32_t)result;
}

/* Computes the rate in 1/256 Mb/s at which a window is sent in one round trip. */
static uint32_t pace(const struct flow *flow, uint32_t line) {
  const uint64_t rtt = flow->rtt >> 8;
  if (rtt == 0) return line;
  const uint64_t rate = flow->window * 31250u / rtt;
  return rate < line ? (uint32_t)rate : line;
}

/* Applies window or pace. A window below a packet becomes a pace: one packet in flight, the next
 * after a round trip divided by the window. The NIC sends while less than the window is in
 * flight, so the window has room for one packet. */
static void apply(const struct dcc_event *event, const struct flow *flow,
                  struct dcc_result *result) {
  const uint32_t bytes = (uint32_t)(flow->window >> 16);
  const int paced = bytes < event->mtu;
  dcc_set_rate(result, paced ? pace(flow, event->line_rate) : event->line_rate);
  dcc_set_window(result, paced ? 1 : bytes - event->mtu + 1);
}

static void start(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  const uint64_t base = event->base_rtt_ps;
  /* time of a full packet at line rate in ps */
  const uint64_t packet = event->mtu * 2048000000ull / event->line_rate;
  const uint64_t full = base * event->line_rate / 31250u;
  const uint64_t mtu = (uint64_t)event->mtu << 16;
  flow->rtt = base << 8;
  flow->base_target = value(0, (uint32_t)(2 * base / 1000)) * 1000ull;
  flow->range = value(1, (uint32_t)(10 * base / 1000)) * 1000ull;
  flow->offset = root((1000ull << 48) / value(3, 100000));
  flow->scale = (flow->range << 24) / (root((1000ull << 48) / value(2, 100)) - flow->offset);
  if (flow->base_target + flow->range < base + packet) flow->base_target = base + packet;
  flow->most = (uint64_t)dcc_value(9, 0) << 16;
  if (flow->most == 0) flow->most = 4 * full + mtu;
  flow->window = (uint64_t)dcc_value(7, 0) << 16;
  if (flow->window == 0) flow->window = full > mtu ? full : mtu;
  if (flow->window > flow->most) flow->window = flow->most;
  apply(event, flow, result);
}

/* Computes the target delay, at which the window stays constant. */
static uint64_t target(const struct flow *flow, uint32_t mtu) {
  /* Square root of 1/packets in 2^-48, from a division in two steps. */
  const uint64_t packet = (uint64_t)mtu << 48;
  const uint64_t whole = packet / flow->window, rest = packet % flow->window;
  const uint32_t inverse = root((whole << 16) + (rest << 16) / flow->window);
  if (inverse <= flow->offset) return flow->base_target;
  const uint64_t scaling = (flow->scale * (inverse - flow->offset)) >> 24;
  return flow->base_target + (scaling < flow->range ? scaling : flow->range);
}

static void acknowledged(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  const uint64_t mtu = (uint64_t)event->mtu << 16;
  const uint64_t before = flow->window;
  const uint64_t delay = event->rtt_ps;
  const uint64_t aim = target(flow, event->mtu);
  const uint64_t least = (uint64_t)value(8, 10) << 16;
  flow->rtt += (int64_t)((delay << 8) - flow->rtt) / 8;
  if (delay < aim) {
    const uint32_t step = value(4, 65536);
    /* increase of the window in 1/65536 bytes */
    const uint64_t more = (uint64_t)event->bytes * step;
    /* At one packet per round trip the window grows by mtu / window of the acknowledged bytes. */
    flow->window += before < mtu ? more : (more * event->mtu << 8) / (before >> 8);
  } else if (flow->last_decrease == 0 || (event->time_ps - flow->last_decrease) << 8 >= flow->rtt) {
    const uint64_t most = (uint64_t)value(6, 32768) << 8;
    /* decrease factor in 2^-24 */
    uint64_t share = ((uint64_t)value(5, 52429) << 8) * (delay - aim) / delay;
    if (share > most) share = most;
    flow->window -= (before * share) >> 24;
  }
  if (flow->window < least) flow->window = least;
  if (flow->window > flow->most) flow->window = flow->most;
  if (flow->window < before) flow->last_decrease = event->time_ps;
  /* A pace depends on the round trip, so the pace changes even if the window does not. */
  if (flow->window != before || flow->window < mtu) apply(event, flow, result);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .on_start = start, .on_ack = acknowledged);
