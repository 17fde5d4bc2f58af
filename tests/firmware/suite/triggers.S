/* Tests debug triggers of type 2 (address match): execution, load, store, and privilege mode. */
#include "suite.inc"

  .equ TYPE, 2 << 28
  .equ MACHINE, 1 << 6
  .equ USER, 1 << 3
  .equ EXECUTE, 4
  .equ STORE, 2
  .equ LOAD, 1

  .bss
  .balign 64
words:
  .skip 64
  .text
  j begin

  .macro trigger number, control, address
    csrwi tselect, \number
    li t6, TYPE
    csrw tdata1, t6
    la t6, \address
    csrw tdata2, t6
    li t6, TYPE | (\control)
    csrw tdata1, t6
  .endm
  .macro no_triggers
    li t6, TYPE
    csrwi tselect, 0
    csrw tdata1, t6
    csrwi tselect, 1
    csrw tdata1, t6
  .endm

begin:
  test two_triggers
  csrwi tselect, 0
  csrr a0, tselect
  bnez a0, fail
  csrwi tselect, 1
  csrr a0, tselect
  expect a0, 1

  test registers
  li a0, 0x12345678
  csrwi tselect, 0
  csrw tdata2, a0
  csrwi tselect, 1
  csrw tdata2, zero
  csrwi tselect, 0
  csrr a1, tdata2
  bne a1, a0, fail
  li a0, TYPE | MACHINE | USER | EXECUTE | STORE | LOAD
  csrw tdata1, a0
  csrr a1, tdata1
  bne a1, a0, fail
  no_triggers

  test execution
  trigger 0, MACHINE | EXECUTE, 1f
  la s7, 2f
  li a0, 0
1:
  li a0, 1
  j fail
2:
  no_triggers
  expect s8, 3
  expect_address s10, 1b
  bnez a0, fail /* the trigger fired before the instruction was executed */

  test load
  la s0, words
  trigger 1, MACHINE | LOAD, words + 4
  lw a0, 0(s0)
  sw a0, 4(s0)
  traps 3, lw a0, 4(s0)
  no_triggers
  lw a0, 4(s0)

  test store
  li a1, 9
  sw zero, 8(s0)
  trigger 0, MACHINE | STORE, words + 8
  lw a0, 8(s0)
  sw a1, 12(s0)
  traps 3, sw a1, 8(s0)
  no_triggers
  lw a0, 8(s0)
  bnez a0, fail /* The store must not have been executed. */

  test both_at_once
  trigger 0, MACHINE | LOAD, words
  trigger 1, MACHINE | STORE, words + 16
  traps 3, lw a0, 0(s0)
  traps 3, sw a0, 16(s0)
  no_triggers

  test users_only
  li t6, -1
  csrw pmpaddr0, t6
  li t6, 0x1F
  csrw pmpcfg0, t6
  trigger 0, USER | LOAD, words
  lw a0, 0(s0)
  in_user user_load, 3
  expect_address s10, user_load
  trigger 0, MACHINE | LOAD, words
  in_user user_load
  trigger 0, USER | EXECUTE, user_load
  in_user user_load, 3
  no_triggers
  in_user user_load
  j pass

  .balign 4
user_load:
  lw a0, 0(s0)
  ecall
