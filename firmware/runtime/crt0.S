/* Start-up code from reset to main(), and trap entry to trap_dispatch(). Assembled with
 * -DDCC_HARTS=n (2 to 4), the code serves n harts: each hart gets its part of the stack, hart 0
 * runs main(), and the others wait until variables and constructors are ready and then run
 * hart_main(number). */
#ifdef DCC_HARTS
#include "driver/memory_map.h"
#endif

  /* Relaxation would shorten the code after the assembler has computed the debug information. */
  .option norelax
  .cfi_sections .debug_frame
  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  .cfi_startproc
  .cfi_undefined ra
  la gp, __global_pointer$
  la sp, __stack_top
#ifdef DCC_HARTS
  csrr s1, mhartid
  li t0, DCC_STACK_BYTES / DCC_HARTS
  mul t0, t0, s1
  sub sp, sp, t0
#endif
  la tp, __tls_base
  la t0, trap_entry
  csrw mtvec, t0
#ifdef DCC_HARTS
  bnez s1, other_hart
#endif

  la t0, __bss_start
  la t1, __bss_end
1:
  bgeu t0, t1, 2f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 1b
2:
  /* Runs the constructors of global objects, in the order of the linker script. */
  la s0, __init_array_start
  la s1, __init_array_end
3:
  bgeu s0, s1, 4f
  lw t0, 0(s0)
  addi s0, s0, 4
  jalr t0
  j 3b
4:
#ifdef DCC_HARTS
  fence rw, w
  la t0, harts_released
  li t1, 1
  sw t1, 0(t0)
#endif
  li a0, 0
  li a1, 0
  call main
  /* exit() of the C library runs the functions of atexit(), destructors, then _exit(). */
  call exit
5:
  j 5b
  .cfi_endproc
  .size _start, . - _start

#ifdef DCC_HARTS
/* The CPU model ends a run that stores below a hart's part of the stack relative to sp. */
  .globl __hart_stack_bytes
  .set __hart_stack_bytes, DCC_STACK_BYTES / DCC_HARTS

  .type other_hart, @function
other_hart:
  .cfi_startproc
  .cfi_undefined ra
  la t0, harts_released
1:
  lw t1, 0(t0)
  beqz t1, 1b
  fence r, rw
  mv a0, s1
  call hart_main
  csrw mie, zero
2:
  wfi
  j 2b
  .cfi_endproc
  .size other_hart, . - other_hart

  .weak hart_main
  .type hart_main, @function
hart_main:
  ret
  .size hart_main, . - hart_main

  .section .data.harts_released, "aw"
  .balign 4
harts_released:
  .word 0
#endif

/* Saves the caller-saved registers, passes the frame to C, and returns to mepc of the frame. */
  .set FRAME, 80
  .text
  .balign 4
  .globl trap_entry
  .type trap_entry, @function
trap_entry:
  .cfi_startproc
  addi sp, sp, -FRAME
  /* For the debugger: the frame below continues at mepc. */
  .cfi_def_cfa_offset FRAME
  .cfi_offset ra, 64 - FRAME
  sw ra, 0(sp)
  sw t0, 4(sp)
  sw t1, 8(sp)
  sw t2, 12(sp)
  sw a0, 16(sp)
  sw a1, 20(sp)
  sw a2, 24(sp)
  sw a3, 28(sp)
  sw a4, 32(sp)
  sw a5, 36(sp)
  sw a6, 40(sp)
  sw a7, 44(sp)
  sw t3, 48(sp)
  sw t4, 52(sp)
  sw t5, 56(sp)
  sw t6, 60(sp)
  csrr t0, mepc
  sw t0, 64(sp)
  csrr t0, mcause
  sw t0, 68(sp)
  csrr t0, mtval
  sw t0, 72(sp)
  mv a0, sp
  call trap_dispatch
  lw t0, 64(sp)
  csrw mepc, t0
  lw ra, 0(sp)
  lw t0, 4(sp)
  lw t1, 8(sp)
  lw t2, 12(sp)
  lw a0, 16(sp)
  lw a1, 20(sp)
  lw a2, 24(sp)
  lw a3, 28(sp)
  lw a4, 32(sp)
  lw a5, 36(sp)
  lw a6, 40(sp)
  lw a7, 44(sp)
  lw t3, 48(sp)
  lw t4, 52(sp)
  lw t5, 56(sp)
  lw t6, 60(sp)
  addi sp, sp, FRAME
  mret
  .cfi_endproc
  .size trap_entry, . - trap_entry
