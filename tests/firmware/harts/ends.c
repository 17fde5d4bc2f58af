/* Ends of programs on several harts: END says how hart 1 ends. */
#include "harts.h"

static volatile uint32_t choice;

void hart_main(unsigned hart) {
  while (choice == 0) {
  }
  if (hart != 1) return;
  if (choice == 'x') machine_exit(5);
  if (choice == 'd') __asm__ volatile("csrw mtvec, zero\nsw zero, 16(zero)"); /* no memory there */
  if (choice == 'p') __asm__ volatile("csrw mie, zero\n1: j 1b");
}

int main(void) {
  choice = END;
  harts_fence();
  for (volatile uint32_t i = 0; i < 100000; ++i) {
  }
  machine_exit(choice == 'p' ? 0 : 9);
}
