/* The devices of `machine: virt` from C: the serial port receives by interrupt through the PLIC,
 * and the CLINT's timer ticks. Runs on QEMU's machine virt too. */
#include <ctype.h>
#include <stdio.h>

#include "driver/memory_map_virt.h"
#include "machine.h"
#include "trap.h"

#define TICK_NS 1000000u
#define IER_RECEIVED 0x01u
#define FCR_ENABLE_AND_RESET 0x07u
#define LSR_RECEIVED 0x01u

static char line[64];
static volatile unsigned length;
static volatile int complete;
static volatile unsigned ticks;

static volatile uint8_t* uart(uint32_t reg) {
  return (volatile uint8_t*)(uintptr_t)(VIRT_UART_BASE + reg);
}

/* Claims and serves sources until none is pending, so that one trap serves all. */
static void on_external(struct trap_frame* frame) {
  (void)frame;
  for (unsigned source = machine_claim(); source != 0; source = machine_claim()) {
    while (source == VIRT_IRQ_UART && (*uart(VIRT_UART_LSR) & LSR_RECEIVED) != 0) {
      const char c = (char)*uart(VIRT_UART_DATA);
      if (c == '\n') complete = 1;
      if (!complete && length < sizeof line - 1) line[length++] = (char)toupper(c);
    }
    machine_complete(source);
  }
}

static void on_timer(struct trap_frame* frame) {
  (void)frame;
  ++ticks;
  machine_set_timer(machine_time_ns() + TICK_NS);
}

int main(void) {
  trap_set_interrupt_handler(TRAP_EXTERNAL, on_external);
  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  *uart(VIRT_UART_IIR_FCR) = FCR_ENABLE_AND_RESET;
  *uart(VIRT_UART_IER) = IER_RECEIVED;
  machine_enable_source(VIRT_IRQ_UART);
  machine_set_timer(machine_time_ns() + TICK_NS);
  MACHINE_CSR_SET(mie, 1u << TRAP_EXTERNAL | 1u << TRAP_TIMER);

  printf("say something\n");
  machine_enable_interrupts();
  while (!complete || ticks < 3) machine_sleep();
  machine_disable_interrupts();
  line[length] = '\0';
  printf("heard %s\n", line);
  return 0;
}
