/* Tests user mode: entry, return, forbidden actions, and MPRV. */
#include "suite.inc"

  li t6, -1
  csrw pmpaddr15, t6 /* entry 15 permits all accesses */
  li t6, 0x1F000000
  csrw pmpcfg3, t6

  test ecall
  li a0, 1
  in_user call
  expect a0, 42
  bnez s9, fail
  expect_address s10, call_ecall
  li a1, 0x1800
  and a1, s11, a1
  bnez a1, fail /* MPP is 0, so the trap came from user mode */

  test ebreak
  in_user user_ebreak, 3
  expect_address s10, user_ebreak

  test illegal_for_users
  in_user user_mret, 2
  expect_address s10, user_mret
  in_user user_mstatus, 2
  in_user user_mscratch, 2
  in_user user_mtvec, 2
  in_user user_pmpcfg, 2
  in_user user_tselect, 2
  in_user user_mcycle, 2
  in_user user_bad_word, 2

  test mscratch_kept
  li a0, 0x1234
  csrw mscratch, a0
  li a0, -1
  in_user user_mscratch, 2
  csrr a0, mscratch
  expect a0, 0x1234

  test faults_of_users
  in_user user_load, 5
  expect s9, 0x08000000
  in_user user_store, 7
  expect s9, 0x08000000
  in_user user_fetch, 1
  expect s9, 0x08000000

  test wfi_with_timeout
  li t6, 0x200000 /* sets mstatus.TW */
  csrs mstatus, t6
  in_user user_wfi, 2
  li t6, 0x200000
  csrc mstatus, t6

  test mret_to_users_leaves_least_mode_in_mpp
  in_user call
  li t6, 0x1800
  csrc mstatus, t6
  csrr a0, mstatus
  and a0, a0, t6
  bnez a0, fail
  csrs mstatus, t6

  test mprv
  /* PMP entry 0 hides the word `secret` from user mode. */
  la a0, secret
  srli a1, a0, 2
  csrw pmpaddr0, a1
  csrwi pmpcfg0, 0x10
  lw a2, 0(a0)
  expect a2, 0x5EC4E7
  li a3, 0x20000
  li t5, 0x1800
  csrc mstatus, t5
  csrs mstatus, a3
  traps 5, lw a2, 0(a0)
  bne s9, a0, fail
  li t5, 0x1800
  csrc mstatus, t5
  traps 7, sw a2, 0(a0)
  li t5, 0x1800
  csrc mstatus, t5
  lw a2, 4(a0) /* user mode may read a word outside the entry */
  expect a2, 7
  csrs mstatus, t5 /* with MPP = machine mode, loads have machine mode's rights */
  lw a2, 0(a0)
  expect a2, 0x5EC4E7
  csrc mstatus, a3
  csrwi pmpcfg0, 0
  j pass

  .balign 4
call:
  li a0, 42
call_ecall:
  ecall
user_ebreak:
  .word 0x00100073
user_mret:
  mret
  ecall
user_mstatus:
  csrr a0, mstatus
  ecall
user_mscratch:
  csrw mscratch, a0
  ecall
user_mtvec:
  csrw mtvec, zero
  ecall
user_pmpcfg:
  csrw pmpcfg0, zero
  ecall
user_tselect:
  csrr a0, tselect
  ecall
user_mcycle:
  csrr a0, mcycle
  ecall
user_bad_word:
  .word 0xFFFFFFFF
user_load:
  li a0, 0x08000000
  lw a1, 0(a0)
  ecall
user_store:
  li a0, 0x08000000
  sw a1, 0(a0)
  ecall
user_fetch:
  li a0, 0x08000000
  jr a0
user_wfi:
  wfi
  ecall

  .data
  .balign 8
secret:
  .word 0x5EC4E7, 7
