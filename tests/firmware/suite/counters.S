/* mcycle and minstret: counting, writes, inhibition, and access by privilege mode. */
#include "suite.inc"

  test minstret_counts_instructions
  csrr a0, minstret
  csrr a1, minstret
  sub a1, a1, a0
  expect a1, 1
  csrr a0, minstret
  nop
  nop
  lw a2, tohost
  beqz zero, 1f
1:
  csrr a1, minstret
  sub a1, a1, a0
  expect a1, 6 /* lw with a symbol assembles to two instructions */

  test minstret_is_writable
  li a0, 1000
  csrw minstret, a0
  csrr a1, minstret
  beqz a1, fail
  addi a1, a1, -1000
  li a2, 4
  bgtu a1, a2, fail
  csrw minstreth, a0
  csrr a1, minstreth
  bne a1, a0, fail
  csrw minstreth, zero

  test mcycle_is_writable
  li a0, 0x1000
  csrw mcycleh, zero
  csrw mcycle, a0
  csrr a1, mcycle
  bltu a1, a0, fail
  csrwi mcycleh, 7
  csrr a1, mcycleh
  expect a1, 7

  test mcycle_counts
  csrr a0, mcycle
  nop
  csrr a1, mcycle
  beq a1, a0, fail

  test mcountinhibit
  csrwi mcountinhibit, 5
  csrr a0, mcountinhibit
  andi a0, a0, 5
  expect a0, 5
  csrr a0, minstret
  csrr a2, mcycle
  nop
  nop
  csrr a1, minstret
  csrr a3, mcycle
  bne a0, a1, fail
  bne a2, a3, fail
  csrwi mcountinhibit, 1
  csrr a0, minstret
  csrr a2, mcycle
  nop
  csrr a1, minstret
  csrr a3, mcycle
  beq a0, a1, fail
  bne a2, a3, fail
  csrwi mcountinhibit, 0

  test counters_read_only_below
  traps 2, csrw cycle, zero
  traps 2, csrw instret, zero
  csrr a0, instret
  csrr a1, minstret
  sub a1, a1, a0
  expect a1, 1

  test others_read_zero
  csrr a0, mhpmcounter3
  bnez a0, fail
  csrr a0, mhpmevent3
  bnez a0, fail
  csrr a0, mhpmcounter16h
  bnez a0, fail

  test mcounteren
  li a0, -1
  csrw pmpaddr0, a0
  li a0, 0x1F
  csrw pmpcfg0, a0
  csrwi mcounteren, 0
  in_user read_cycle, 2
  in_user read_instret, 2
  csrwi mcounteren, 1
  in_user read_cycle
  in_user read_instret, 2
  csrwi mcounteren, 4
  in_user read_cycle, 2
  in_user read_instret
  in_user read_mcycle, 2
  j pass

  .balign 4
read_cycle:
  rdcycle a0
  rdcycleh a0
  ecall
read_instret:
  rdinstret a0
  rdinstreth a0
  ecall
read_mcycle:
  csrr a0, mcycle
  ecall
