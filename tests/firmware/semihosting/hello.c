/* A program without any code of this repository: it uses the C library's start-up code and
 * semihosting, has its code in ROM, and copies its data to RAM. */
#include <stdio.h>
#include <stdlib.h>

static int initialised = 42;
static int cleared;

int main(void) {
  printf("hello from ROM: %d %d\n", initialised, cleared);
  initialised = 7;
  exit(initialised);
}
