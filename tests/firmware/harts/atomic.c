/* Several harts compute sums together by atomic operations, and each hart takes interrupts. The
 * program must print the same lines on this platform and on QEMU's machine virt. */
#include <stdio.h>

#include "driver/memory_map_virt.h"
#include "harts.h"
#include "trap.h"

#define ROUNDS 20000u

static struct harts_barrier barrier;
static volatile uint32_t by_amo, by_reservation, by_lock, lock;
static volatile uint32_t started, software_seen[DCC_HARTS], timer_seen[DCC_HARTS];
static volatile uint32_t timer_set[DCC_HARTS]; /* 1: a timer interrupt is expected */
static volatile uint32_t greatest, bits;

static void on_software(struct trap_frame* frame) {
  (void)frame;
  machine_set_software_interrupt(0);
  software_seen[harts_number()] += 1;
}

static void on_timer(struct trap_frame* frame) {
  (void)frame;
  machine_set_timer(UINT64_MAX);
  /* QEMU's timer runs in another thread, so its interrupt can occur once more after the store
   * above. */
  timer_seen[harts_number()] += timer_set[harts_number()];
  timer_set[harts_number()] = 0;
}

/* Sleeps until the interrupt handler of this hart has counted `count` interrupts. */
static void await(volatile uint32_t* seen, uint32_t count) {
  while (*seen < count) {
    machine_disable_interrupts();
    if (*seen < count) machine_sleep();
    machine_enable_interrupts();
  }
}

static void amo_max(volatile uint32_t* word, uint32_t value) {
  __asm__ volatile(HARTS_ATOMIC("amomaxu.w zero, %1, %0") : "+A"(*word) : "r"(value) : "memory");
}
static void amo_or(volatile uint32_t* word, uint32_t value) {
  __asm__ volatile(HARTS_ATOMIC("amoor.w zero, %1, %0") : "+A"(*word) : "r"(value) : "memory");
}

static void work(unsigned hart) {
  harts_add(&started, 1u << (8 * hart));
  harts_wait_for_all(&barrier, DCC_HARTS);
  for (uint32_t i = 0; i < ROUNDS; ++i) harts_add(&by_amo, hart + 1);
  for (uint32_t i = 0; i < ROUNDS; ++i) harts_add_reserved(&by_reservation, hart + 1);
  for (uint32_t i = 0; i < ROUNDS; ++i) {
    harts_lock(&lock);
    by_lock = by_lock + hart + 1;
    harts_unlock(&lock);
  }
  for (uint32_t i = 0; i < ROUNDS; ++i) amo_max(&greatest, i * (hart + 1));
  amo_or(&bits, 0x100u << hart);
  harts_wait_for_all(&barrier, DCC_HARTS);

  /* Software interrupts in a ring: each hart wakes the next hart. */
  MACHINE_CSR_SET(mie, 1u << TRAP_SOFTWARE | 1u << TRAP_TIMER);
  machine_enable_interrupts();
  for (uint32_t i = 1; i <= 100; ++i) {
    if (hart != 0) await(&software_seen[hart], i);
    machine_interrupt_hart((hart + 1) % DCC_HARTS, 1);
    if (hart == 0) await(&software_seen[hart], i);
  }
  for (uint32_t i = 1; i <= 20; ++i) {
    timer_set[hart] = 1;
    machine_set_timer(machine_time_ns() + 10000 * (hart + 1));
    await(&timer_seen[hart], i);
  }
  harts_wait_for_all(&barrier, DCC_HARTS);
}

void hart_main(unsigned hart) { work(hart); }

#ifdef DCC_MACHINE_VIRT
/* Prints registers of interrupt contexts and harts that exist, and of some that do not exist. */
static void print_registers(void) {
  for (unsigned context = 0; context < 8; ++context) {
    const uint32_t enable = VIRT_PLIC_BASE + VIRT_PLIC_ENABLE + 0x80 * context;
    const uint32_t threshold = VIRT_PLIC_BASE + VIRT_PLIC_THRESHOLD + 0x1000 * context;
    if (context >= DCC_HARTS) continue; /* QEMU has no registers there and reports an error */
    machine_write32(enable, 0x402u + 4 * context);
    machine_write32(enable + 8, ~0u);
    machine_write32(threshold, 3 + context);
    printf("context %u: enable %lx %lx threshold %lx claim %lx\n", context,
           (unsigned long)machine_read32(enable), (unsigned long)machine_read32(enable + 8),
           (unsigned long)machine_read32(threshold), (unsigned long)machine_read32(threshold + 4));
  }
  for (unsigned hart = 0; hart < 6; ++hart) {
    const uint32_t compare = VIRT_CLINT_BASE + VIRT_CLINT_MTIMECMP + 8 * hart;
    machine_write32(compare + 4, 0x7FFF0000u + hart);
    machine_write32(compare, 17 * hart);
    const uint32_t software = VIRT_CLINT_BASE + VIRT_CLINT_MSIP + 4 * hart;
    const unsigned long before = machine_read32(software);
    if (hart != 0) machine_write32(software, ~0u);
    printf("hart %u: mtimecmp %lx %lx msip %lx %lx\n", hart,
           (unsigned long)machine_read32(compare + 4), (unsigned long)machine_read32(compare),
           before, (unsigned long)machine_read32(software));
  }
}
#endif

int main(void) {
  trap_set_interrupt_handler(TRAP_SOFTWARE, on_software);
  trap_set_interrupt_handler(TRAP_TIMER, on_timer);
  harts_fence();
  work(0);
  printf("started %08lx\n", (unsigned long)started);
  printf("amo %lu, reservation %lu, lock %lu, of %lu\n", (unsigned long)by_amo,
         (unsigned long)by_reservation, (unsigned long)by_lock,
         (unsigned long)(ROUNDS * (DCC_HARTS * (DCC_HARTS + 1) / 2)));
  printf("greatest %lu, bits %lx\n", (unsigned long)greatest, (unsigned long)bits);
  for (unsigned i = 0; i < DCC_HARTS; ++i) {
    printf("hart %u: %lu software, %lu timer interrupts\n", i, (unsigned long)software_seen[i],
           (unsigned long)timer_seen[i]);
  }
#ifdef DCC_MACHINE_VIRT
  print_registers();
#endif
  return 0;
}
