/* Common part of the programs that compare devices with QEMU's: repeatable random numbers, and
 * output lines that the program keeps until the device under test is free to print them. */
#ifndef TESTS_FIRMWARE_SEQUENCES_H
#define TESTS_FIRMWARE_SEQUENCES_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "machine.h"

static uint32_t random_state = 1;

/* Returns the 16 best bits of a linear congruential generator. */
static inline uint32_t random_bits(void) {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 16;
}
static inline uint32_t random_below(uint32_t limit) { return random_bits() % limit; }
static inline uint32_t random_word(void) {
  const uint32_t high = random_bits();
  return high << 16 | random_bits();
}

static char kept[64 * 1024];
static unsigned kept_bytes;

__attribute__((format(printf, 1, 2))) static inline void keep(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int bytes = vsnprintf(kept + kept_bytes, sizeof kept - kept_bytes, format, values);
  va_end(values);
  kept_bytes += (unsigned)bytes;
  if (kept_bytes >= sizeof kept) machine_exit(2);
}
static inline void print_kept(void) { fwrite(kept, 1, kept_bytes, stdout); }

/* True if the line of a machine interrupt (enum trap_interrupt) is high. */
static inline unsigned line_of(unsigned interrupt) {
  return MACHINE_CSR_READ(mip) >> interrupt & 1u;
}

static inline uint8_t read8(uint32_t address) { return *(volatile uint8_t*)(uintptr_t)address; }
static inline void write8(uint32_t address, uint32_t value) {
  *(volatile uint8_t*)(uintptr_t)address = (uint8_t)value;
}

#endif
