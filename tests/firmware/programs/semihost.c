/* Makes semihosting calls, and executes their ebreak without the instructions around it. */
#include <stdint.h>

#include "machine.h"
#include "trap.h"

static uint32_t call(uint32_t operation, const void* parameter) {
  register uint32_t a0 __asm__("a0") = operation;
  register const void* a1 __asm__("a1") = parameter;
  __asm__ volatile(
      ".option push\n.option norvc\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return a0;
}

static volatile int traps;

static void on_exception(struct trap_frame* frame) {
  if (frame->mcause == TRAP_BREAKPOINT) ++traps;
  frame->mepc += trap_instruction_bytes(frame->mepc);
}

int main(void) {
  enum {
    OPEN = 1,
    WRITEC = 3,
    WRITE0 = 4,
    WRITE = 5,
    READ = 6,
    ISTTY = 9,
    ELAPSED = 0x30,
    EXIT = 0x20
  };
  static const char text[] = "written\n";
  const uint32_t console[] = {(uint32_t)(uintptr_t) ":tt", 4, 3};
  const uint32_t handle = call(OPEN, console);
  const uint32_t block[] = {handle, (uint32_t)(uintptr_t)text, sizeof text - 1};
  uint64_t ns = 0;
  int good = call(ISTTY, &handle) == 1 && call(WRITE, block) == 0;
  call(WRITE0, "a string, then a character: ");
  call(WRITEC, "c");
  call(WRITEC, "\n");
  good = good && call(READ, block) == sizeof text - 1; /* the console has no input */
  good = good && call(ELAPSED, &ns) == 0 && ns != 0 && ns <= machine_time_ns();
  const uint32_t file[] = {(uint32_t)(uintptr_t) "/etc/passwd", 0, 11};
  good = good && call(OPEN, file) == UINT32_MAX;
  good = good && call(0x77, 0) == UINT32_MAX;
  trap_set_exception_handler(on_exception);
  __asm__ volatile("ebreak");
  __asm__ volatile(".option push\n.option norvc\nslli x0, x0, 0x1f\nebreak\n.option pop");
  const uint32_t end[] = {0x20026, good && traps == 2 ? 5 : 6};
  call(EXIT, end);
  return 1;
}
