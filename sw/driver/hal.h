/* Hardware abstraction of driver and application: register accesses, memory, time, interrupts.
 *
 * On RISC-V these are volatile accesses and two functions of the firmware. Elsewhere they are calls
 * through `struct hal`, so that a simulation or a test can take the place of the machine. Code
 * above this header is the same source in both cases.
 *
 * Registers are read and written as aligned 32-bit words. A refused register access does not
 * return: it traps on RISC-V and ends the run natively, both naming the register. */
#ifndef DCC_DRIVER_HAL_H
#define DCC_DRIVER_HAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__riscv) && !defined(DCC_HAL_INDIRECT)

struct hal {
  uint8_t unused;
};

/* Functions that the firmware provides. */
uint64_t firmware_time_ns(void);
int firmware_wait_for_interrupt(uint64_t deadline_ns);

static inline uint32_t hal_read32(const struct hal* hal, uint64_t address) {
  (void)hal;
  return *(volatile uint32_t*)(uintptr_t)address;
}

static inline void hal_write32(const struct hal* hal, uint64_t address, uint32_t value) {
  (void)hal;
  *(volatile uint32_t*)(uintptr_t)address = value;
}

static inline void* hal_memory(const struct hal* hal, uint64_t address, uint64_t bytes) {
  (void)hal;
  (void)bytes;
  return (void*)(uintptr_t)address;
}

static inline void hal_barrier(const struct hal* hal) {
  (void)hal;
  __asm__ volatile("fence iorw, iorw" ::: "memory");
}

static inline uint64_t hal_time_ns(const struct hal* hal) {
  (void)hal;
  return firmware_time_ns();
}

static inline int hal_wait_for_interrupt(const struct hal* hal, uint64_t deadline_ns) {
  (void)hal;
  return firmware_wait_for_interrupt(deadline_ns);
}

#else

struct hal {
  void* context; /* argument `context` of every function of struct hal */
  uint32_t (*read32)(void* context, uint64_t address);
  void (*write32)(void* context, uint64_t address, uint32_t value);
  void* (*memory)(void* context, uint64_t address, uint64_t bytes);
  void (*barrier)(void* context);
  uint64_t (*time_ns)(void* context);
  int (*wait_for_interrupt)(void* context, uint64_t deadline_ns);
};

static inline uint32_t hal_read32(const struct hal* hal, uint64_t address) {
  return hal->read32(hal->context, address);
}

static inline void hal_write32(const struct hal* hal, uint64_t address, uint32_t value) {
  hal->write32(hal->context, address, value);
}

/* Returns a pointer to host RAM [address, address + bytes), valid for the whole run, or NULL if the
 * range is not RAM. Devices see written data after the next barrier or register write. */
static inline void* hal_memory(const struct hal* hal, uint64_t address, uint64_t bytes) {
  return hal->memory(hal->context, address, bytes);
}

/* Makes earlier writes to memory visible to devices before later writes. */
static inline void hal_barrier(const struct hal* hal) { hal->barrier(hal->context); }

/* Simulated time since the start of the run. */
static inline uint64_t hal_time_ns(const struct hal* hal) { return hal->time_ns(hal->context); }

/* Sleeps until the interrupt line is high or `deadline_ns` is reached (UINT64_MAX: no deadline).
 * Returns 1 if the line is high, 0 at the deadline. Returns at once if the line is already high.
 * The line is level-sensitive, so no interrupt is lost between a check and the wait. */
static inline int hal_wait_for_interrupt(const struct hal* hal, uint64_t deadline_ns) {
  return hal->wait_for_interrupt(hal->context, deadline_ns);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
