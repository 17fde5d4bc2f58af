/* A trap handler reports the trap and returns to the instruction that caused it, which traps again.
 * */
#include <stdio.h>

#include "machine.h"
#include "trap.h"

static void on_exception(struct trap_frame* frame) { printf("%s\n", trap_name(frame->mcause)); }

int main(void) {
  trap_set_exception_handler(on_exception);
  return (int)machine_read32(0x20000000);
}
