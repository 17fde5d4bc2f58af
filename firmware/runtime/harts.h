/* Atomic operations, lock and barrier for programs of several harts. Compile the runtime with
 * -DDCC_HARTS=n (HARTS := n in the makefile); hart 0 runs main(), the other harts run
 * hart_main(). */
#ifndef DCC_FIRMWARE_HARTS_H
#define DCC_FIRMWARE_HARTS_H

#include <stdint.h>

#include "machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Main function of harts 1, 2, …. A hart that returns sleeps for ever. */
void hart_main(unsigned hart);

static inline unsigned harts_number(void) { return MACHINE_CSR_READ(mhartid); }

/* Orders all memory accesses before the fence before all accesses after the fence. */
static inline void harts_fence(void) { __asm__ volatile("fence rw, rw" ::: "memory"); }

/* The runtime is compiled without the A extension, so each atomic operation enables it. */
#define HARTS_ATOMIC(text) ".option push\n.option arch, +a\n" text "\n.option pop"

/* Adds to a word atomically and returns the previous value. */
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

/* Adds to a word atomically like harts_add(), by load-reserved and store-conditional. */
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

/* Acquires a lock, a word that is 0 when free. */
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

/* A barrier for harts; must be zero before its first use. */
struct harts_barrier {
  volatile uint32_t waiting;
  volatile uint32_t round;
};

/* Returns when `harts` harts have called the function with this barrier. */
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
