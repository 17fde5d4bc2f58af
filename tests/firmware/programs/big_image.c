/* A program image of more than 2 MiB, linked for 4 MiB of RAM. */
#include <stdint.h>
#include <stdio.h>

static volatile uint32_t words[1 << 19];

int main(void) {
  const unsigned last = sizeof words / sizeof *words - 1;
  words[last] = 7;
  const volatile uint32_t on_stack = words[last];
  printf("big image: %u, stack above 3 MiB: %s\n", (unsigned)on_stack,
         (uintptr_t)&on_stack > 0x80300000u ? "yes" : "no");
  return 0;
}
