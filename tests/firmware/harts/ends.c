/* Tests how programs on several harts end. The macro END selects how hart 1 ends. */
#include "harts.h"
#include "trap.h"

static volatile uint32_t choice;

static void hang(struct trap_frame* frame) {
  (void)frame;
  while (choice != 0) {
  }
}

void hart_main(unsigned hart) {
  while (choice == 0) {
  }
  if (hart != 1) return;
  if (choice == 'x') machine_exit(5);
  if (choice == 'd') __asm__ volatile("csrw mtvec, zero\nsw zero, 16(zero)"); /* no memory */
  if (choice == 'h') { /* hangs in a handler while hart 0 goes on */
    trap_set_interrupt_handler(TRAP_SOFTWARE, hang);
    MACHINE_CSR_SET(mie, 1u << TRAP_SOFTWARE);
    machine_enable_interrupts();
    machine_set_software_interrupt(1);
  }
  if (choice == 'p') __asm__ volatile("csrw mie, zero\n1: j 1b");
}

int main(void) {
  choice = END;
  harts_fence();
  if (choice == 'h') {
    MACHINE_CSR_SET(mie, 1u << TRAP_TIMER);
    for (;;) machine_sleep();
  }
  for (volatile uint32_t i = 0; i < 100000; ++i) {
  }
  machine_exit(choice == 'p' ? 0 : 9);
}
