/* Golden model of the congestion controller and of the pacer for any bench: C, C++, SystemVerilog
 * by DPI, Python.
 *
 * Cycle 0 is the first cycle after power-up in which ready_o is 1. An input or a bus access of
 * cycle c is what the block samples at the rising edge that ends c; an answer of cycle c is what
 * rate_valid_o shows during c. Cycles of one model never go back from call to call. For each cycle
 * take the answers first, then call the inputs, then make the access. D: 32 cycles
 * (docs/controller-contract.md).
 *
 * Functions that return int return 0 or more as described, or -1 for a wrong argument or a cycle in
 * the past. After -1 nothing has been done, and dcc_golden_error() returns the reason. Models are
 * independent of each other; only one thread at a time may use a model. */
#ifndef DCC_GOLDEN_H
#define DCC_GOLDEN_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dcc_golden dcc_golden;

/* Returns the text of the latest failure in this thread; empty if there was none. */
const char *dcc_golden_error(void);

/* Creates a model of the whole block. `slots`: 1 .. 16384, as the RTL's parameter Slots; `latency`:
 * 32 .. 255, as the RTL's parameter Latency. Returns NULL for values out of range. Answers come
 * exactly in the cycles in which the RTL with these parameters gives them. */
dcc_golden *dcc_golden_new(uint32_t slots, uint32_t latency);
void dcc_golden_free(dcc_golden *g);

/* Pass inputs of a cycle to the model, at most one of each kind. `flow`: below 2^24; `dscp`: 0 ..
 * 63; `marks`, `packets`: 0 .. 255. Call dcc_golden_bytes only where bytes_ready_o is 1, and
 * commands only where command_ready_o is 1. */
int dcc_golden_cnp(dcc_golden *g, uint64_t cycle, uint32_t flow, uint32_t dscp, uint32_t marks,
                   uint32_t packets);
int dcc_golden_bytes(dcc_golden *g, uint64_t cycle, uint32_t flow, uint32_t dscp, uint32_t length);
int dcc_golden_release(dcc_golden *g, uint64_t cycle, uint32_t flow);
int dcc_golden_query(dcc_golden *g, uint64_t cycle, uint32_t flow);

/* Makes an APB access whose PSEL rises in `cycle`. `address`: bytes from the start of the block.
 * Returns 0 for a completed access, 1 for PSLVERR. While events are under way, the RTL's counters,
 * FREE_SLOTS, TIMER_LAG, TIMER_LATENESS_MAX and EVENTS_PENDING are up to D + 4 cycles older than
 * the model's. Words of a free slot other than FLOW read as 0, where the RTL shows the previous
 * contents. */
int dcc_golden_write(dcc_golden *g, uint64_t cycle, uint32_t address, uint32_t data);
int dcc_golden_read(dcc_golden *g, uint64_t cycle, uint32_t address, uint32_t *data);

/* Takes the next answer that leaves in or before `cycle`. Returns 1 for an answer, 0 without
 * one. */
enum { DCC_GOLDEN_RATE = 0, DCC_GOLDEN_QUERY = 1, DCC_GOLDEN_QUERY_UNBOUND = 2 };
int dcc_golden_answer(dcc_golden *g, uint64_t cycle, uint64_t *answer_cycle, uint32_t *kind,
                      uint32_t *flow, uint32_t *rate);

/* Returns irq_o in `cycle`: 0 or 1. The RTL raises an interrupt cause within D + 4 cycles of the
 * event. */
int dcc_golden_irq(dcc_golden *g, uint64_t cycle);
/* Returns the slot of a flow (0 .. slots - 1), or -2 if the flow has no slot. */
int dcc_golden_slot_of(dcc_golden *g, uint64_t cycle, uint32_t flow);
/* Returns 1 for a bound slot, with its flow in *flow; 0 for a free slot. */
int dcc_golden_slot(dcc_golden *g, uint64_t cycle, uint32_t slot, uint32_t *flow);

