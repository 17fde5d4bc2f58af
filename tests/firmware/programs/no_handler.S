# Traps before the program has written mtvec.
  .section .text.start, "ax"
  .globl _start
_start:
  lw a0, 0(zero)
