/* Accesses the PLIC's registers and claims the serial port's interrupt, in random sequences. QEMU
 * differs from the specification in four ways, which no sequence shows: a claim depends on the
 * threshold, a completion ignores the enable bits, a falling line clears its pending bit, and a
 * line that is high at completion does not become pending again. */
#include "driver/memory_map_virt.h"
#include "sequences.h"
#include "trap.h"

/* QEMU's device tree gives 96 sources; its registers have 95. */
#define SOURCES 95u
#define WORDS 3u
#define EXISTING(word) ((word) == 0 ? 0xFFFFFFFEu : 0xFFFFFFFFu)

static uint32_t get(uint32_t offset) { return machine_read32(VIRT_PLIC_BASE + offset); }
static void set(uint32_t offset, uint32_t value) {
  machine_write32(VIRT_PLIC_BASE + offset, value);
}
static uint32_t priority_of(uint32_t source) { return VIRT_PLIC_PRIORITY + 4 * source; }

/* Enables the transmitter's interrupt. The transmitter is empty, so its line rises. */
static void raise_line(void) { write8(VIRT_UART_BASE + VIRT_UART_IER, 2); }
static void lower_line(void) { write8(VIRT_UART_BASE + VIRT_UART_IER, 0); }

static void reset_values(void) {
  uint32_t any = 0;
  for (uint32_t source = 0; source <= SOURCES; ++source) any |= get(priority_of(source));
  keep("reset: priorities %lx", (unsigned long)any);
  for (uint32_t word = 0; word < WORDS; ++word) {
    keep(" %lx %lx", (unsigned long)get(VIRT_PLIC_PENDING + 4 * word),
         (unsigned long)get(VIRT_PLIC_ENABLE + 4 * word));
  }
  keep(" threshold %lx claim %lx\n", (unsigned long)get(VIRT_PLIC_THRESHOLD),
       (unsigned long)get(VIRT_PLIC_CLAIM));
}

/* Checks that the implemented bits of registers read back as written. Pending bits and unmapped
 * addresses are read-only. */
static void registers(unsigned number) {
  const uint32_t source = 1 + random_below(SOURCES);
  const uint32_t word = random_below(WORDS);
  const uint32_t value = random_word();
  set(priority_of(source), value);
  set(VIRT_PLIC_ENABLE + 4 * word, value);
  set(VIRT_PLIC_THRESHOLD, value >> 4);
  set(VIRT_PLIC_PENDING + 4 * word, value);
  keep("registers %u: source %lu %lx, word %lu %lx, threshold %lx, pending %lx, gap %lx\n", number,
       (unsigned long)source, (unsigned long)get(priority_of(source)), (unsigned long)word,
       (unsigned long)(get(VIRT_PLIC_ENABLE + 4 * word) & EXISTING(word)),
       (unsigned long)get(VIRT_PLIC_THRESHOLD), (unsigned long)get(VIRT_PLIC_PENDING + 4 * word),
       (unsigned long)get(VIRT_PLIC_PENDING + 0x40 + 4 * word));
  set(VIRT_PLIC_ENABLE + 4 * word, 0);
  set(priority_of(source), 0);
}

static void show(const char* when) {
  keep(" %s %lx%u", when, (unsigned long)get(VIRT_PLIC_PENDING), line_of(TRAP_EXTERNAL));
}

static void claims(unsigned number) {
  const uint32_t priority = random_below(10);
  const uint32_t threshold = random_below(10);
  const int enabled = random_below(4) != 0;
  const uint32_t seen_priority = priority & 7;
  const uint32_t seen_threshold = threshold & 7;
  set(priority_of(VIRT_IRQ_UART), priority);
  set(VIRT_PLIC_THRESHOLD, threshold);
  set(VIRT_PLIC_ENABLE, enabled ? 1u << VIRT_IRQ_UART : random_word() & ~(1u << VIRT_IRQ_UART));
  keep("claims %u: priority %lu threshold %lu enabled %d:", number, (unsigned long)priority,
       (unsigned long)threshold, enabled);
  show("low");
  raise_line();
  show("high");
  if (seen_priority <= seen_threshold && seen_priority != 0) {
    set(VIRT_PLIC_THRESHOLD, seen_priority - 1);
    show("threshold");
  }
  if (!enabled || seen_priority == 0) {
    keep(" none %lu", (unsigned long)get(VIRT_PLIC_CLAIM));
    set(VIRT_PLIC_ENABLE, 1u << VIRT_IRQ_UART);
    set(priority_of(VIRT_IRQ_UART), 7);
    set(VIRT_PLIC_THRESHOLD, random_below(7));
    show("enabled");
  }
  keep(" claim %lu", (unsigned long)get(VIRT_PLIC_CLAIM));
  show("claimed");
  keep(" again %lu", (unsigned long)get(VIRT_PLIC_CLAIM));
  set(VIRT_PLIC_CLAIM, random_below(2) != 0 ? 11u : 0u); /* no effect: not in service */
  lower_line();
  show("lowered");
  if (random_below(2) != 0) set(VIRT_PLIC_THRESHOLD, 7);
  set(VIRT_PLIC_CLAIM, VIRT_IRQ_UART);
  show("completed");
  keep("\n");
}

int main(void) {
  reset_values();
  for (unsigned i = 1; i <= 120; ++i) registers(i);
  for (unsigned i = 1; i <= 200; ++i) claims(i);
  print_kept();
  return 0;
}
