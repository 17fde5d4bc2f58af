/* Masks interrupts for known times. The program records between which instants each latency begins
 * and ends, and prints for each interrupt the bounds of its latency in nanoseconds. */
#include <stdio.h>

#include "driver/irq_regs.h"
#include "machine.h"
#include "trap.h"

static const uint32_t kMasked[] = {0, 300, 1000, 2500, 7000, 20000, 90000};
#define ROUNDS (sizeof kMasked / sizeof *kMasked)

static volatile uint64_t seen; /* time at which the last handler began; 0: no handler has run */
static volatile unsigned claimed;

static void on_timer(struct trap_frame* frame) {
  (void)frame;
  seen = machine_time_ns();
  machine_set_timer(UINT64_MAX);
}

static void on_software(struct trap_frame* frame) {
  (void)frame;
  seen = machine_time_ns();
  machine_set_software_interrupt(0);
}

static void on_external(struct trap_frame* frame) {
  (void)frame;
  seen = machine_time_ns();
  const unsigned source = machine_claim();
  claimed += source == IRQ_SOURCE_UART;
  machine_write32(DCC_UART_BASE + DCC_UART_IRQ_ENABLE, 0);
  machine_complete(source);
}

static void wait_until(uint64_t ns) {
  while (machine_time_ns() < ns) continue;
}

/* Prints the bounds of the latency of an interrupt that was requested between `from` and `to`. The
 * latency ends when the handler begins; `unmasked` is the earliest time for that. */
static void report(const char* name, uint64_t from, uint64_t to, uint64_t unmasked) {
  while (seen == 0) continue;
  const uint64_t least = unmasked > to ? unmasked - to : 0;
  printf("%s %lu %lu\n", name, (unsigned long)least, (unsigned long)(seen - from));
  seen = 0;
}

static void timer(uint32_t masked) {
  const uint64_t due = machine_time_ns() + 500;
  machine_set_timer(due);
  wait_until(due + masked);
  const uint64_t unmasked = machine_time_ns();
  machine_enable_interrupts();
  report("timer", due, due, unmasked);
  machine_disable_interrupts();
}

static void software(uint32_t masked) {
  const uint64_t from = machine_time_ns();
  machine_set_software_interrupt(1);
  const uint64_t to = machine_time_ns();
  wait_until(to + masked);
  const uint64_t unmasked = machine_time_ns();
  machine_enable_interrupts();
  report("software", from, to, unmasked);
  machine_disable_interrupts();
}

/* Requests the UART's interrupt, which is masked in the interrupt controller and not in mstatus. */
static void uart(uint32_t masked) {
  const uint64_t from = machine_time_ns();
  machine_write32(DCC_UART_BASE + DCC_UART_IRQ_ENABLE, 1);
  const uint64_t to = machine_time_ns();
  wait_until(to + masked);
  const uint64_t unmasked = machine_time_ns();
  machine_enable_interrupts();
  machine_enable_source(IRQ_SOURCE_UART);
  report("uart", from, to, unmasked);
  machine_disable_interrupts();
  machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET, 0);
}

/* Sleeps until a timer interrupt wakes the hart, without any masked time. */
static void sleep_for(uint32_t ns) {
  const uint64_t due = machine_time_ns() + ns;
  machine_set_timer(due);
  while (seen == 0) {
    machine_sleep();
    machine_enable_interrupts();
    machine_disable_interrupts();
  }
  report("timer", due, due, due);
}

int main(void) {
  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  trap_set_interrupt_handler(TRAP_SOFTWARE, on_software);
  trap_set_interrupt_handler(TRAP_EXTERNAL, on_external);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER | 1u << TRAP_SOFTWARE | 1u << TRAP_EXTERNAL);
  for (unsigned i = 0; i < ROUNDS; ++i) timer(kMasked[i]);
  sleep_for(3000);
  for (unsigned i = 0; i < ROUNDS; ++i) software(kMasked[i]);
  if ((machine_read32(DCC_UART_BASE + DCC_UART_STATUS) & 1u) != 0) { /* UART input */
    for (unsigned i = 0; i < ROUNDS; ++i) uart(kMasked[i]);
  }
  /* Makes two requests that no hart takes. One of the two remains pending. */
  machine_set_software_interrupt(1);
  machine_set_software_interrupt(0);
  machine_set_software_interrupt(1);
  printf("claimed %u\n", claimed);
  return 0;
}
