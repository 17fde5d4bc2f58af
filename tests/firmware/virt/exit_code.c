/* Exits with the status that a line of the program's input gives. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  unsigned code = 0;
  puts("ready");
  for (int c = getchar(); c >= '0' && c <= '9'; c = getchar())
    code = code * 10 + (unsigned)(c - '0');
  exit((int)code);
}
