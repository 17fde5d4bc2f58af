/* The proportional law of `algorithm: dcc` (docs/differentiation.md, "The rules") in integers:
 * bandwidth follows the weights of the DSCPs, by counts of marked and of unmarked packets.
 *
 * values: 0 r_ai, 1 r_hai, 2 r_min, 3 r_max (1/256 Mb/s), 4 g, 5 first_cut (1/65536), 6 brisk,
 * 7 mark_shift, 8 factor of a cut (1/4096), 9 timer interval, 10 decrease period (us), 11 silence,
 * 12 initial rate (1/256 Mb/s), 13 least factor of a cut (1/65536); 14, 15: another factor for a
 * DSCP, as dscp * 65536 + factor. A class of weight w has the factor 4096 / w. */
#include "program/dcc_program.h"

enum {
  kPacket = 256,      /* value of one packet in `account` */
  kOnTheWay = 8,      /* greatest number of marks in flight at any rate */
  kMaxHold = 160,     /* greatest length of a hold in intervals */
  kMaxTicks = 0xFFFFF /* longer times count as this number of ticks */
};

struct flow {
  uint32_t rc, rt;   /* current and target rate, 1/256 Mb/s */
  uint32_t last_cut; /* time of the last cut in us */
  int32_t account;   /* packets sent since the last increase minus G per marked packet; 1/256 */
  uint32_t sent;     /* number of packets that the flow sent since the last notification */
  uint8_t bound;     /* 1 from a notification until the rate is back at the maximum */
  uint8_t hold;      /* number of intervals of the hold so far; 0: no hold */
  uint8_t fast;      /* remaining intervals with a packet of the fast phase */
  uint8_t silent;    /* number of intervals without a packet */
  uint8_t marks;     /* number of marks since the hold began */
  uint8_t promised;  /* 1, in a hold: the receiver will send a notification without marks */
};

static uint32_t r_hai(void) { return dcc_value(1, 140800); }
static uint32_t r_min(void) { return dcc_value(2, 1280); }
static uint32_t r_max(const struct dcc_event *event) {
  const uint32_t most = dcc_value(3, event->line_rate + event->line_rate / 4);
  return most > r_min() ? most : r_min();
}
static uint32_t interval(void) { return dcc_value(9, 14); }
static uint32_t factor(uint32_t dscp) {
  for (uint32_t index = 14; index < 16; ++index) {
    const uint32_t one = dcc_value(index, 0xFFFFFFFFu);
    if (one >> 16 == dscp) return one & 0xFFFFu;
  }
  return dcc_value(8, 4096);
}

static uint32_t now_us(const struct dcc_event *event) {
  return (uint32_t)(event->time_ps / 1000000u);
}
static uint32_t since_cut(const struct flow *flow, const struct dcc_event *event) {
  const uint32_t ticks = now_us(event) - flow->last_cut;
  return ticks < kMaxTicks ? ticks : kMaxTicks;
}
static uint8_t counted(uint32_t count) { return count < 255 ? (uint8_t)count : 255; }

static uint32_t limited(uint64_t rate, const struct dcc_event *event) {
  if (rate < r_min()) return r_min();
  return rate < r_max(event) ? (uint32_t)rate : r_max(event);
}
/* Part of a step or a lasting cut that is used at this target: below 512 Mb/s in proportion to the
 * target, by the four highest bits of the target, but never less than 1/128. */
static uint64_t part(uint64_t step, uint32_t target) {
  if (target >> 17) return step;
  uint32_t shift = 0;
  while (shift < 6 && target >> (16 - shift) == 0) ++shift;
  const uint32_t sixteenths = target >> (13 - shift);
  return step * (sixteenths < 8 ? 8 : sixteenths) >> (4 + shift);
}

static void add(struct flow *flow, int32_t difference) {
  const int32_t most = (1 << 27) - 1;
  int32_t sum = flow->account + difference;
  if (sum > most) sum = most;
  if (sum < -most - 1) sum = -most - 1;
  flow->account = sum;
}

