/* Sleeps until the UART has received a character, reads it in the interrupt handler and sends it
 * back. A line end ends the program with the number of characters as exit code. */
#include <stdio.h>

#include "driver/irq_regs.h"
#include "driver/memory_map.h"
#include "machine.h"
#include "trap.h"

static volatile int last;
static volatile unsigned count;

static void on_external(struct trap_frame* frame) {
  (void)frame;
  const uint32_t source = machine_read32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_CLAIM_OFFSET);
  if (source == IRQ_SOURCE_UART) {
    last = (int)machine_read32(DCC_UART_BASE + DCC_UART_DATA);
    ++count;
    putchar(last);
  }
  machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_COMPLETE_OFFSET, source);
}

int main(void) {
  trap_set_interrupt_handler(TRAP_EXTERNAL, on_external);
  machine_write32(DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET, 1u << IRQ_SOURCE_UART);
  machine_write32(DCC_UART_BASE + DCC_UART_IRQ_ENABLE, 1);
  MACHINE_CSR_SET(mie, 1u << TRAP_EXTERNAL);
  machine_enable_interrupts();
  while (last != '\n') machine_sleep();
  return (int)count;
}