/* Call the rate unit alone, with the registers and tables that `g` has at present. Rates: 24.8
 * fixed point in units of register RATE; alpha: 1.16; delta: ticks since the last cut. The results
 * replace *rc, *rt, *alpha. `stage`: 0 recovery, 1 additive, 2 hyper. dcc_golden_increase returns 1
 * if the new rate is the greatest rate. */
int dcc_golden_decrease(const dcc_golden *g, uint32_t *rc, uint32_t *rt, uint32_t *alpha,
                        uint32_t delta, uint32_t dscp, uint32_t marks, int first);
int dcc_golden_increase(const dcc_golden *g, uint32_t *rc, uint32_t *rt, uint32_t dscp,
                        uint32_t stage, uint32_t packets);

/* A timing wheel of its own: one event for each slot over 2^16 ticks. `now` never goes back. */
typedef struct dcc_golden_wheel dcc_golden_wheel;
dcc_golden_wheel *dcc_golden_wheel_new(uint32_t slots);
void dcc_golden_wheel_free(dcc_golden_wheel *w);
/* Starts or restarts the slot's event, due at now + max(1, delay); `delay`: 0 .. 65535. */
int dcc_golden_wheel_start(dcc_golden_wheel *w, uint32_t slot, uint32_t delay, uint64_t now);
/* Cancels the slot's event. Returns 1; 0 if no event was pending. */
int dcc_golden_wheel_cancel(dcc_golden_wheel *w, uint32_t slot, uint64_t now);
/* Takes the event with the least (due, slot) whose due <= now. Returns 1 for an event, 0 if no
 * event is due. */
int dcc_golden_wheel_take(dcc_golden_wheel *w, uint64_t now, uint32_t *slot, uint64_t *due);

/* Model of the block dc_pacer, which decides whose packet leaves next (doc/pacer.md). Cycle 0 is
 * the first one in which init_done_o is 1. For each cycle take the outputs first, then call the
 * inputs. `flows`, `width`, `depth`: the RTL's parameters Flows, Width and Depth, powers of two;
 * flows 4 .. 16384, width 2 .. flows / 2, depth 2 .. 64. `scale`: scale_i, below 2^22; `slack`:
 * slack_i, below 2^24. Returns NULL for values out of range. */
typedef struct dcc_golden_pacer dcc_golden_pacer;
dcc_golden_pacer *dcc_golden_pacer_new(uint32_t flows, uint32_t width, uint32_t depth,
                                       uint32_t scale, uint32_t slack);
void dcc_golden_pacer_free(dcc_golden_pacer *p);
/* Sets paused_i (bit p: priority p) and want_i from `cycle` on, until the next call. Initially
 * both are 0. */
int dcc_golden_pacer_pins(dcc_golden_pacer *p, uint64_t cycle, uint32_t paused, uint32_t want);
/* Inputs of the pacer: a waiting packet of 1 .. 16383 bytes, and a flow's rate (24.8 Mb/s) with its
 * priority 0 .. 7. At most one input of each kind a cycle, and only where post_ready_o or
 * rate_ready_o is 1. */
int dcc_golden_pacer_post(dcc_golden_pacer *p, uint64_t cycle, uint32_t flow, uint32_t bytes);
int dcc_golden_pacer_rate(dcc_golden_pacer *p, uint64_t cycle, uint32_t flow, uint32_t rate,
                          uint32_t priority);
/* Returns the pins that the block shows during `cycle`, as a sum of these values. With
 * DCC_GOLDEN_SENT, *flow and *bytes are sent_flow_o and sent_bytes_o; otherwise both are 0. Cycles
 * that the caller skips pass as well. */
enum {
  DCC_GOLDEN_SENT = 1,         /* the pin sent_valid_o is 1 */
  DCC_GOLDEN_POST_READY = 2,   /* the pin post_ready_o is 1 */
  DCC_GOLDEN_RATE_READY = 4,   /* the pin rate_ready_o is 1 */
  DCC_GOLDEN_POST_REFUSED = 8, /* the pin post_refused_o is 1 */
  DCC_GOLDEN_STRICT = 16       /* the pin strict_o is 1 */
};
int dcc_golden_pacer_outputs(dcc_golden_pacer *p, uint64_t cycle, uint32_t *flow, uint32_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
