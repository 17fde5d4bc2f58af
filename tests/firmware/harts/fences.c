/* One hart hands words to another hart through a flag: without fences, with a fence on one side
 * only, and with fences on both sides. The macro FENCES selects the variant: 0, 1, 2. */
#include <stdio.h>

#include "harts.h"

#define ROUNDS 200u

static volatile uint32_t flag, answer;
static volatile uint32_t words[8];

static void order(unsigned needed) {
  if (FENCES >= needed) harts_fence();
}

void hart_main(unsigned hart) {
  if (hart != 1) return;
  for (uint32_t i = 1; i <= ROUNDS; ++i) {
    while (flag != i) {
    }
    order(2);
    uint32_t sum = 0;
    for (unsigned word = 0; word < 8; ++word) sum += words[word];
    order(1);
    answer = sum;
  }
}

int main(void) {
  uint32_t good = 0;
  for (uint32_t i = 1; i <= ROUNDS; ++i) {
    for (unsigned word = 0; word < 8; ++word) words[word] = i;
    order(1);
    flag = i;
    while (answer != 8 * i) {
    }
    order(2);
    ++good;
  }
  printf("%lu rounds\n", (unsigned long)good);
  return 0;
}
