/* The machine below the applications: time, sleep, interrupt lines, exit. With
 * -DDCC_MACHINE_VIRT the runtime is compiled for `machine: virt`, and also runs on QEMU's
 * machine of that name. */
#ifndef DCC_FIRMWARE_MACHINE_H
#define DCC_FIRMWARE_MACHINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MACHINE_CSR_READ(name)                             \
  ({                                                       \
    uint32_t csr_value;                                    \
    __asm__ volatile("csrr %0, " #name : "=r"(csr_value)); \
    csr_value;                                             \
  })
#define MACHINE_CSR_SET(name, bits) __asm__ volatile("csrs " #name ", %0" ::"r"(bits) : "memory")
#define MACHINE_CSR_CLEAR(name, bits) __asm__ volatile("csrc " #name ", %0" ::"r"(bits) : "memory")

#define MACHINE_MSTATUS_MIE (1u << 3)

/* Ends the simulation of this processor with an exit code; does not return. */
void machine_exit(int code) __attribute__((noreturn));

/* Returns simulated time in nanoseconds. */
uint64_t machine_time_ns(void);
/* Raises the timer interrupt's line at simulated time `ns`; UINT64_MAX: never. */
void machine_set_timer(uint64_t ns);
void machine_set_software_interrupt(int high);
/* Sets the software interrupt of any hart; the functions of the timer act on the calling hart. */
void machine_interrupt_hart(unsigned hart, int high);

/* Enables an interrupt source at the interrupt controller. driver/memory_map.h, or for machine virt
 * driver/memory_map_virt.h, defines the numbers of the sources. */
void machine_enable_source(unsigned source);
/* Claims a pending interrupt source and returns its number; 0: no source is pending. */
unsigned machine_claim(void);
void machine_complete(unsigned source);

static inline void machine_enable_interrupts(void) {
  MACHINE_CSR_SET(mstatus, MACHINE_MSTATUS_MIE);
}
static inline void machine_disable_interrupts(void) {
  MACHINE_CSR_CLEAR(mstatus, MACHINE_MSTATUS_MIE);
}
/* Sleeps until an enabled interrupt line is high, even if interrupts are disabled. */
static inline void machine_sleep(void) { __asm__ volatile("wfi" ::: "memory"); }

static inline uint32_t machine_read32(uint32_t address) {
  return *(volatile uint32_t*)(uintptr_t)address;
}
static inline void machine_write32(uint32_t address, uint32_t value) {
  *(volatile uint32_t*)(uintptr_t)address = value;
}

#ifdef __cplusplus
}
#endif

#endif
