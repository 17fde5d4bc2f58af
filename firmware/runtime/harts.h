/* What programs of several harts need: atomic operations, a lock, a barrier. Compile the runtime
 * with -DDCC_HARTS=n (the makefile's HARTS := n); hart 0 runs main(), the others hart_main(). */
#ifndef DCC_FIRMWARE_HARTS_H
#define DCC_FIRMWARE_HARTS_H

#include <stdint.h>

#include "machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The program of the harts 1, 2, …. A hart that returns sleeps for ever. */
void hart_main(unsigned hart);

static inline unsigned harts_number(void) { return MACHINE_CSR_READ(mhartid); }

/* Orders all memory accesses before the fence against all behind it. */
static inline void harts_fence(void) { __asm__ volatile("fence rw, rw" ::: "memory"); }

/* The runtime is compiled without the A extension, so each operation asks for it. */
#define HARTS_ATOMIC(text) ".option push\n.option arch, +a\n" text "\n.option pop"

/* Adds to a word and returns the value before. */
static inline uint32_t harts_add(volatile uint32_t* word, uint32_t value) {
  uint32_t old;
  __asm__ volatile(HARTS_ATOMIC("amoadd.w.aqrl %0, %2, %1")
                   : "=r"(old), "+A"(*word)
                   : "r"(value)
                   : "memory");
  return old;
}

static inline uint32_t harts_swap(volatile uint32_t* word, uint32_t value) {
  uint32_t old;
  __asm__ volatile(HARTS_ATOMIC("amoswap.w.aqrl %0, %2, %1")
                   : "=r"(old), "+A"(*word)
                   : "r"(value)
                   : "memory");
  return old;
}

/* Like harts_add(), by a reservation. */
static inline uint32_t harts_add_reserved(volatile uint32_t* word, uint32_t value) {
  uint32_t old;
  uint32_t changed;
  __asm__ volatile(HARTS_ATOMIC("1: lr.w.aqrl %0, %2\n"
                                "add %1, %0, %3\n"
                                "sc.w.aqrl %1, %1, %2\n"
                                "bnez %1, 1b")
                   : "=&r"(old), "=&r"(changed), "+A"(*word)
                   : "r"(value)
                   : "memory");
  return old;
}

/* A lock is a word; 0: free. */
static inline void harts_lock(volatile uint32_t* lock) {
  while (harts_swap(lock, 1) != 0) {
    while (*lock != 0) {
    }
  }
}
static inline void harts_unlock(volatile uint32_t* lock) {
  harts_fence();
  *lock = 0;
}

/* All zero at the start. */
struct harts_barrier {
  volatile uint32_t waiting;
  volatile uint32_t round;
};

/* Returns when `harts` harts have called. */
static inline void harts_wait_for_all(struct harts_barrier* barrier, unsigned harts) {
  const uint32_t round = barrier->round;
  if (harts_add(&barrier->waiting, 1) + 1 == harts) {
    barrier->waiting = 0;
    harts_fence();
    barrier->round = round + 1;
  } else {
    while (barrier->round == round) {
    }
  }
  harts_fence();
}

#ifdef __cplusplus
}
#endif

#endif
