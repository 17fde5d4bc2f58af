/* Helpers of the drivers: register fields, 64-bit counters, waiting for a bit, and parameters with
 * one register each. */
#ifndef DCC_DRIVER_REGISTER_ACCESS_H
#define DCC_DRIVER_REGISTER_ACCESS_H

#include "driver/hal.h"

/* FIELD_PUT(DCC_CTRL_ENABLE, 1) is a register word with the value 1 in the field and 0
 * elsewhere. */
#define FIELD_PUT(field, value) (((uint32_t)(value) << field##_SHIFT) & field##_MASK)
#define FIELD_GET(field, word) (((uint32_t)(word)&field##_MASK) >> field##_SHIFT)

/* Reads a 64-bit counter from two registers. The read of the low word latches the high word. */
static inline uint64_t register_read64(const struct hal* hal, uint64_t low_address) {
  const uint32_t low = hal_read32(hal, low_address);
  return (uint64_t)hal_read32(hal, low_address + 4) << 32 | low;
}

/* Waits until (register & mask) == value, reading once a microsecond. Returns 0 after `timeout_ns`,
 * or after as many reads on a machine whose time does not advance. */
static inline int register_wait(const struct hal* hal, uint64_t address, uint32_t mask,
                                uint32_t value, uint64_t timeout_ns) {
  const uint64_t end = hal_time_ns(hal) + timeout_ns;
  for (uint64_t looks = 0; looks <= timeout_ns / 1000; ++looks) {
    if ((hal_read32(hal, address) & mask) == value) return 1;
    const uint64_t now = hal_time_ns(hal);
    if (now >= end) return 0;
    hal_wait_for_interrupt(hal, now + 1000 < end ? now + 1000 : end);
  }
  return 0;
}

/* Description of a parameter: its register, its member of the structure, and its range. */
struct register_parameter {
  uint32_t offset;
  uint32_t member;
  uint32_t least;
  uint32_t most;
};

static inline uint32_t register_parameter_value(const struct register_parameter* parameter,
                                                const void* values) {
  return *(const uint32_t*)((const char*)values + parameter->member);
}

/* Returns the index of the first parameter whose value is outside its range, else `count`. */
static inline uint32_t register_outside(const struct register_parameter* parameters, uint32_t count,
                                        const void* values) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t value = register_parameter_value(&parameters[i], values);
    if (value < parameters[i].least || value > parameters[i].most) return i;
  }
  return count;
}

static inline void register_program(const struct hal* hal, uint64_t base,
                                    const struct register_parameter* parameters, uint32_t count,
                                    const void* values) {
  for (uint32_t i = 0; i < count; ++i) {
    hal_write32(hal, base + parameters[i].offset, register_parameter_value(&parameters[i], values));
  }
}

/* Returns 1 if every parameter reads back with the value written. */
static inline int register_reads_back(const struct hal* hal, uint64_t base,
                                      const struct register_parameter* parameters, uint32_t count,
                                      const void* values) {
  for (uint32_t i = 0; i < count; ++i) {
    if (hal_read32(hal, base + parameters[i].offset) !=
        register_parameter_value(&parameters[i], values))
      return 0;
  }
  return 1;
}

#endif
