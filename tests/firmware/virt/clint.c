/* Accesses the CLINT's registers and reads its interrupt lines in random sequences. Times are so
 * far apart that the instructions between a write and a read do not matter. */
#include "driver/memory_map_virt.h"
#include "sequences.h"
#include "trap.h"

#define FAR 0x00400000u /* 0.4 s in ticks */

static uint32_t get(uint32_t offset) { return machine_read32(VIRT_CLINT_BASE + offset); }
static void set(uint32_t offset, uint32_t value) {
  machine_write32(VIRT_CLINT_BASE + offset, value);
}

static void software(unsigned number) {
  const uint32_t value = random_word();
  set(VIRT_CLINT_MSIP, value);
  keep("software %u: %08lx reads %lx line %u, next hart %lx\n", number, (unsigned long)value,
       (unsigned long)get(VIRT_CLINT_MSIP), line_of(TRAP_SOFTWARE),
       (unsigned long)get(VIRT_CLINT_MSIP + 4));
}

static void compare(unsigned number) {
  const uint32_t high = random_bits();
  const uint32_t low = random_word();
  set(VIRT_CLINT_MTIMECMP, low);
  set(VIRT_CLINT_MTIMECMP + 4, high);
  keep("compare %u: %lx %08lx reads %lx %08lx, next hart %lx\n", number, (unsigned long)high,
       (unsigned long)low, (unsigned long)get(VIRT_CLINT_MTIMECMP + 4),
       (unsigned long)get(VIRT_CLINT_MTIMECMP), (unsigned long)get(VIRT_CLINT_MTIMECMP + 8));
}

/* Sets mtime to values close to mtimecmp, with both orders of writing the register's halves. */
static void around(unsigned number) {
  const uint32_t high = random_bits();
  const uint32_t low = random_word() & 0xFFC00000u;
  const uint32_t compare_high = random_below(3) != 0 ? high : high + random_below(3) - 1;
  const uint32_t compare_low = random_word() & 0xFFC00000u;
  const int first = (int)random_below(2);
  for (int i = 0; i < 2; ++i) {
    if (i == first) {
      set(VIRT_CLINT_MTIME, low);
      set(VIRT_CLINT_MTIME + 4, high);
    } else {
      set(VIRT_CLINT_MTIMECMP + 4, 0xFFFFFFFFu);
      set(VIRT_CLINT_MTIMECMP, compare_low);
      set(VIRT_CLINT_MTIMECMP + 4, compare_high);
    }
  }
  keep("around %u: %lx %08lx against %lx %08lx line %u, mtime %lx %08lx\n", number,
       (unsigned long)high, (unsigned long)low, (unsigned long)compare_high,
       (unsigned long)compare_low, line_of(TRAP_TIMER), (unsigned long)get(VIRT_CLINT_MTIME + 4),
       (unsigned long)(get(VIRT_CLINT_MTIME) & ~(FAR - 1)));
}

/* The timer's line rises when mtime reaches mtimecmp, and falls when mtimecmp is set to a later
 * time. */
static void due(unsigned number) {
  const uint32_t ticks = 20 + random_below(200);
  set(VIRT_CLINT_MTIME + 4, 0);
  set(VIRT_CLINT_MTIME, 0);
  set(VIRT_CLINT_MTIMECMP + 4, 0);
  set(VIRT_CLINT_MTIMECMP, FAR);
  const unsigned before = line_of(TRAP_TIMER);
  set(VIRT_CLINT_MTIMECMP, get(VIRT_CLINT_MTIME) + ticks);
  while (line_of(TRAP_TIMER) == 0) {
  }
  const uint32_t reached = get(VIRT_CLINT_MTIME) >= get(VIRT_CLINT_MTIMECMP);
  set(VIRT_CLINT_MTIMECMP, FAR);
  keep("due %u: %u, reached %lu, then %u\n", number, before, (unsigned long)reached,
       line_of(TRAP_TIMER));
}

int main(void) {
  keep("reset: msip %lx mtimecmp %08lx %08lx mtime %lx lines %u %u gap %lx\n",
       (unsigned long)get(VIRT_CLINT_MSIP), (unsigned long)get(VIRT_CLINT_MTIMECMP + 4),
       (unsigned long)get(VIRT_CLINT_MTIMECMP), (unsigned long)get(VIRT_CLINT_MTIME + 4),
       line_of(TRAP_SOFTWARE), line_of(TRAP_TIMER), (unsigned long)get(0xB000));
  for (unsigned i = 1; i <= 60; ++i) software(i);
  for (unsigned i = 1; i <= 60; ++i) compare(i);
  for (unsigned i = 1; i <= 100; ++i) around(i);
  for (unsigned i = 1; i <= 20; ++i) due(i);
  print_kept();
  return 0;
}
