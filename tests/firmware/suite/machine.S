/* Tests machine mode: CSR instructions, fields that keep only legal values, exceptions, mret. */
#include "suite.inc"

  .equ NOWHERE, 0x08000000

  test csrrw
  li a0, 0x12345678
  csrw mscratch, a0
  li a1, -1
  csrrw a2, mscratch, a1
  bne a2, a0, fail
  csrrw a1, mscratch, a1 /* source and destination are the same register */
  expect a1, -1
  csrrw zero, mscratch, a0
  csrrw a3, mscratch, zero
  bne a3, a0, fail
  csrr a3, mscratch
  bnez a3, fail

  test csrrs
  li a0, 0xF0
  csrw mscratch, a0
  li a1, 0x3C
  csrrs a2, mscratch, a1
  expect a2, 0xF0
  csrrs a2, mscratch, zero
  expect a2, 0xFC

  test csrrc
  csrrc a2, mscratch, a1
  expect a2, 0xFC
  csrrc a2, mscratch, zero
  expect a2, 0xC0

  test csrrwi
  csrrwi a2, mscratch, 31
  expect a2, 0xC0
  csrrwi a2, mscratch, 0
  expect a2, 31
  csrwi mscratch, 21

  test csrrsi
  csrrsi a2, mscratch, 10
  expect a2, 21
  csrrsi a2, mscratch, 0
  expect a2, 31

  test csrrci
  csrrci a2, mscratch, 7
  expect a2, 31
  csrr a2, mscratch
  expect a2, 24

  test read_only_csrs
  csrrs a0, mhartid, zero /* with a source of zero csrrs only reads */
  bnez a0, fail
  csrrsi a0, mvendorid, 0
  csrrc a0, marchid, zero
  csrrci a0, mimpid, 0
  li sp, -1
  traps 2, csrw mhartid, a0
  traps 2, csrrs a0, mvendorid, sp
  traps 2, csrrsi a0, marchid, 1
  traps 2, csrrwi zero, mimpid, 0

  test unknown_csrs
  traps 2, csrr a0, 0x5C0
  traps 2, csrw 0x7FF, a0
  traps 2, csrr a0, 0x105 /* stvec does not exist, since there is no supervisor mode */
  traps 2, csrr a0, 0x180

  test misa
  csrr a0, misa
  li a1, 0xC0101105 /* misa: 32 bits; extensions A, C, I, M, U */
  and a0, a0, a1
  expect a0, 0x40101105

  test mtvec
  csrr s0, mtvec
  la a0, fail
  srli a0, a0, 2
  slli a0, a0, 2
  csrw mtvec, a0
  csrr a1, mtvec
  bne a1, a0, fail
  addi a0, a0, 1
  csrw mtvec, a0
  csrr a1, mtvec
  bne a1, a0, fail
  csrw mtvec, s0

  test mepc
  li a0, -1
  csrw mepc, a0
  csrr a1, mepc
  srli a1, a1, 1
  slli a1, a1, 1
  expect a1, -2
  li a0, 0x80000002
  csrw mepc, a0
  csrr a1, mepc
  bne a1, a0, fail

  test mcause_and_mtval
  li a0, 0x8000000B
  csrw mcause, a0
  csrr a1, mcause
  bne a1, a0, fail
  li a0, 0x89ABCDEF
  csrw mtval, a0
  csrr a1, mtval
  bne a1, a0, fail

  test mstatus
  li a0, 0x1800
  csrs mstatus, a0
  csrr a1, mstatus
  and a1, a1, a0
  bne a1, a0, fail
  csrc mstatus, a0
  csrr a1, mstatus
  and a1, a1, a0
  bnez a1, fail
  csrs mstatus, a0
  csrsi mstatus, 8
  csrr a1, mstatus
  andi a1, a1, 8
  expect a1, 8
  csrci mstatus, 8
  csrr a1, mstatus
  andi a1, a1, 8
  bnez a1, fail

  test mie_and_mip
  li a0, -1
  csrw mie, a0
  csrr a1, mie
  li a2, 0x888
  and a1, a1, a2
  bne a1, a2, fail
  csrw mie, zero
  csrr s0, mip
  csrw mip, a0 /* software cannot write the pending bits that devices drive */
  csrr a1, mip
  xor a1, a1, s0
  and a1, a1, a2
  bnez a1, fail

  test ecall
  traps 11, ecall
  bnez s9, fail

  test ebreak
  traps 3, .word 0x00100073

  test illegal
  .macro illegal bits
    traps 2, .word \bits
    beqz s9, 77f
    expect s9, \bits
77:
  .endm
  illegal 0xFFFFFFFF
  illegal 0x0000007B
  illegal 0x02029293 /* slli by 32, which does not exist in RV32 */
  illegal 0x40129293 /* slli with bit 30 set, as in srai */
  illegal 0x045282B3
  illegal 0x042292B3 /* sll with funct7 = 2 */
  illegal 0x0002B283 /* the 64-bit instruction ld */
  illegal 0x0002E283 /* the 64-bit instruction lwu */
  illegal 0x0062B023 /* the 64-bit instruction sd */
  illegal 0x00002063 /* a branch with funct3 = 2 */
  illegal 0x00003063
  illegal 0x00001067 /* jalr with funct3 = 1 */
  illegal 0x00004073 /* a SYSTEM instruction with funct3 = 4 */
  illegal 0x10200073 /* sret, without supervisor mode */
  illegal 0x00200073 /* uret, without user-mode interrupts */
  illegal 0x0000000F + 0x7000

  test load_faults
  li a0, NOWHERE
  li a1, 5
  .macro load_faults instruction:vararg
    traps 5, \instruction
    bne s9, a0, fail
    expect a1, 5
  .endm
  load_faults lb a1, 0(a0)
  load_faults lbu a1, 0(a0)
  load_faults lh a1, 0(a0)
  load_faults lhu a1, 0(a0)
  load_faults lw a1, 0(a0)
  traps 5, lw zero, 0(a0)

  test store_faults
  .macro store_faults instruction:vararg
    traps 7, \instruction
    bne s9, a0, fail
  .endm
  store_faults sb a1, 0(a0)
  store_faults sh a1, 0(a0)
  store_faults sw a1, 0(a0)

  test fetch_fault
  la s7, 1f
  jalr a1, 0(a0)
2:
  j fail
1:
  expect s8, 1
  bne s9, a0, fail
  bne s10, a0, fail
  expect_address a1, 2b /* mepc is the jump's target, so the jump was executed */

  test trap_saves_the_mode
  csrsi mstatus, 8
  traps 11, ecall
  li a0, 0x1888
  and a1, s11, a0
  expect a1, 0x1880 /* mstatus saved machine mode and MPIE = 1, and has MIE = 0 */
  csrci mstatus, 8
  traps 11, ecall
  and a1, s11, a0
  expect a1, 0x1800

  test mret
  li a0, 0x1880
  csrs mstatus, a0
  la a1, 1f
  csrw mepc, a1
  mret
  j fail
1:
  csrr a1, mstatus
  li a0, 0x1888
  and a1, a1, a0
  expect a1, 0x88 /* mret set MIE to MPIE, MPIE to 1, and MPP to the least privileged mode */
  li a0, 0x80
  csrc mstatus, a0
  li a0, 0x1800
  csrs mstatus, a0
  la a1, 1f
  csrw mepc, a1
  mret
  j fail
1:
  csrr a1, mstatus
  andi a1, a1, 0x88
  expect a1, 0x80
  j pass
