# A program with the tohost convention of RISC-V tests. It prints by a system call block, and exits
# with status 21.
  .section .text.start, "ax"
  .globl _start
_start:
  la t0, block
  la t1, tohost
  sw t0, 0(t1)
  sw zero, 4(t1)
  la t2, fromhost
1:
  lw t3, 0(t2)
  beqz t3, 1b
  sw zero, 0(t2)
  li t0, 21 * 2 + 1
2:
  sw t0, 0(t1)
  sw zero, 4(t1)
  j 2b

  .data
  .balign 64
block:
  .word 64, 0        # system call 64: write
  .word 1, 0         # file descriptor 1: standard output
  .word text, 0
  .word 16, 0
text:
  .ascii "hello by tohost\n"
  .section .tohost, "aw", @progbits
  .balign 64
  .globl tohost
tohost:
  .dword 0
  .balign 64
  .globl fromhost
fromhost:
  .dword 0
