/* A planted bug for reverse debugging. Once, the timer's handler writes one word beyond the end of
 * its table. The program notices the wrong word only much later. */
#include <inttypes.h>
#include <stdio.h>

#include "machine.h"
#include "trap.h"

enum { ENTRIES = 8, TICKS = 400, PERIOD_NS = 1000, BAD_TICK = 137, GUARD = 0x600DBEEF };

/* Memory order: the table comes first, and the word that the bug overwrites follows it. */
static struct {
  volatile uint32_t table[ENTRIES];
  volatile uint32_t guard;
} shared = {{0}, GUARD};
static volatile uint32_t ticks;
static volatile uint32_t entry;
static uint64_t next_alarm;

void timer_handler(struct trap_frame* frame);
void timer_handler(struct trap_frame* frame) {
  (void)frame;
  const uint32_t tick = ++ticks;
  const uint32_t last = tick == BAD_TICK ? ENTRIES + 1 : ENTRIES; /* the planted bug */
  volatile uint32_t* const words = (volatile uint32_t*)&shared;
  for (entry = 0; entry < last; ++entry) words[entry] += tick;
  if (tick < TICKS) {
    next_alarm += PERIOD_NS;
    machine_set_timer(next_alarm);
  } else {
    machine_set_timer(UINT64_MAX);
  }
}

__attribute__((noinline)) void symptom(uint32_t seen);
void symptom(uint32_t seen) {
  printf("stray_write: the guard is 0x%08" PRIx32 " after %" PRIu32 " ticks\n", seen, ticks);
}

int main(void) {
  trap_set_interrupt_handler(TRAP_TIMER, timer_handler);
  next_alarm = machine_time_ns() + PERIOD_NS;
  machine_set_timer(next_alarm);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER);
  machine_enable_interrupts();
  printf("stray_write: begins\n");
  while (ticks < TICKS) {
  }
  machine_disable_interrupts();
  symptom(shared.guard);
  return shared.guard == GUARD ? 1 : 0; /* the program fails if the bug has occurred */
}
