#include "machine.h"

#include <stdio.h>

#include "driver/hal.h"
#include "driver/irq_regs.h"
#include "driver/memory_map.h"
#include "trap.h"

#ifdef DCC_MACHINE_VIRT

#include "driver/memory_map_virt.h"

#define CLINT VIRT_CLINT_BASE
#define NS_PER_TICK 100u
#define LSR_RECEIVED 0x01u
#define LSR_CAN_SEND 0x20u
#define FINISH_PASS 0x5555u
#define FINISH_FAIL 0x3333u

static uint8_t uart_read(uint32_t reg) {
  return *(volatile uint8_t*)(uintptr_t)(VIRT_UART_BASE + reg);
}

/* The finisher has 16 bits for the exit code, and QEMU exits with the lower 8 of them: a code
 * that would mean success on QEMU becomes 0xffff. */
static void exit_with(uint32_t code) {
  if (code > 0xFFFFu || (code != 0 && (code & 0xFFu) == 0)) code = 0xFFFFu;
  machine_write32(VIRT_TEST_BASE + VIRT_TEST_FINISH,
                  code == 0 ? FINISH_PASS : code << 16 | FINISH_FAIL);
}

static void send(uint8_t byte) {
  while ((uart_read(VIRT_UART_LSR) & LSR_CAN_SEND) == 0) {
  }
  *(volatile uint8_t*)(uintptr_t)(VIRT_UART_BASE + VIRT_UART_DATA) = byte;
}

static uint8_t receive(void) {
  while ((uart_read(VIRT_UART_LSR) & LSR_RECEIVED) == 0) {
  }
  return uart_read(VIRT_UART_DATA);
}

void machine_enable_source(unsigned source) {
  const uint32_t word = VIRT_PLIC_BASE + VIRT_PLIC_ENABLE + source / 32 * 4;
  machine_write32(VIRT_PLIC_BASE + VIRT_PLIC_PRIORITY + 4 * source, 1);
  machine_write32(word, machine_read32(word) | 1u << (source % 32));
}

unsigned machine_claim(void) { return machine_read32(VIRT_PLIC_BASE + VIRT_PLIC_CLAIM); }

void machine_complete(unsigned source) {
  machine_write32(VIRT_PLIC_BASE + VIRT_PLIC_CLAIM, source);
}

#else

#define CLINT DCC_CLINT_BASE
#define NS_PER_TICK 1u

static void exit_with(uint32_t code) {
  machine_write32(DCC_SIM_CONTROL_BASE + DCC_SIM_CONTROL_EXIT, code);
}

static void send(uint8_t byte) { machine_write32(DCC_UART_BASE + DCC_UART_DATA, byte); }

static uint8_t receive(void) {
  while ((machine_read32(DCC_UART_BASE + DCC_UART_STATUS) & 1u) == 0) {
  }
  return (uint8_t)machine_read32(DCC_UART_BASE + DCC_UART_DATA);
}

void machine_enable_source(unsigned source) {
  const uint32_t enable = DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET;
  machine_write32(enable, machine_read32(enable) | 1u << source);
}

unsigned machine_claim(void) {
  return machine_read32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_CLAIM_OFFSET);
}

void machine_complete(unsigned source) {
  machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_COMPLETE_OFFSET, source);
}

#endif

void machine_exit(int code) {
  exit_with((uint32_t)code);
  for (;;) {
  }
}

/* The C library calls _exit() at the end of the program. */
void _exit(int code);
void _exit(int code) { machine_exit(code); }

uint64_t machine_time_ns(void) {
  const uint32_t mtime = CLINT + DCC_CLINT_MTIME;
  for (;;) {
    const uint32_t high = machine_read32(mtime + 4);
    const uint32_t low = machine_read32(mtime);
    if (machine_read32(mtime + 4) == high) return ((uint64_t)high << 32 | low) * NS_PER_TICK;
  }
}

/* Number of the calling hart; 0 in a program for a single hart. */
static uint32_t own_hart(void) {
#ifdef DCC_HARTS
  return MACHINE_CSR_READ(mhartid);
#else
  return 0;
#endif
}

void machine_set_timer(uint64_t ns) {
  const uint32_t mtimecmp = CLINT + DCC_CLINT_MTIMECMP + 8 * own_hart();
  /* Rounds the ticks up, since a truncated division ends one tick early; UINT64_MAX means never. */
  const uint64_t ticks =
      ns == UINT64_MAX ? ns : ns / NS_PER_TICK + (ns % NS_PER_TICK != 0 ? 1u : 0u);
  machine_write32(mtimecmp + 4, UINT32_MAX); /* no interrupt between the two writes */
  machine_write32(mtimecmp, (uint32_t)ticks);
  machine_write32(mtimecmp + 4, (uint32_t)(ticks >> 32));
}

void machine_set_software_interrupt(int high) {
  machine_write32(CLINT + DCC_CLINT_MSIP + 4 * own_hart(), high ? 1 : 0);
}

void machine_interrupt_hart(unsigned hart, int high) {
  machine_write32(CLINT + DCC_CLINT_MSIP + 4 * hart, high ? 1 : 0);
}

/* ---- functions that driver/hal.h requires of firmware ---- */

uint64_t firmware_time_ns(void) { return machine_time_ns(); }

static volatile int external_seen;

/* The line stays high until the application has served its source, so it is masked until the
 * next wait. */
static void on_external_interrupt(struct trap_frame* frame) {
  (void)frame;
  external_seen = 1;
  MACHINE_CSR_CLEAR(mie, 1u << TRAP_EXTERNAL);
}

static void on_timer_interrupt(struct trap_frame* frame) {
  (void)frame;
  MACHINE_CSR_CLEAR(mie, 1u << TRAP_TIMER);
}

/* The function is weak, because a kernel that runs tasks while a driver waits defines its own. */
__attribute__((weak)) int firmware_wait_for_interrupt(uint64_t deadline_ns) {
  trap_set_interrupt_handler(TRAP_EXTERNAL, on_external_interrupt);
  trap_set_interrupt_handler(TRAP_TIMER, on_timer_interrupt);
  external_seen = 0;
  machine_disable_interrupts();
  machine_set_timer(deadline_ns);
  for (;;) {
    MACHINE_CSR_SET(mie, 1u << TRAP_EXTERNAL | 1u << TRAP_TIMER);
    machine_sleep();
    machine_enable_interrupts(); /* the pending interrupt is taken here */
    machine_disable_interrupts();
    if (external_seen) return 1;
    if (deadline_ns != UINT64_MAX && machine_time_ns() >= deadline_ns) return 0;
  }
}

/* ---- standard input and output ---- */

static int uart_put(char c, FILE* file) {
  (void)file;
  send((uint8_t)c);
  return (unsigned char)c;
}

/* Polls for a character; programs that can sleep use the interrupt instead. */
static int uart_get(FILE* file) {
  (void)file;
  return receive();
}

static FILE uart_stream = FDEV_SETUP_STREAM(uart_put, uart_get, NULL, _FDEV_SETUP_RW);
FILE* const stdin = &uart_stream;
FILE* const stdout = &uart_stream;
FILE* const stderr = &uart_stream;
