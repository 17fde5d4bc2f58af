/* Tests misaligned loads and stores. A hart may trap or complete them, but must do the same for
 * all. */
#include "suite.inc"

  .data
  .balign 64
bytes:
  .byte 1, 2, 3, 4, 5, 6, 7, 0x88, 9, 10, 11, 12, 13, 14, 15, 16
  .text

  la s0, bytes
  li s1, 0
  la s7, 1f
  lw a0, 1(s0)
  li s7, 0
  li s1, 1 /* 1: misaligned accesses are completed */
1:

  .macro misaligned_load value, instruction, offset
    bnez s1, 85f
    traps 4, \instruction a0, \offset(s0)
    addi a1, s0, \offset
    bne s9, a1, fail
    j 86f
85: \instruction a0, \offset(s0)
    expect a0, \value
86:
  .endm
  .macro misaligned_store instruction, offset
    bnez s1, 87f
    traps 6, \instruction a2, \offset(s0)
    addi a1, s0, \offset
    bne s9, a1, fail
    j 88f
87: \instruction a2, \offset(s0)
88:
  .endm

  test lh
  misaligned_load 0x0302, lh, 1
  test lhu
  misaligned_load 0x0504, lhu, 3
  misaligned_load 0x0988, lhu, 7
  test lw
  misaligned_load 0x05040302, lw, 1
  misaligned_load 0x06050403, lw, 2
  misaligned_load 0x07060504, lw, 3
  misaligned_load 0x0A098807, lw, 6
  test sh
  li a2, 0xA5B6
  misaligned_store sh, 9
  beqz s1, 1f
  lw a0, 8(s0)
  expect a0, 0x0CA5B609
1:
  test sw
  li a2, 0xC1D2E3F4
  misaligned_store sw, 5
  misaligned_store sw, 6
  misaligned_store sw, 7
  beqz s1, 1f
  lw a0, 8(s0)
  expect a0, 0x0CC1D2E3
  lw a0, 4(s0)
  expect a0, 0xF4F4F405
1:
  bnez s1, 1f
  lw a0, 4(s0)
  expect a0, 0x88070605 /* the memory is unchanged */
1:
  test aligned_ones_are_done
  lh a0, 2(s0)
  expect a0, 0x0403
  lw a0, 0(s0)
  expect a0, 0x04030201
  j pass
