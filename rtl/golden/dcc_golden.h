/* Golden model of the congestion controller for any bench: C, C++, SystemVerilog by DPI, Python.
 *
 * Cycle 0 is the first one in which ready_o is 1 after power-up. An input or a bus access of cycle
 * c is what the block samples at the rising edge that ends c; an answer of cycle c is what
 * rate_valid_o shows during c. Cycles of one model never run backwards from call to call. In each
 * cycle take the answers first, then call the inputs, then the access. D: 32 cycles
 * (docs/controller-contract.md).
 *
 * Functions that return int: 0 or more as described, -1 for a wrong argument or a cycle in the
 * past; dcc_golden_error() says why. Nothing is done then. Models are independent of each other,
 * and one model is used by one thread at a time. */
#ifndef DCC_GOLDEN_H
#define DCC_GOLDEN_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dcc_golden dcc_golden;

/* Text of the latest failure in this thread; empty if there was none. */
const char *dcc_golden_error(void);

/* The whole block. `slots`: 1 .. 16384 as the RTL's Slots; `latency`: 32 .. 255 as its Latency.
 * NULL for values out of range. Answers come exactly in the cycles of the RTL with these
 * parameters. */
dcc_golden *dcc_golden_new(uint32_t slots, uint32_t latency);
void dcc_golden_free(dcc_golden *g);

/* Inputs of a cycle, at most one of each kind. `flow`: below 2^24; `dscp`: 0 .. 63; `marks`,
 * `packets`: 0 .. 255. dcc_golden_bytes: only where bytes_ready_o is 1; commands: only where
 * command_ready_o is 1. */
int dcc_golden_cnp(dcc_golden *g, uint64_t cycle, uint32_t flow, uint32_t dscp, uint32_t marks,
                   uint32_t packets);
int dcc_golden_bytes(dcc_golden *g, uint64_t cycle, uint32_t flow, uint32_t dscp, uint32_t length);
int dcc_golden_release(dcc_golden *g, uint64_t cycle, uint32_t flow);
int dcc_golden_query(dcc_golden *g, uint64_t cycle, uint32_t flow);

/* An APB access whose PSEL rises in `cycle`. `address`: bytes from the start of the block. 0: done;
 * 1: PSLVERR. While events are under way, the RTL's counters, FREE_SLOTS, TIMER_LAG,
 * TIMER_LATENESS_MAX and EVENTS_PENDING are up to D + 4 cycles older. Beside its FLOW word a free
 * slot reads as 0, where the RTL shows what was there before. */
int dcc_golden_write(dcc_golden *g, uint64_t cycle, uint32_t address, uint32_t data);
int dcc_golden_read(dcc_golden *g, uint64_t cycle, uint32_t address, uint32_t *data);

/* Takes the next answer that leaves in or before `cycle`. 1: there was one; 0: there is none. */
enum { DCC_GOLDEN_RATE = 0, DCC_GOLDEN_QUERY = 1, DCC_GOLDEN_QUERY_UNBOUND = 2 };
int dcc_golden_answer(dcc_golden *g, uint64_t cycle, uint64_t *answer_cycle, uint32_t *kind,
                      uint32_t *flow, uint32_t *rate);

/* irq_o in `cycle`: 0 or 1. The RTL raises a cause within D + 4 cycles of its event. */
int dcc_golden_irq(dcc_golden *g, uint64_t cycle);
/* The slot of a flow (0 .. slots - 1), or -2 if it has none. */
int dcc_golden_slot_of(dcc_golden *g, uint64_t cycle, uint32_t flow);
/* 1: the slot is bound, and *flow is its flow; 0: the slot is free. */
int dcc_golden_slot(dcc_golden *g, uint64_t cycle, uint32_t slot, uint32_t *flow);

/* The rate unit alone, with the registers and tables that `g` has at present. Rates: 24.8 fixed
 * point in units of register RATE; alpha: 1.16; delta: ticks since the last cut. The results
 * replace *rc, *rt, *alpha. `stage`: 0 recovery, 1 additive, 2 hyper. dcc_golden_increase returns 1
 * at the greatest rate. */
int dcc_golden_decrease(const dcc_golden *g, uint32_t *rc, uint32_t *rt, uint32_t *alpha,
                        uint32_t delta, uint32_t dscp, uint32_t marks, int first);
int dcc_golden_increase(const dcc_golden *g, uint32_t *rc, uint32_t *rt, uint32_t dscp,
                        uint32_t stage, uint32_t packets);

/* The timing wheel alone: one event a slot over 2^16 ticks. `now` never runs backwards. */
typedef struct dcc_golden_wheel dcc_golden_wheel;
dcc_golden_wheel *dcc_golden_wheel_new(uint32_t slots);
void dcc_golden_wheel_free(dcc_golden_wheel *w);
/* Starts or restarts the slot's event, due at now + max(1, delay); `delay`: 0 .. 65535. */
int dcc_golden_wheel_start(dcc_golden_wheel *w, uint32_t slot, uint32_t delay, uint64_t now);
/* 1: cancelled; 0: none was pending. */
int dcc_golden_wheel_cancel(dcc_golden_wheel *w, uint32_t slot, uint64_t now);
/* Takes the event with the least (due, slot) whose due <= now. 1: there was one; 0: there is none.
 */
int dcc_golden_wheel_take(dcc_golden_wheel *w, uint64_t now, uint32_t *slot, uint64_t *due);

#ifdef __cplusplus
}
#endif
#endif
