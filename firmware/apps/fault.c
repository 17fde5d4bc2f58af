/* Makes several forbidden accesses in turn, and checks that each traps with the right cause
 * and address. */
#include <inttypes.h>
#include <stdio.h>

#include "driver/memory_map.h"
#include "machine.h"
#include "trap.h"

#define NOWHERE 0x20000000u

static volatile uint32_t trap_cause;
static volatile uint32_t trap_value;
static volatile uint32_t resume_at; /* address at which the program continues after a faulty jump */

static void note_and_go_on(struct trap_frame* frame) {
  trap_cause = frame->mcause;
  trap_value = frame->mtval;
  if (frame->mcause == TRAP_FETCH_FAULT) {
    frame->mepc = resume_at;
  } else {
    frame->mepc += trap_instruction_bytes(frame->mepc);
  }
}

static int failures;

static void expect(const char* what, uint32_t cause, uint32_t value, int value_matters) {
  const int good = trap_cause == cause && (!value_matters || trap_value == value);
  printf("%-4s %-36s -> %s, mtval 0x%08" PRIx32 "\n", good ? "ok" : "FAIL", what,
         trap_cause == UINT32_MAX ? "no trap" : trap_name(trap_cause), trap_value);
  failures += !good;
  trap_cause = UINT32_MAX;
  trap_value = 0;
}

/* Written in assembler, because a compiler that sees a misaligned address loads single bytes. */
static void load(uint32_t address) {
  uint32_t value;
  __asm__ volatile("lw %0, 0(%1)" : "=r"(value) : "r"(address) : "memory");
}
static void store(uint32_t address) {
  __asm__ volatile("sw zero, 0(%0)" ::"r"(address) : "memory");
}

static void jump_to_nowhere(void) {
  __asm__ volatile(
      "la t0, 1f\n"
      "sw t0, %0\n"
      "li t0, %1\n"
      "jr t0\n"
      "1:\n"
      : "=m"(resume_at)
      : "i"(NOWHERE)
      : "t0", "memory");
}

int main(void) {
  trap_cause = UINT32_MAX;
  trap_set_exception_handler(note_and_go_on);

  load(NOWHERE);
  expect("load from nowhere", TRAP_LOAD_FAULT, NOWHERE, 1);
  store(NOWHERE + 4);
  expect("store to nowhere", TRAP_STORE_FAULT, NOWHERE + 4, 1);
  load(DCC_RAM_BASE + 2);
  expect("misaligned load", TRAP_LOAD_MISALIGNED, DCC_RAM_BASE + 2, 1);
  store(DCC_RAM_BASE + DCC_IMAGE_BYTES / 2 + 1);
  expect("misaligned store", TRAP_STORE_MISALIGNED, DCC_RAM_BASE + DCC_IMAGE_BYTES / 2 + 1, 1);
  store(DCC_UART_BASE + DCC_UART_STATUS);
  expect("store to a read-only register", TRAP_STORE_FAULT, DCC_UART_BASE + DCC_UART_STATUS, 1);
  *(volatile uint8_t*)(uintptr_t)(DCC_UART_BASE + DCC_UART_DATA) = 'x';
  expect("byte store to a word register", TRAP_STORE_FAULT, DCC_UART_BASE + DCC_UART_DATA, 1);
  load(DCC_SIM_CONTROL_BASE + DCC_SIM_CONTROL_EXIT);
  expect("load from a write-only register", TRAP_LOAD_FAULT, DCC_SIM_CONTROL_BASE, 1);
  __asm__ volatile(".word 0xffffffff");
  expect("illegal instruction", TRAP_ILLEGAL, UINT32_MAX, 1);
  __asm__ volatile("csrw mhartid, zero");
  expect("write to a read-only CSR", TRAP_ILLEGAL, 0, 0);
  __asm__ volatile("ebreak");
  expect("ebreak", TRAP_BREAKPOINT, 0, 0);
  __asm__ volatile("ecall");
  expect("ecall", TRAP_ECALL, 0, 1);
  jump_to_nowhere();
  expect("jump to nowhere", TRAP_FETCH_FAULT, NOWHERE, 1);

  printf(failures == 0 ? "fault: all trapped as they must\n" : "fault: %d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
