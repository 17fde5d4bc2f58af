/* The contents of the controller's look-up tables, calculated with integers only.
 *
 * Every entry is a function of the configuration, so a table can be loaded entry by entry without a
 * copy in memory. Entries are within one unit of the last place of the exact value. Formats and
 * curves: docs/formats.md, "Fixed-point formats" and "Rate unit". */
#ifndef DCC_DRIVER_DCC_TABLES_H
#define DCC_DRIVER_DCC_TABLES_H

#include <stdint.h>

#include "driver/dcc_config.h"
#include "driver/dcc_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Range of the weights that the factor table can express. */
enum { DCC_WEIGHT_MIN_Q8_8 = 16, DCC_WEIGHT_MAX_Q8_8 = 65535 };

/* Selects the law with a number, as CTRL.LAW and CTRL.LAW_HIGH encode it. `cut_by_marks` and
 * `decrease_step` (1.16) describe the decrease table of a law from 2 on. */
void dcc_select_law(struct dcc_config* config, uint32_t law, uint32_t cut_by_marks,
                    uint32_t decrease_step);
/* Returns the number of the selected law. */
uint32_t dcc_law(const struct dcc_config* config);

/* Value of MARK_SHIFT for the proportional curve: a mark is four entries of the decrease table. */
enum { DCC_PROPORTIONAL_MARK_SHIFT = 10 };
/* decrease[i], 1.16, i = 0 … 256 (argument 256·i): the multiplier of a cut. DCQCN: 1 - i/512.
 * Proportional: 1 - i/64, and 0 from 64 on, so that each mark takes 1/16 off the rate of a flow of
 * weight 1 and 1/(16·w) off that of a flow of weight w, whatever the number of marks. */
uint32_t dcc_decrease_entry(enum dcc_policy policy, uint32_t i);
/* Entry of the decrease table for the law of a configuration, whatever the law's number. */
uint32_t dcc_decrease_entry_of(const struct dcc_config* config, uint32_t i);

/* Returns (1 - g)^n in 1.16, for g in 0.16 and any n. */
uint32_t dcc_decay(uint32_t g_q0_16, uint32_t n);
/* Entries of the decay tables: decay_hi[i] = (1 - g)^(64·i), decay_lo[i] = (1 - g)^i, i = 0 … 63.
 * */
uint32_t dcc_decay_hi_entry(uint32_t g_q0_16, uint32_t i);
uint32_t dcc_decay_lo_entry(uint32_t g_q0_16, uint32_t i);

/* Factors of a class of weight w: increases are multiplied by w (8.8), cuts divided by w (4.12). */
struct dcc_factor {
  uint16_t f_inc_q8_8;
  uint16_t f_dec_q4_12;
};
struct dcc_factor dcc_factor_of_weight(uint32_t weight_q8_8);

/* The greatest weight in 8.8 that scaling yields. The reciprocal of 64 in 4.12 has a rounding error
 * of at most 0.8 %. */
enum { DCC_SCALED_WEIGHT_MAX_Q8_8 = 64 << 8 };
/* Weights in use at the controllers of a network, in one unit that the caller chooses. */
struct dcc_weights {
  uint64_t least;    /* least weight of a class that flows use; must not be 0 */
  uint64_t greatest; /* greatest weight of a class that flows use */
  /* greatest sum of the weights of flows that share a port; 0: the sum is not known */
  uint64_t sum;
};
/* Returns the weight in 8.8 that stands for weights->least in the factor tables. Only ratios of
 * weights have an effect, so all weights may be multiplied by one factor. The least weight becomes
 * 1, unless the sum would exceed `limit_q8_8` or the greatest weight would exceed
 * DCC_SCALED_WEIGHT_MAX_Q8_8. The result is at least DCC_WEIGHT_MIN_Q8_8. All controllers of a
 * network must use the same result. */
uint32_t dcc_weight_unit(const struct dcc_weights* weights, uint64_t limit_q8_8);
/* Converts `weight` from the caller's unit, in which `least` stands for `unit`, into 8.8 for the
 * factor table. */
uint32_t dcc_scaled_weight(uint64_t weight, const struct dcc_weights* weights, uint32_t unit_q8_8);

/* --- Classes of DSCPs: the entries of dcc_config.classes --- */

/* Gives all DSCPs weight 1, no guarantee and no cap. */
void dcc_classes_equal(struct dcc_class classes[DCC_DSCPS]);
/* Makes a class with a weight. `floor` and `ceiling` bound the rate of a flow, in 24.8 Mb/s, like
 * CCTI_Limit and CCTI_Min of InfiniBand (floor 0: no guarantee; ceiling UINT32_MAX: no cap). */
struct dcc_class dcc_class_of(uint32_t weight_q8_8, uint32_t floor_q24_8, uint32_t ceiling_q24_8);
/* Classes close to strict priority: each rank (0 lowest … 3 highest) has 16 times the weight of the
 * rank below. The highest has 4096 times the weight of the lowest, the range of the factor table.
 */
struct dcc_class dcc_class_of_rank(uint32_t rank);
enum { DCC_RANKS = 4 };

/* --- All look-up tables at once, for tools and tests --- */
struct dcc_tables {
  struct dcc_factor factor[DCC_DSCPS];
  uint32_t floor[DCC_DSCPS];
  uint32_t ceiling[DCC_DSCPS];
  uint32_t decay_hi[DCC_DECAY_LO_ENTRIES];
  uint32_t decay_lo[DCC_DECAY_LO_ENTRIES];
  uint32_t decrease[DCC_DECREASE_ENTRIES];
};
void dcc_tables_generate(struct dcc_tables* tables, const struct dcc_config* config);

#ifdef __cplusplus
}
#endif

#endif
