/* Misaligned loads and stores that cross a word. The CPU completes them or traps, depending on its
 * configuration. */
#include <inttypes.h>
#include <stdio.h>

static uint32_t words[2] = {0x44332211, 0x88776655};

int main(void) {
  uintptr_t base = (uintptr_t)words;
  __asm__("" : "+r"(base)); /* so that the compiler cannot split the accesses */
  volatile uint32_t* const across = (volatile uint32_t*)(base + 1);
  printf("%08" PRIx32, *across);
  *across = 0x7766FFEE;
  printf(" then %08" PRIx32 "\n", *(volatile uint32_t*)(base + 2));
  return 0;
}
