/* Tests which stores end another hart's reservation: a store to the reserved word ends it, also
 * with the same value; a store to the next word does not. */
#include <stdio.h>

#include "harts.h"

static volatile uint32_t step;                                  /* number of the requested step */
static volatile uint32_t words[4] __attribute__((aligned(16))); /* the reserved word is words[1] */

/* Reserves words[1], lets the other hart execute step `number`, and stores 7 conditionally. Returns
 * 1 if the conditional store failed. */
static uint32_t try_around(uint32_t number) {
  uint32_t failed;
  uint32_t seen;
  __asm__ volatile(HARTS_ATOMIC("lr.w %1, %2\n"
                                "sw %4, %3\n"
                                "1: lw %1, %3\n"
                                "bnez %1, 1b\n"
                                "sc.w %0, %5, %2")
                   : "=&r"(failed), "=&r"(seen), "+A"(words[1]), "+m"(step)
                   : "r"(number), "r"(7)
                   : "memory");
  return failed;
}

void hart_main(unsigned hart) {
  if (hart != 1) return;
  for (;;) {
    const uint32_t asked = step;
    if (asked == 0) continue;
    if (asked == 2) words[1] = words[1];
    if (asked == 3) words[1] = 5;
    if (asked == 4) words[0] = words[2] = 9;
    if (asked == 5) ((volatile uint8_t*)words)[7] = 0;
    if (asked == 6) harts_add(&words[1], 0);
    if (asked == 7) harts_add(&words[2], 1);
    step = 0;
  }
}

int main(void) {
  static const char* const kSteps[] = {"nothing",  "same value", "another value", "neighbours",
                                       "one byte", "amo",        "amo beside"};
  for (uint32_t i = 0; i < sizeof kSteps / sizeof *kSteps; ++i) {
    words[1] = 1;
    const uint32_t failed = try_around(i + 1);
    printf("%s: %s, word %lu\n", kSteps[i], failed ? "lost" : "kept", (unsigned long)words[1]);
  }
  return 0;
}
