#include "trap.h"

#include <stdio.h>

#include "machine.h"

#define INTERRUPT_FLAG 0x80000000u

static trap_handler interrupt_handlers[16];
static trap_handler exception_handler;

void trap_set_interrupt_handler(unsigned interrupt, trap_handler handler) {
  interrupt_handlers[interrupt & 15] = handler;
}

void trap_set_exception_handler(trap_handler handler) { exception_handler = handler; }

const char* trap_name(uint32_t mcause) {
  static const char* const exceptions[] = {"instruction address misaligned",
                                           "instruction access fault",
                                           "illegal instruction",
                                           "breakpoint",
                                           "load address misaligned",
                                           "load access fault",
                                           "store address misaligned",
                                           "store access fault"};
  if (mcause == (INTERRUPT_FLAG | TRAP_SOFTWARE)) return "software interrupt";
  if (mcause == (INTERRUPT_FLAG | TRAP_TIMER)) return "timer interrupt";
  if (mcause == (INTERRUPT_FLAG | TRAP_EXTERNAL)) return "external interrupt";
  if (mcause == TRAP_ECALL) return "environment call";
  if (mcause == TRAP_ECALL_FROM_USER) return "environment call from user mode";
  return mcause < sizeof exceptions / sizeof *exceptions ? exceptions[mcause] : "unknown trap";
}

uint32_t trap_instruction_bytes(uint32_t pc) {
  return (*(const uint16_t*)(uintptr_t)pc & 3u) == 3u ? 4 : 2;
}

void trap_dispatch(struct trap_frame* frame);

void trap_dispatch(struct trap_frame* frame) {
  if ((frame->mcause & INTERRUPT_FLAG) != 0) {
    const trap_handler handler = interrupt_handlers[frame->mcause & 15];
    if (handler != 0) {
      handler(frame);
      return;
    }
  } else if (exception_handler != 0) {
    exception_handler(frame);
    return;
  }
  printf("trap: %s, mepc 0x%08lx, mtval 0x%08lx, ra 0x%08lx\n", trap_name(frame->mcause),
         (unsigned long)frame->mepc, (unsigned long)frame->mtval, (unsigned long)frame->ra);
  machine_exit(1);
}
