/* Prints a greeting and handles one timer interrupt. */
#include <stdio.h>

#include "machine.h"
#include "trap.h"

static volatile int ticks;

static void timer_handler(struct trap_frame* frame) {
  (void)frame;
  ticks = ticks + 1;
  machine_set_timer(UINT64_MAX);
}

int main(void) {
  printf("hello at %lu ns\n", (unsigned long)machine_time_ns());
  trap_set_interrupt_handler(TRAP_TIMER, timer_handler);
  machine_set_timer(machine_time_ns() + 5000);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER);
  machine_enable_interrupts();
  while (ticks == 0) machine_sleep();
  printf("%d timer interrupt\n", ticks);
  return 0;
}
