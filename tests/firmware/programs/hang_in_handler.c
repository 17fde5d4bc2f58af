/* An interrupt handler that never returns, because it waits for a flag that only main could set. */
#include "machine.h"
#include "trap.h"

static volatile int ready;

static void on_timer(struct trap_frame* frame) {
  (void)frame;
  while (!ready) {
  }
}

int main(void) {
  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  machine_set_timer(machine_time_ns() + 20000);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER);
  machine_enable_interrupts();
  for (;;) machine_sleep();
}
