# A trap before mtvec was ever written.
  .section .text.start, "ax"
  .globl _start
_start:
  lw a0, 0(zero)
