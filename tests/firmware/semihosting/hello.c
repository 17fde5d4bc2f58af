/* The C library's own start-up code and semihosting, code in ROM and data copied to RAM: nothing of
 * this repository is in the program. */
#include <stdio.h>
#include <stdlib.h>

static int initialised = 42;
static int cleared;

int main(void) {
  printf("hello from ROM: %d %d\n", initialised, cleared);
  initialised = 7;
  exit(initialised);
}