/* Cuts a flow's rates. At a first cut the current rate falls to the share FIRST_CUT and the target
 * is halved; else the current rate falls by the marks, and the target by a part of that fall. */
static void cut(struct flow *flow, const struct dcc_event *event, uint32_t marks, int first) {
  const uint32_t first_cut = first ? dcc_value(5, 2341) : 0;
  uint64_t argument = ((uint64_t)marks << dcc_value(7, 10)) * factor(event->dscp) >> 12;
  if (argument > 65536) argument = 65536;
  /* Marks of 16 packets and more reduce the rate to 0. */
  uint32_t keeps = argument < 16384 ? 65536u - 4u * (uint32_t)argument : 0;
  if (keeps < dcc_value(13, 0)) keeps = dcc_value(13, 0);
  if (first_cut) keeps = first_cut;
  const uint32_t left = (uint32_t)((uint64_t)flow->rc * keeps >> 16);
  uint64_t taken = flow->rc - left;
  if (keeps == 0) {
    /* More marks count for the target: twice as many below 256, four times below 128 Mb/s. */
    const uint64_t most = 16384u << (flow->rt >> 16 ? 0 : flow->rt >> 15 ? 1 : 2);
    if (argument < 16384) argument = 16384;
    if (argument > most) argument = most;
    taken = flow->rc * argument >> 14;
    if (taken > 0xFFFFFFFFu) taken = 0xFFFFFFFFu;
  }
  const uint32_t lasting = first_cut ? flow->rt >> 1 : (uint32_t)(part(taken, flow->rt) >> 2);
  flow->rc = limited(left, event);
  flow->rt = lasting < flow->rt ? flow->rt - lasting : 0;
  if (flow->rt < r_min()) flow->rt = r_min();
}

/* Increases a flow's rates. Returns 1 if the rate has reached its maximum. */
static int increase(struct flow *flow, const struct dcc_event *event, uint32_t packets) {
  uint64_t step = (uint64_t)dcc_value(0, 3507) * packets;
  if (step > 0xFFFFFFFFu) step = 0xFFFFFFFFu;
  const uint64_t target = flow->rt + part(step, flow->rt);
  flow->rt = target < r_max(event) ? (uint32_t)target : r_max(event);
  flow->rc = limited(flow->rt, event);
  return flow->rc == r_max(event);
}

static void hold_step(struct flow *flow, const struct dcc_event *event) {
  flow->rc = flow->rt;
  cut(flow, event, 0, 1);
}
static void end_hold(struct flow *flow) {
  flow->hold = 0;
  flow->fast = (uint8_t)dcc_value(6, 95);
  flow->silent = 0;
  flow->sent = 0;
  flow->account = 0;
}

static void answer(const struct flow *flow, uint32_t before, struct dcc_result *result) {
  if (flow->rc != before) dcc_set_rate(result, flow->rc);
  dcc_show(result, flow->rt, 0);
}

/* True if the marks count more packets than the flow sends in four intervals. */
static int swamped(const struct flow *flow) {
  const int32_t owed = -flow->account / kPacket - kOnTheWay;
  return owed > 0 && (uint64_t)owed * r_hai() > 4ull * flow->rt;
}

static void marked(struct flow *flow, const struct dcc_event *event, int first) {
  const uint32_t marks = counted(event->marks), packets = counted(event->packets);
  if (flow->hold) {
    if (packets <= marks) {
      flow->marks = counted(flow->marks + marks);
      return;
    }
    end_hold(flow);
    flow->rc = flow->rt;
    return;
  }
  /* The receiver's count of packets, if the notification has one, replaces the sender's count. */
  if (packets != 0 && packets != 255) add(flow, kPacket * ((int32_t)packets - (int32_t)flow->sent));
  add(flow, -(int32_t)(marks * dcc_value(4, 52429) >> 8));
  flow->sent = 0;
  const int may_hold = dcc_value(5, 2341) != 0;
  if (!first || !may_hold) cut(flow, event, counted(marks << (flow->fast ? 2 : 0)), first);
  if (may_hold && (first || swamped(flow))) {
    flow->hold = 1;
    flow->fast = 0;
    flow->marks = 0;
    flow->promised = first && packets == marks;
    flow->account = 0;
    hold_step(flow, event);
  }
}

