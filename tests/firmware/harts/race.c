/* Several harts increment one word, first without atomic operations and then under a lock. The
 * first sum is too small because increments are lost. */
#include <stdio.h>

#include "harts.h"

#define ROUNDS 20000u

static struct harts_barrier barrier;
static volatile uint32_t raced, locked, lock;

static void work(void) {
  harts_wait_for_all(&barrier, DCC_HARTS);
  for (uint32_t i = 0; i < ROUNDS; ++i) raced = raced + 1;
  harts_wait_for_all(&barrier, DCC_HARTS);
  for (uint32_t i = 0; i < ROUNDS; ++i) {
    harts_lock(&lock);
    locked = locked + 1;
    harts_unlock(&lock);
  }
  harts_wait_for_all(&barrier, DCC_HARTS);
}

void hart_main(unsigned hart) {
  (void)hart;
  work();
}

int main(void) {
  work();
  printf("raced %lu, locked %lu of %lu\n", (unsigned long)raced, (unsigned long)locked,
         (unsigned long)(ROUNDS * DCC_HARTS));
  return 0;
}
