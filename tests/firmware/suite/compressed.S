/* Tests every instruction of RV32C: its operation, the limits of its immediates, its length. */
#include "suite.inc"

  /* Checks that the instruction is two bytes long and writes `value` to `register`. */
  .macro gives register, value, instruction:vararg
74: \instruction
75:
    .if 75b - 74b != 2
      .error "not compressed"
    .endif
    expect \register, \value
  .endm

  .bss
  .balign 64
words:
  .skip 1024 + 256
  .text

  test c_li
  gives a0, -32, c.li a0, -32
  gives a0, 31, c.li a0, 31
  gives x1, 5, c.li x1, 5

  test c_lui
  gives a0, 0x1000, c.lui a0, 1
  gives a0, 0x1F000, c.lui a0, 31
  gives a0, 0xFFFE0000, c.lui a0, 0xFFFE0
  gives a0, 0xFFFFF000, c.lui a0, 0xFFFFF

  test c_addi
  li a0, 100
  gives a0, 68, c.addi a0, -32
  gives a0, 99, c.addi a0, 31
  li t0, 0x7FFFFFFF
  gives t0, 0x80000000, c.addi t0, 1
  c.nop

  test c_addi16sp
  li sp, 0x1000
  gives sp, 0x1000 - 512, c.addi16sp sp, -512
  gives sp, 0x1000 - 512 + 496, c.addi16sp sp, 496
  gives sp, 0x1000, c.addi16sp sp, 16

  test c_addi4spn
  li sp, 0x2000
  gives s0, 0x2004, c.addi4spn s0, sp, 4
  gives a5, 0x2000 + 1020, c.addi4spn a5, sp, 1020
  gives a0, 0x2000 + 512, c.addi4spn a0, sp, 512

  test c_slli
  li a0, 0x80000001
  gives a0, 2, c.slli a0, 1
  gives a0, 0, c.slli a0, 31
  li x31, 3
  gives x31, 0x80000000, c.slli x31, 31

  test c_srli
  li s0, 0x80000001
  gives s0, 0x40000000, c.srli s0, 1
  li a5, 0x80000001
  gives a5, 1, c.srli a5, 31

  test c_srai
  li s1, 0x80000001
  gives s1, 0xC0000000, c.srai s1, 1
  gives s1, -1, c.srai s1, 31

  test c_andi
  li a2, 0x12345678
  gives a2, 0x12345660, c.andi a2, -32
  li a2, -1
  gives a2, 31, c.andi a2, 31

  test c_and
  li a0, 0xFF00FF00
  li a1, 0x0FF00FF0
  gives a0, 0x0F000F00, c.and a0, a1

  test c_or
  li a3, 0xFF00FF00
  li a4, 0x0FF00FF0
  gives a3, 0xFFF0FFF0, c.or a3, a4

  test c_xor
  li s0, 0xFF00FF00
  li s1, 0x0FF00FF0
  gives s0, 0xF0F0F0F0, c.xor s0, s1
  gives s0, 0, c.xor s0, s0

  test c_sub
  li a4, 5
  li a5, 7
  gives a4, -2, c.sub a4, a5
  gives a5, 9, c.sub a5, a4

  test c_mv
  li x30, 0x12345678
  gives x5, 0x12345678, c.mv x5, x30

  test c_add
  li x30, 0x80000000
  li x5, 0x80000001
  gives x5, 1, c.add x5, x30
  gives x5, 2, c.add x5, x5

  test c_lw
  la s0, words
  li a0, 0x89ABCDEF
  sw a0, 0(s0)
  sw zero, 4(s0)
  sw a0, 124(s0)
  gives a5, 0x89ABCDEF, c.lw a5, 0(s0)
  gives a5, 0, c.lw a5, 4(s0)
  gives a5, 0x89ABCDEF, c.lw a5, 124(s0)
  gives s0, 0x89ABCDEF, c.lw s0, 0(s0)

  test c_sw
  la s1, words
  li a4, 0x13579BDF
  c.sw a4, 0(s1)
  c.sw a4, 64(s1)
  c.sw a4, 124(s1)
  c.sw s1, 4(s1)
  lw a0, 0(s1)
  expect a0, 0x13579BDF
  lw a0, 64(s1)
  expect a0, 0x13579BDF
  lw a0, 124(s1)
  expect a0, 0x13579BDF
  lw a0, 4(s1)
  bne a0, s1, fail

  test c_lwsp
  la sp, __stack_top - 512 /* the hart's stack guard traps accesses below the stack */
  li a0, 0x2468ACE0
  sw a0, 0(sp)
  sw a0, 252(sp)
  sw zero, 128(sp)
  gives x31, 0x2468ACE0, c.lwsp x31, 0(sp)
  gives x1, 0x2468ACE0, c.lwsp x1, 252(sp)
  gives x1, 0, c.lwsp x1, 128(sp)

  test c_swsp
  la sp, __stack_top - 512 /* the hart's stack guard traps accesses below the stack */
  li x31, 0x11112222
  c.swsp x31, 0(sp)
  c.swsp x31, 252(sp)
  lw a0, 0(sp)
  expect a0, 0x11112222
  lw a0, 252(sp)
  expect a0, 0x11112222

  test c_j
  c.j 2f
1:
  c.j 3f
  .skip 2040
2:
  c.j 1b
  j fail
3:

  test c_jal
  c.jal 1f
2:
  j fail
1:
  expect_address ra, 2b
  j 5f
3:
  expect_address ra, 6f
  j 4f
5:
  c.jal 3b
6:
  j fail
4:

  test c_jr
  la x31, 1f
  c.jr x31
  j fail
1:

  test c_jalr
  la a0, 1f
  c.jalr a0
2:
  j fail
1:
  expect_address ra, 2b
  la ra, 3f
  c.jalr ra /* target and link are the same register */
4:
  j fail
3:
  expect_address ra, 4b

  test c_beqz
  li s0, 0
  li a5, 1
  c.beqz a5, 1f
  c.beqz s0, 2f
1:
  j fail
3:
  j 4f
  .skip 240
2:
  c.beqz s0, 3b
  j fail
4:

  test c_bnez
  li s0, 0
  li a5, 0x80000000
  c.bnez s0, 1f
  c.bnez a5, 2f
1:
  j fail
3:
  j 4f
  .skip 240
2:
  c.bnez a5, 3b
  j fail
4:

  test c_ebreak
  traps 3, c.ebreak

  /* Checks a reserved encoding: it must trap, and mtval must be zero or the encoding. */
  .macro reserved bits
    traps 2, .2byte \bits
    beqz s9, 76f
    expect s9, \bits
76:
  .endm
  test c_reserved
  reserved 0
  reserved 0x0004 /* c.addi4spn by 0 */
  reserved 0x6281 /* c.lui 0 */
  reserved 0x6101 /* c.addi16sp 0 */
  reserved 0x4002 /* c.lwsp into x0 */
  reserved 0x8002 /* c.jr x0 */
  reserved 0x9C05 /* c.subw */
  reserved 0x9C25 /* c.addw */
  reserved 0x9C45
  reserved 0x8000

  test c_hints /* Hint instructions must change nothing. */
  li a0, 7
  .2byte 0x0011 /* c.addi x0, 4 */
  .2byte 0x0501 /* c.addi a0, 0 */
  .2byte 0x4011 /* c.li x0, 4 */
  .2byte 0x802A /* c.mv x0, a0 */
  .2byte 0x902A /* c.add x0, a0 */
  expect a0, 7
  mv a1, zero
  bnez a1, fail
  j pass
