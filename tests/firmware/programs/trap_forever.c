/* A trap handler that reports and returns to the instruction that traps. */
#include <stdio.h>

#include "machine.h"
#include "trap.h"

static void on_exception(struct trap_frame* frame) { printf("%s\n", trap_name(frame->mcause)); }

int main(void) {
  trap_set_exception_handler(on_exception);
  return (int)machine_read32(0x20000000);
}
