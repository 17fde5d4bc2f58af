/* An interrupt handler waits for a flag that only main could set. The interrupt line stays high, so
 * the wfi instruction in the handler returns at once. */
#include "machine.h"
#include "trap.h"

static volatile int ready;

static void on_timer(struct trap_frame* frame) {
  (void)frame;
  while (!ready) machine_sleep();
}

int main(void) {
  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  machine_set_timer(machine_time_ns() + 20000);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER);
  machine_enable_interrupts();
  for (;;) machine_sleep();
}
