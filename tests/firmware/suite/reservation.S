/* Tests lr.w and sc.w: events that keep a reservation, events that end it, and their faults. */
#include "suite.inc"
  .option arch, +a

  .data
  .balign 64
word:
  .word 10, 20, 30
  .text

  test lr
  la s0, word
  lr.w a0, (s0)
  expect a0, 10
  lr.w.aq a0, (s0)
  expect a0, 10
  lr.w.aqrl s1, (s0)
  expect s1, 10
  mv s1, s0
  lr.w s1, (s1)
  expect s1, 10

  test sc_succeeds
  la s0, word
  li a1, 11
  lr.w a0, (s0)
  sc.w a2, a1, (s0)
  bnez a2, fail
  lw a0, 0(s0)
  expect a0, 11
  lr.w.aq a0, (s0)
  li a1, 12
  sc.w.rl a1, a1, (s0) /* source and destination are the same register */
  bnez a1, fail
  lw a0, 0(s0)
  expect a0, 12

  test sc_without_reservation
  sc.w a2, a1, (s0) /* a failing sc.w, which ends any reservation */
  li a1, 13
  sc.w a2, a1, (s0)
  beqz a2, fail
  lw a0, 0(s0)
  expect a0, 12

  test sc_twice
  lr.w a0, (s0)
  li a1, 14
  sc.w a2, a1, (s0)
  bnez a2, fail
  li a1, 15
  sc.w a2, a1, (s0)
  beqz a2, fail
  lw a0, 0(s0)
  expect a0, 14

  test sc_after_a_value_changed
  lr.w a0, (s0)
  li a1, 99
  sw a1, 0(s0)
  li a1, 16
  sc.w a2, a1, (s0)
  beqz a2, fail
  lw a0, 0(s0)
  expect a0, 99

  test sc_elsewhere
  li a1, 17
  addi s1, s0, 8
  lr.w a0, (s0)
  sc.w a2, a1, (s1)
  beqz a2, fail
  lw a0, 8(s0)
  expect a0, 30
  sc.w a2, a1, (s0) /* the failed sc.w ended the reservation */
  beqz a2, fail

  test newest_reservation_holds
  lr.w a0, (s0)
  lr.w a0, (s1)
  sc.w a2, a1, (s1)
  bnez a2, fail
  lw a0, 8(s0)
  expect a0, 17

  test counting_loop
  sw zero, 4(s0)
  addi s1, s0, 4
  li a3, 1000
1:
  lr.w a0, (s1)
  addi a0, a0, 1
  sc.w a2, a0, (s1)
  bnez a2, 1b
  addi a3, a3, -1
  bnez a3, 1b
  lw a0, 4(s0)
  expect a0, 1000

  test lr_misaligned
  addi s1, s0, 2
  traps 4, lr.w a0, (s1)
  bne s9, s1, fail

  test lr_faults
  li s1, 0x08000000
  li a0, 5
  traps 5, lr.w a0, (s1)
  bne s9, s1, fail
  expect a0, 5

  test reserved_words
  traps 2, .word 0x1015252F /* lr.w with rs2 other than x0 */
  traps 2, .word 0x28B5252F /* an AMO with funct5 = 5 */
  traps 2, .word 0x00B5352F /* the 64-bit instruction amoadd.d */
  j pass
