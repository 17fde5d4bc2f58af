/* Driver of the congestion controller: portable C11 without dynamic memory. The caller keeps
 * `struct dcc_controller`. Register meanings: docs/registers/, formats: docs/formats.md. */
#ifndef DCC_DRIVER_DCC_DRIVER_H
#define DCC_DRIVER_DCC_DRIVER_H

#include <stdint.h>

#include "driver/dcc_config.h"
#include "driver/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

enum dcc_error {
  DCC_OK = 0,
  DCC_ERROR_ID,
  DCC_ERROR_VERSION,
  DCC_ERROR_NOT_READY,
  DCC_ERROR_POLICY,
  DCC_ERROR_RATES,
  DCC_ERROR_FLAG,
  DCC_ERROR_WEIGHT,
  DCC_ERROR_CLASS_RATES,
  DCC_ERROR_DSCP,
  DCC_ERROR_SLOT,
  DCC_ERROR_SLOT_CHANGING,
  DCC_ERROR_READ_BACK,
  DCC_ERROR_LOCKED,
  DCC_ERROR_OUTSIDE_RANGE, /* plus an enum dcc_parameter: the parameter is outside its range */
  DCC_ERRORS = DCC_ERROR_OUTSIDE_RANGE + DCC_PARAMETER_REGISTERS,
};

/* Returns the error as a sentence for users; never NULL. */
const char* dcc_error_text(enum dcc_error error);

struct dcc_controller {
  const struct hal* hal;
  uint64_t base;
  uint32_t slots;          /* number of slots, from register CAPS */
  uint32_t latency_cycles; /* latency of the controller in cycles, from register CAPS */
  uint32_t version_minor;
  uint32_t locked; /* locked registers, DCC_REGWEN_…_MASK, at the last dcc_lock or dcc_read_locks */
};

/* Finds the controller at `base`: checks ID and version, waits until the controller is ready. */
enum dcc_error dcc_probe(struct dcc_controller* dcc, const struct hal* hal, uint64_t base);

/* Locks the registers and tables in `what` (DCC_REGWEN_…_MASK) until the block is reset by its pin.
 * From then on, functions that would write them return DCC_ERROR_LOCKED and write nothing.
 * dcc_enable and dcc_disable must not be called once CTRL is locked. */
enum dcc_error dcc_lock(struct dcc_controller* dcc, uint32_t what);
/* Reads from the block what is locked (DCC_REGWEN_…_MASK). Needed after dcc_probe if other software
 * may have locked the block. */
uint32_t dcc_read_locks(struct dcc_controller* dcc);

/* Checks whether `config` can be programmed; the error names the first wrong parameter. Accesses no
 * register. */
enum dcc_error dcc_check(const struct dcc_config* config);

/* Disables and resets the controller, then programs every parameter and table of `config` and reads
 * the parameters back. The controller stays disabled. */
enum dcc_error dcc_configure(struct dcc_controller* dcc, const struct dcc_config* config);

void dcc_enable(struct dcc_controller* dcc);
void dcc_disable(struct dcc_controller* dcc);
/* Releases every slot and clears the statistics; waits until the controller is ready again. */
enum dcc_error dcc_soft_reset(struct dcc_controller* dcc);

/* Gives one DSCP new factors, a new floor and a new ceiling, which take effect at the next event of
 * each flow. Allowed while the controller runs. */
enum dcc_error dcc_set_class(struct dcc_controller* dcc, uint32_t dscp,
                             const struct dcc_class* entitled);
/* Gives one DSCP new factors and keeps its floor and ceiling, for control loops. */
enum dcc_error dcc_set_weight(struct dcc_controller* dcc, uint32_t dscp, uint32_t weight_q8_8);

/* Changes the configuration of a running controller from `from` to `to`: parameters, classes and
 * tables, without a reset. Slots keep their flows. Only differences are written; each write acts on
 * later events. Both policies must be the same (DCC_ERROR_POLICY). */
enum dcc_error dcc_retune(struct dcc_controller* dcc, const struct dcc_config* from,
                          const struct dcc_config* to);

/* Reads all counters. The two words of a counter belong together, since a read of the low word
 * latches the high word; different counters are read one after the other. */
void dcc_read_statistics(struct dcc_controller* dcc, struct dcc_statistics* statistics);

struct dcc_state {
  uint32_t free_slots;
  uint32_t time_ticks;
  uint32_t timer_lag_ticks;
  uint32_t timer_lateness_max_ticks;
  uint32_t events_pending;
  uint32_t idle;
  uint32_t overrun;
};
void dcc_read_state(struct dcc_controller* dcc, struct dcc_state* state);

/* Memories with parity. While `fault` is set the controller has stopped: rates keep their values,
 * and inputs are dropped and counted. dcc_configure repairs all memories: it resets all slots and
 * writes all tables again. If anything is locked, dcc_configure returns DCC_ERROR_LOCKED and the
 * controller stays stopped. If CTRL is not locked, dcc_soft_reset repairs all memories but the
 * tables and keeps parameters and tables; a wrong word of a table stops the controller again at its
 * next use. If CTRL is locked, dcc_soft_reset returns DCC_ERROR_LOCKED, and only a reset by the pin
 * helps. */
struct dcc_memory_state {
  uint32_t fault;
  /* memories with a parity error since the last soft reset, DCC_MEMORY_ERROR_…_MASK */
  uint32_t memories;
  uint32_t errors; /* number of cycles with wrong words since the reset by pin */
  /* The next two members are valid for blocks with DCC_CAPS_SECDED, otherwise 0. */
  uint32_t corrected; /* number of cycles with corrected words since the reset by pin */
  uint32_t word;      /* last corrected word or first wrong word, DCC_MEMORY_WORD_… */
  /* The next member is valid for blocks with DCC_CAPS_REBUILD, otherwise 0. Such blocks recover by
   * themselves, but wait until software writes a wrong table word again. */
  uint32_t lost; /* number of recoveries and of flows that recoveries cost, DCC_MEMORY_LOST_… */
};
void dcc_read_memory_state(struct dcc_controller* dcc, struct dcc_memory_state* state);

struct dcc_slot {
  uint32_t valid;
  uint32_t flow;
  uint32_t rate_q24_8;
  uint32_t target_q24_8;
  uint32_t alpha_q1_16;
  uint32_t timer_count;
  uint32_t byte_count;
  uint32_t dscp;
  uint32_t length_bytes;
  uint32_t last_cut_tick;
  uint32_t due_tick;
  uint32_t due_epoch;
  uint32_t pending;
};
/* Reads a slot until two reads in a row agree, so that the words belong together.
 * DCC_ERROR_SLOT_CHANGING if they never agree. */
enum dcc_error dcc_read_slot(struct dcc_controller* dcc, uint32_t slot, struct dcc_slot* content);

/* Causes of the controller's interrupt, as bits of IRQ_STATUS (DCC_IRQ_STATUS_…_MASK). */
void dcc_enable_interrupts(struct dcc_controller* dcc, uint32_t causes);
/* Returns the enabled interrupt causes that are active and clears them. */
uint32_t dcc_take_interrupts(struct dcc_controller* dcc);

struct dcc_refused_access {
  uint32_t address; /* offset of the refused register access in the register map */
  uint32_t code;    /* reason for the refusal, DCC_ERROR_INFO_CODE_… */
  uint32_t write;
};
void dcc_read_refused_access(struct dcc_controller* dcc, struct dcc_refused_access* access);

#ifdef __cplusplus
}
#endif

#endif
