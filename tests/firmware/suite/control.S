/* Tests jumps, far branches and self-modifying code, which the generated tables do not cover. */
#include "suite.inc"

  test jal
  li a0, 0
  la a1, 1f
  .option push
  .option norvc
  jal a2, 2f
1:
  li a0, 1
2:
  bne a2, a1, fail
  bnez a0, fail
  j 4f
3:
  la a1, 5f
  bne a3, a1, fail
  j 6f
4:
  jal a3, 3b
5:
  j fail
6:
  jal zero, 7f
  j fail
7:
  mv a0, zero
  bnez a0, fail

  test jalr
  la a0, 1f
  la a2, 2f
  jalr a1, 0(a0)
2:
  j fail
1:
  bne a1, a2, fail
  la a0, 1f - 2047
  jalr a1, 2047(a0)
  j fail
1:
  la a0, 1f + 2048
  jalr a1, -2048(a0)
  j fail
1:
  la a0, 1f + 1 /* jalr clears the lowest bit of the sum */
  jalr a1, 0(a0)
  j fail
1:
  la a0, 1f
  la a2, 2f
  jalr a0, 0(a0) /* destination and base are the same register */
2:
  j fail
1:
  bne a0, a2, fail
  la a0, 1f
  jalr zero, 0(a0)
  j fail
1:
  mv a0, zero
  bnez a0, fail

  test far_jal
  j 2f
1:
  j 3f
  .skip 0x7FF00
2:
  jal a0, 1b
4:
  j fail
3:
  expect_address a0, 4b

  test far_branches
  li a0, 1
  j 2f
1:
  j 3f
  .skip 4080
2:
  bnez a0, 1b /* a backward branch across the end of a page */
  j fail
3:
  beqz a0, fail
  bnez a0, 4f
  j fail
  .skip 4080
4:
  .option pop

  test over_a_page_end /* an instruction of four bytes that crosses a page boundary */
  j 1f
  .balign 4096
  .skip 4094 - 2 * 2
1:
  li a0, 3
  c.nop
  .option push
  .option norvc
  addi a0, a0, 0x123
  .option pop
  expect a0, 0x126

  test fence
  fence
  fence r, w
  fence.tso

  test fence_i /* executes code that the program has written as data */
  la a0, written
  lw a1, 0(a0)
  la a2, patch
  lw a3, 0(a2)
  sw a3, 0(a0)
  fence.i
  jalr ra, 0(a0)
  expect a5, 77
  sw a1, 0(a0)
  fence.i
  jalr ra, 0(a0)
  expect a5, 11
  j pass

  .option push
  .option norvc
  .balign 4
written:
  addi a5, zero, 11
  ret
patch:
  addi a5, zero, 77
  .option pop
