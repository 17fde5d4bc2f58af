/* Known counts of lines, branches and calls, for the coverage and the profile. The test looks for
 * the lines by the words behind their slashes. */
#include <stdint.h>

static volatile uint32_t sink;

__attribute__((noipa)) static void leaf(uint32_t n) { sink = sink + n; /* runs seven times */ }

__attribute__((noipa)) static void deep(uint32_t n) {
  volatile uint32_t room[256];
  room[n & 255] = n;
  sink = room[n & 255]; /* runs once and needs a deep stack */
}

__attribute__((noipa)) static void never(void) { sink = 1; /* never */ }

int main(void) {
  for (uint32_t i = 0; i < 7; ++i) {
    leaf(i); /* called seven times */
  }
  deep(3);
  if (sink == 0xFFFFFFFFu) {
    never();
  }
  return 0;
}
