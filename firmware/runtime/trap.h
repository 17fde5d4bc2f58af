/* Traps: registration of handlers for interrupts and exceptions. */
#ifndef DCC_FIRMWARE_TRAP_H
#define DCC_FIRMWARE_TRAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Registers saved by trap_entry (crt0.S). A handler may change mepc, the return address. */
struct trap_frame {
  uint32_t ra, t0, t1, t2;
  uint32_t a0, a1, a2, a3, a4, a5, a6, a7;
  uint32_t t3, t4, t5, t6;
  uint32_t mepc;
  uint32_t mcause;
  uint32_t mtval;
  uint32_t padding;
};

enum trap_interrupt { TRAP_SOFTWARE = 3, TRAP_TIMER = 7, TRAP_EXTERNAL = 11 };
enum trap_exception {
  TRAP_FETCH_FAULT = 1,
  TRAP_ILLEGAL = 2,
  TRAP_BREAKPOINT = 3,
  TRAP_LOAD_MISALIGNED = 4,
  TRAP_LOAD_FAULT = 5,
  TRAP_STORE_MISALIGNED = 6,
  TRAP_STORE_FAULT = 7,
  TRAP_ECALL_FROM_USER = 8,
  TRAP_ECALL = 11,
};

typedef void (*trap_handler)(struct trap_frame* frame);

/* Sets the handler of an interrupt (enum trap_interrupt); an interrupt without a handler ends
 * the program. */
void trap_set_interrupt_handler(unsigned interrupt, trap_handler handler);
/* Sets the handler of all exceptions. If no handler is set, an exception is reported and ends the
 * program with code 1. */
void trap_set_exception_handler(trap_handler handler);
/* Returns the name of the trap cause in mcause. */
const char* trap_name(uint32_t mcause);
/* Length of the instruction at `pc` in bytes: 2 or 4. */
uint32_t trap_instruction_bytes(uint32_t pc);

#ifdef __cplusplus
}
#endif

#endif
