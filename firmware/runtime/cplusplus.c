/* Functions of the C++ library that compiled code calls and the toolchain lacks. */
#include <stdio.h>

#include "machine.h"

void __cxa_pure_virtual(void);

/* These functions are weak, so a program may define its own. */
__attribute__((weak)) void __cxa_pure_virtual(void) {
  printf("pure virtual function called\n");
  machine_exit(1);
}
