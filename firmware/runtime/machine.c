#include "machine.h"

#include <stdio.h>

#include "driver/hal.h"
#include "driver/memory_map.h"
#include "trap.h"

void machine_exit(int code) {
  machine_write32(DCC_SIM_CONTROL_BASE + DCC_SIM_CONTROL_EXIT, (uint32_t)code);
  for (;;) {
  }
}

/* The C library's way out. */
void _exit(int code);
void _exit(int code) { machine_exit(code); }

uint64_t machine_time_ns(void) {
  const uint32_t mtime = DCC_CLINT_BASE + DCC_CLINT_MTIME;
  for (;;) {
    const uint32_t high = machine_read32(mtime + 4);
    const uint32_t low = machine_read32(mtime);
    if (machine_read32(mtime + 4) == high) return (uint64_t)high << 32 | low;
  }
}

void machine_set_timer(uint64_t ns) {
  const uint32_t mtimecmp = DCC_CLINT_BASE + DCC_CLINT_MTIMECMP;
  machine_write32(mtimecmp + 4, UINT32_MAX); /* no false alarm between the two halves */
  machine_write32(mtimecmp, (uint32_t)ns);
  machine_write32(mtimecmp + 4, (uint32_t)(ns >> 32));
}

void machine_set_software_interrupt(int high) {
  machine_write32(DCC_CLINT_BASE + DCC_CLINT_MSIP, high ? 1 : 0);
}

/* ---- what driver/hal.h asks of firmware ---- */

uint64_t firmware_time_ns(void) { return machine_time_ns(); }

static volatile int external_seen;

/* The line stays high until the application has served its source: masked until the next wait. */
static void on_external_interrupt(struct trap_frame* frame) {
  (void)frame;
  external_seen = 1;
  MACHINE_CSR_CLEAR(mie, 1u << TRAP_EXTERNAL);
}

static void on_timer_interrupt(struct trap_frame* frame) {
  (void)frame;
  MACHINE_CSR_CLEAR(mie, 1u << TRAP_TIMER);
}

/* Weak: a kernel that gives its turns to others while a driver waits brings its own. */
__attribute__((weak)) int firmware_wait_for_interrupt(uint64_t deadline_ns) {
  trap_set_interrupt_handler(TRAP_EXTERNAL, on_external_interrupt);
  trap_set_interrupt_handler(TRAP_TIMER, on_timer_interrupt);
  external_seen = 0;
  machine_disable_interrupts();
  machine_set_timer(deadline_ns);
  for (;;) {
    MACHINE_CSR_SET(mie, 1u << TRAP_EXTERNAL | 1u << TRAP_TIMER);
    machine_sleep();
    machine_enable_interrupts(); /* the waiting interrupt is taken here */
    machine_disable_interrupts();
    if (external_seen) return 1;
    if (deadline_ns != UINT64_MAX && machine_time_ns() >= deadline_ns) return 0;
  }
}

/* ---- standard input and output ---- */

static int uart_put(char c, FILE* file) {
  (void)file;
  machine_write32(DCC_UART_BASE + DCC_UART_DATA, (uint8_t)c);
  return (unsigned char)c;
}

/* Waits for a character by looking; programs that can sleep use the interrupt instead. */
static int uart_get(FILE* file) {
  (void)file;
  while ((machine_read32(DCC_UART_BASE + DCC_UART_STATUS) & 1u) == 0) {
  }
  return (int)machine_read32(DCC_UART_BASE + DCC_UART_DATA);
}

static FILE uart_stream = FDEV_SETUP_STREAM(uart_put, uart_get, NULL, _FDEV_SETUP_RW);
FILE* const stdin = &uart_stream;
FILE* const stdout = &uart_stream;
FILE* const stderr = &uart_stream;
