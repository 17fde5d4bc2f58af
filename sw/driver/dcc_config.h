/* The congestion controller's configuration as software holds it: plain numbers in register format.
 * Lives in the boot block, so its layout is fixed. docs/architecture.md defines the formats. */
#ifndef DCC_DRIVER_DCC_CONFIG_H
#define DCC_DRIVER_DCC_CONFIG_H

#include "driver/fixed_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DCC_DSCPS = 64 };

/* What the tables contain and which policy bits are set. */
enum dcc_policy {
  DCC_POLICY_DCQCN = 0,        /* averaging, cut by alpha: SIGCOMM 2015 */
  DCC_POLICY_PROPORTIONAL = 1, /* cut by the count of CE marks, multiplicative increase */
};

/* What one DSCP is entitled to. */
struct dcc_class {
  uint16_t weight_q8_8; /* 1.0 = 256; 1/16 … 255.996 */
  uint16_t reserved;
  uint32_t floor_q24_8;   /* guaranteed rate of a flow, Mb/s; 0 = none beyond R_MIN */
  uint32_t ceiling_q24_8; /* cap of a flow, Mb/s; 0xFFFFFFFF = none below R_MAX */
};

struct dcc_config {
  uint32_t policy;                /* enum dcc_policy */
  uint32_t tick_cycles;           /* clock cycles per tick of the timing engine, >= 1 */
  uint32_t timer_interval_ticks;  /* increase timer, 1 … 65535 */
  uint32_t byte_threshold;        /* byte counter, bytes; 0 = byte counter off */
  uint32_t decrease_period_ticks; /* least distance of two cuts of a flow; 0 = every CNP cuts */
  uint32_t alpha_interval_ticks;  /* K: alpha decays once per K ticks, 1 … 4096 */
  uint32_t f;                     /* fast recovery threshold F, 0 … 255 */
  uint32_t g_q0_16;               /* alpha's gain, 1/256 = 256 */
  uint32_t mi_q0_16;              /* multiplicative increase, 0.7 % = 459 */
  uint32_t r_ai_q24_8;
  uint32_t r_hai_q24_8;
  uint32_t r_min_q24_8;
  uint32_t r_max_q24_8;
  uint32_t initial_rate_q24_8;  /* Rc and Rt of a newly bound flow */
  uint32_t initial_alpha_q1_16; /* 0 … 65536 */
  uint32_t first_cut_q1_16;     /* multiplier of a flow's first cut; 0 = as any other */
  uint32_t mark_shift;          /* marks << mark_shift is the argument of the decrease table */
  uint32_t timer_restart;       /* 1: a cut restarts the flow's timer */
  struct dcc_class classes[DCC_DSCPS];
};

DCC_ASSERT_SIZE(dcc_class, 12);
DCC_ASSERT_SIZE(dcc_config, 72 + 64 * 12);
DCC_ASSERT_OFFSET(dcc_config, r_ai_q24_8, 36);
DCC_ASSERT_OFFSET(dcc_config, classes, 72);

#ifdef __cplusplus
}
#endif

#endif
