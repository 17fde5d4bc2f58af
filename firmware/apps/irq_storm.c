/* Raises timer and software interrupts as fast as they can be served, and checks that no
 * interrupt is lost, repeated or nested, and that the registers of the interrupted code stay
 * intact. */
#include <inttypes.h>
#include <stdio.h>

#include "machine.h"
#include "trap.h"

enum { STORM = 2000, PERIOD_NS = 2000 };

static volatile uint32_t timer_count;
static volatile uint32_t software_count;
static volatile uint32_t depth;
static volatile uint32_t nested;
static uint64_t next_alarm;
static uint64_t worst_latency_ns;

/* Every alarm starts the next alarm and raises the software interrupt. */
void timer_handler(struct trap_frame* frame);
void timer_handler(struct trap_frame* frame) {
  (void)frame;
  if (depth++ != 0) nested = 1;
  const uint64_t latency = machine_time_ns() - next_alarm;
  if (latency > worst_latency_ns) worst_latency_ns = latency;
  if (++timer_count < STORM) {
    next_alarm += PERIOD_NS;
    machine_set_timer(next_alarm);
  } else {
    machine_set_timer(UINT64_MAX);
  }
  machine_set_software_interrupt(1);
  --depth;
}

static void software_handler(struct trap_frame* frame) {
  (void)frame;
  if (depth++ != 0) nested = 1;
  machine_set_software_interrupt(0);
  ++software_count;
  --depth;
}

/* Computes a checksum that is wrong if an interrupt has changed a register. */
__attribute__((noinline)) static uint32_t checksum(uint32_t rounds) {
  uint32_t a = 1;
  uint32_t b = 0;
  uint32_t c = 0x9E3779B9u;
  for (uint32_t i = 0; i < rounds; ++i) {
    a += b ^ c;
    b = (b << 5 | b >> 27) + a;
    c = c * 0x85EBCA6Bu + i;
  }
  return a ^ b ^ c;
}

int main(void) {
  enum { ROUNDS = 500 };
  const uint32_t expected = checksum(ROUNDS);
  trap_set_interrupt_handler(TRAP_TIMER, timer_handler);
  trap_set_interrupt_handler(TRAP_SOFTWARE, software_handler);
  next_alarm = machine_time_ns() + PERIOD_NS;
  machine_set_timer(next_alarm);
  MACHINE_CSR_SET(mie, 1u << TRAP_TIMER | 1u << TRAP_SOFTWARE);
  machine_enable_interrupts();

  uint32_t wrong = 0;
  uint32_t rounds = 0;
  while (timer_count < STORM || software_count < STORM) {
    if (checksum(ROUNDS) != expected) ++wrong;
    ++rounds;
    if (timer_count % 4 == 3) machine_sleep();
  }
  machine_disable_interrupts();

  printf("irq_storm: %" PRIu32 " timer, %" PRIu32 " software interrupts, %s, %" PRIu32
         " checksums wrong\n",
         timer_count, software_count, nested ? "NESTED" : "never nested", wrong);
  printf("irq_storm: worst latency %" PRIu64 " ns\n", worst_latency_ns);
  return timer_count == STORM && software_count == STORM && !nested && wrong == 0 && rounds > 0 ? 0
                                                                                                : 1;
}
