/* Software and timer interrupts of the CLINT: enables, order, vectors, wfi. */
#include "suite.inc"

  .equ MSIP, DCC_CLINT_BASE + DCC_CLINT_MSIP
  .equ MTIMECMP, DCC_CLINT_BASE + DCC_CLINT_MTIMECMP
  .equ MTIME, DCC_CLINT_BASE + DCC_CLINT_MTIME

  li s0, MSIP
  li s1, MTIMECMP
  j begin

  /* Sets the CLINT's interrupt lines. The timer's line is high with mtimecmp 0, and low with the
   * greatest mtimecmp. */
  .macro software value
    li t6, \value
    sw t6, 0(s0)
  .endm
  .macro timer value
    li t6, -1
    sw t6, 4(s1)
    li t6, \value
    sw t6, 0(s1)
    sw t6, 4(s1)
  .endm
  /* Waits until mip shows the interrupt lines `bits`. */
  .macro settled bits
    li a7, 1000
81: csrr a6, mip
    andi a6, a6, 0x88
    li t6, \bits
    beq a6, t6, 82f
    addi a7, a7, -1
    bnez a7, 81b
    j fail
82:
  .endm
  /* Enables interrupts for one instruction, and checks that an interrupt with this cause is taken
   * there. */
  .macro interrupted cause
    la s7, 83f
    li s8, 0
    csrsi mstatus, 8
    nop
    nop
    j fail
83: expect s8, \cause
    csrci mstatus, 8
  .endm
  .macro not_interrupted
    csrsi mstatus, 8
    nop
    nop
    nop
    csrci mstatus, 8
  .endm

begin:
  csrci mstatus, 8
  csrw mie, zero

  test lines
  software 0
  timer -1
  settled 0
  software 1
  settled 8
  timer 0
  settled 0x88
  software 0
  settled 0x80
  timer -1
  settled 0

  test pending_but_not_enabled
  software 1
  settled 8
  not_interrupted /* mie is 0, so no interrupt is enabled */
  li t6, 0x80
  csrw mie, t6
  not_interrupted /* mie enables only the timer's interrupt */
  li t6, 8
  csrw mie, t6
  nop
  nop /* mstatus.MIE is 0, so no interrupt is taken */

  test software_interrupt
  interrupted 0x80000003
  bnez s9, fail
  software 0
  settled 0

  test timer_interrupt
  li t6, 0x80
  csrw mie, t6
  timer 0
  settled 0x80
  interrupted 0x80000007

  test software_before_timer
  li t6, 0x88
  csrw mie, t6
  software 1
  settled 0x88
  interrupted 0x80000003
  software 0
  settled 0x80
  interrupted 0x80000007
  timer -1
  settled 0

  test enabled_by_mie
  software 1
  settled 8
  csrw mie, zero
  csrsi mstatus, 8
  la s7, 1f
  li s8, 0
  li t5, 8
  csrw mie, t5
  nop
  nop
  j fail
1:
  expect s8, 0x80000003
  csrci mstatus, 8

  test let_in_by_mret
  li t6, 0x1880
  csrs mstatus, t6
  la t6, 2f
  csrw mepc, t6
  la s7, 1f
  li s8, 0
  mret
2:
  nop
  nop
  j fail
1:
  expect s8, 0x80000003
  expect_address s10, 2b /* the trap is taken before the first instruction at the target */
  csrci mstatus, 8

  test user_mode_cannot_keep_them_off
  li t6, -1
  csrw pmpaddr0, t6
  li t6, 0x1F
  csrw pmpcfg0, t6
  li t6, 0x80
  csrc mstatus, t6 /* clears MPIE; interrupts are enabled in user mode regardless */
  in_user user_loop, 0x80000003
  li t6, 0x1800
  and a0, s11, t6
  bnez a0, fail
  software 0
  settled 0

  test vectored
  csrr s2, mtvec
  la t6, vectors + 1
  csrw mtvec, t6
  li t6, 0x88
  csrw mie, t6
  software 1
  settled 8
  li a0, 0
  csrsi mstatus, 8
  nop
  nop
  expect a0, 3
  software 0
  timer 0
  settled 0x80
  csrsi mstatus, 8
  nop
  nop
  expect a0, 7
  timer -1
  settled 0
  .option push
  .option norvc
  ecall /* an exception enters the table's first entry */
  .option pop
  expect a0, 99
  csrw mtvec, s2

  test wfi
  csrci mstatus, 8
  li t6, 8
  csrw mie, t6
  software 1
  wfi /* a pending interrupt that mie enables ends wfi even if mstatus.MIE is 0 */
  software 0
  settled 0
  li t6, 0x80
  csrw mie, t6
  li a2, MTIME
  lw a0, 0(a2)
  addi a0, a0, 2000
  li t6, -1
  sw t6, 4(s1)
  sw a0, 0(s1)
  sw zero, 4(s1)
1:
  wfi
  csrr a1, mip
  andi a1, a1, 0x80
  beqz a1, 1b
  lw a1, 0(a2)
  bltu a1, a0, fail /* the timer's interrupt must not occur before its time */
  timer -1
  settled 0

  test wfi_then_interrupt
  li t6, 0x80
  csrw mie, t6
  lw a0, 0(a2)
  addi a0, a0, 2000
  la s7, 1f
  li s8, 0
  sw a0, 0(s1)
  sw zero, 4(s1)
  csrsi mstatus, 8
2:
  wfi
  j 2b
1:
  expect s8, 0x80000007
  csrci mstatus, 8
  timer -1
  j pass

  .balign 4
user_loop:
  nop
  j user_loop

  .balign 256
vectors:
  .option push
  .option norvc
  j other
  j other
  j other
  j from_software
  j other
  j other
  j other
  j from_timer
  j other
  j other
  j other
  j other
  .option pop
other:
  li a0, 99
  csrr t6, mepc
  addi t6, t6, 4
  csrw mepc, t6
  mret
from_software:
  li a0, 3
  j off
from_timer:
  li a0, 7
off:
  li t6, 0x80 /* clears MPIE, so that mret leaves interrupts disabled */
  csrc mstatus, t6
  mret
