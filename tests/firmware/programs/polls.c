/* Polls without sleeping, while a timer interrupt's handler takes most of the time. A run therefore
 * probably ends within the handler. */
#include "machine.h"
#include "trap.h"

enum { PERIOD_NS = 2000, SHARE_NS = 1600 };

static volatile uint32_t polls;

static void on_timer(struct trap_frame* frame) {
  (void)frame;
  const uint64_t end = machine_time_ns() + SHARE_NS;
  while (machine_time_ns() < end) {
  }
  machine_set_timer(end + PERIOD_NS - SHARE_NS);
}

int main(void) {
  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  machine_set_timer(machine_time_ns() + PERIOD_NS);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER);
  machine_enable_interrupts();
  for (;;) ++polls;
}
