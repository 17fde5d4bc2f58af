/* The configuration of the congestion controller: plain numbers in register formats, which
 * docs/formats.md defines. The boot block contains the structure, so its layout is fixed. */
#ifndef DCC_DRIVER_DCC_CONFIG_H
#define DCC_DRIVER_DCC_CONFIG_H

#include "driver/dcc_regs.h"
#include "driver/fixed_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DCC_DSCPS = 64 };

/* The law by which rates change, and with it the contents of the decrease table. Values from 2 on
 * are the numbers of laws that no hardware has (CTRL.LAW_HIGH). */
enum dcc_policy {
  DCC_POLICY_DCQCN = 0,        /* law 1: cuts by alpha; SIGCOMM 2015 */
  DCC_POLICY_PROPORTIONAL = 1, /* law 0: cuts by the count of CE marks, rises by unmarked packets */
};

/* dcc_config.curve of a policy from 2 on: the fall of the decrease table from each entry to the
 * next (1.16), and whether marks, not alpha, are the index of the table. */
#define DCC_CURVE_STEP_MASK 0x0001FFFFu
#define DCC_CURVE_BY_MARKS_MASK 0x80000000u

/* Weight and rate limits of one DSCP. */
struct dcc_class {
  uint16_t weight_q8_8; /* weight of the DSCP, 1.0 = 256; 1/16 … 255.996 */
  uint16_t reserved;
  uint32_t floor_q24_8;   /* guaranteed rate of a flow, Mb/s; 0 = none beyond R_MIN */
  uint32_t ceiling_q24_8; /* cap of a flow, Mb/s; 0xFFFFFFFF = none below R_MAX */
};

struct dcc_config {
  uint32_t policy;        /* policy of rate changes, enum dcc_policy; dcc_select_law */
  uint32_t timer_restart; /* 1: a cut restarts the flow's timer */
  uint32_t byte_counter;  /* 1: sent bytes lead to increases of the rate */
  /* decrease-table curve, DCC_CURVE_…; 0 for the policies 0 and 1, which have fixed curves */
  uint32_t curve;
  uint32_t keep_target; /* 1: a cut keeps the target unless the timer raised the rate before */
  /* parameters of the controller, one register for each member (driver/dcc_regs.h) */
  struct dcc_parameters parameters;
  struct dcc_class classes[DCC_DSCPS];
};

DCC_ASSERT_SIZE(dcc_class, 12);
DCC_ASSERT_SIZE(dcc_parameters, 4 * DCC_PARAMETER_REGISTERS);
DCC_ASSERT_OFFSET(dcc_config, parameters, 20);
DCC_ASSERT_SIZE(dcc_config, 20 + 4 * DCC_PARAMETER_REGISTERS + 64 * 12);

#ifdef __cplusplus
}
#endif

#endif
