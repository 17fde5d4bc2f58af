/* Cases in which QEMU deviates from the RISC-V manual, or makes another choice than this hart.
 * These tests run on this hart only. */
#include "suite.inc"
  .option arch, +a

  .equ NOWHERE, 0x08000000

  .data
  .balign 8
word:
  .word 1, 2
  .text

  /* Volume II, table 3.7: a fault of an atomic operation (AMO) is a store fault. QEMU reports a
   * load fault. */
  test atomic_faults
  li s1, NOWHERE
  li a0, 5
  traps 7, amoadd.w a0, a1, (s1)
  bne s9, s1, fail
  expect a0, 5
  traps 7, amoswap.w a0, a1, (s1)

  /* Volume I, section 8.4: a misaligned AMO may trap. QEMU executes it; this hart always traps. */
  test atomic_misaligned
  la s1, word + 2
  traps 6, amoadd.w a0, a1, (s1)
  bne s9, s1, fail
  traps 6, amoswap.w a0, a1, (s1)
  traps 6, sc.w a0, a1, (s1)
  la s1, word
  lw a0, 0(s1)
  expect a0, 1

  /* Volume I, section 9.1: csrrs and csrrc write whenever rs1 is a register other than x0. */
  test csrrs_of_zero_bits_writes
  li sp, 0
  traps 2, csrrs a0, mvendorid, sp
  traps 2, csrrc a0, mvendorid, sp

  test mepc_is_even
  li a0, -1
  csrw mepc, a0
  csrr a1, mepc
  expect a1, -2

  test mpp_keeps_only_modes_that_there_are
  li a0, 0x1800
  csrs mstatus, a0
  li a2, 0x800
  csrc mstatus, a2
  csrr a1, mstatus
  and a1, a1, a0
  li t6, 0x1000
  beq a1, t6, fail
  csrs mstatus, a0

  test trapping_instructions_do_not_retire
  la s7, 1f
  csrr a0, minstret
  ecall
  j fail
1:
  csrr a1, minstret
  sub a1, a1, a0
  /* Instructions counted by minstret: csrr, then in the handler four csrr, beqz, csrw, li, li (two
   * words), csrs, bgez, mret. */
  expect a1, 13

  test minstret_carries
  li a0, -3
  csrw minstret, a0
  nop
  nop
  nop
  nop
  csrr a1, minstreth
  expect a1, 1
  csrw minstreth, zero

  /* Volume II, section 3.1.10: a hart has 29 event counters, which may be zero. QEMU has 16. */
  test all_counters_there
  csrr a0, mhpmcounter31
  bnez a0, fail
  csrr a0, mhpmevent31
  bnez a0, fail

  test no_supervisor_to_fence_for
  traps 2, .word 0x12000073 /* the instruction sfence.vma */

  /* Volume II, section 3.1.6.3: mret to a less privileged mode clears MPRV. */
  li t6, -1
  csrw pmpaddr0, t6
  li t6, 0x1F
  csrw pmpcfg0, t6
  test mret_leaves_mprv_only_to_machines
  li t6, 0x20000
  csrs mstatus, t6
  in_user call
  li t6, 0x20000
  and a0, s11, t6
  bnez a0, fail
  csrs mstatus, t6
  li t6, 0x1800
  csrs mstatus, t6
  la t6, 1f
  csrw mepc, t6
  mret
1:
  csrr a0, mstatus
  li t6, 0x20000
  and a0, a0, t6
  beqz a0, fail
  csrc mstatus, t6

  test mtval_of_an_illegal_instruction_is_its_bits
  traps 2, .word 0x0000007B
  expect s9, 0x7B
  traps 2, .2byte 0x8002
  expect s9, 0x8002

  test mtvec_ignores_reserved_modes
  csrr a0, mtvec
  addi a1, a0, 2
  csrw mtvec, a1
  csrr a1, mtvec
  bne a1, a0, fail
  j pass

  .balign 4
call:
  ecall