static void notification(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  const int first = !flow->bound;
  if (first) {
    if (event->marks == 0) return;
    const uint32_t most = r_max(event), begin = dcc_value(12, event->line_rate);
    *flow = (struct flow){.rc = begin < most ? begin : most, .bound = 1};
    flow->rt = flow->rc;
    dcc_start_timer(result, 0, interval() * 1000u);
  }
  const uint32_t before = flow->rc;
  if (event->marks == 0) { /* the first unmarked packet after marks */
    if (!flow->hold) return;
    end_hold(flow);
    flow->rc = flow->rt;
    answer(flow, before, result);
    return;
  }
  /* The packets with these marks were sent before the last cut. */
  if (!first && flow->hold == 1 && since_cut(flow, event) < dcc_value(10, 5)) return;
  marked(flow, event, first);
  flow->last_cut = now_us(event);
  answer(flow, before, result);
}

static void sent(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  (void)result;
  if (!flow->bound || flow->hold) return;
  flow->sent += event->merged; /* one SENT event may stand for several packets */
  if (flow->sent > 65536) flow->sent = 65536;
  add(flow, kPacket * (int32_t)event->merged);
  flow->silent = 0;
}

/* True if the flow has sent nothing for 32 intervals and for the time of four packets. */
static int is_silent(const struct flow *flow) {
  return flow->silent >= dcc_value(11, 32) &&
         (flow->silent == 255 || (uint64_t)flow->rt * flow->silent >= 4ull * r_hai());
}

/* Returns the packets to increase by; for a silent flow a number that grows with time. */
static uint32_t take_unmarked(struct flow *flow) {
  const int silent = is_silent(flow);
  flow->silent = counted(flow->silent + 1u);
  if (silent) return flow->rt >> 17 ? flow->rt >> 17 : 1;
  const int32_t whole = (flow->account > 0 ? flow->account : 0) / kPacket;
  add(flow, -kPacket * whole);
  return (uint32_t)whole;
}

/* Handles the end of an interval in a hold. Returns 1 if the hold continues. */
static int holds_on(struct flow *flow, const struct dcc_event *event) {
  const uint32_t since = since_cut(flow, event);
  uint32_t patience =
      flow->promised ? interval() << 6 : interval() + interval() * (flow->hold - 1u) / 8;
  if (patience > kMaxTicks) patience = kMaxTicks;
  if (since >= patience || flow->hold >= kMaxHold) return 0;
  /* Twice the delivered rate that follows from the marks. */
  if (since < interval() && flow->marks != 255 &&
      (uint64_t)flow->rt * flow->hold >= 2ull * flow->marks * r_hai()) {
    hold_step(flow, event);
  }
  flow->hold = counted(flow->hold + 1u);
  return 1;
}

static void timer(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  const uint32_t before = flow->rc;
  int at_maximum = 0;
  if (!flow->hold) {
    /* Intervals without a packet do not shorten the fast phase, unless there is nothing to send. */
    const int counts = flow->silent == 0 || is_silent(flow);
    const uint32_t unmarked = take_unmarked(flow), packets = unmarked << (flow->fast ? 2 : 0);
    if (flow->fast && counts) --flow->fast;
    at_maximum = increase(flow, event, packets < kMaxTicks ? packets : kMaxTicks);
  } else if (!holds_on(flow, event)) {
    end_hold(flow);
    at_maximum = increase(flow, event, take_unmarked(flow));
  }
  if (at_maximum) {
    flow->bound = 0;
  } else {
    dcc_start_timer(result, 0, interval() * 1000u);
  }
  answer(flow, before, result);
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .on_cnp = notification, .on_sent = sent,
            .on_timer = timer);
