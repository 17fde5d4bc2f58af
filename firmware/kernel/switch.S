/* Switches between tasks and kernel: a trap saves the task's registers at the address in
 * mscratch and continues in C on the kernel's stack; kernel_enter restores the registers and
 * returns to the task. */
  .option norelax
  .text
  .balign 4
  .globl kernel_trap_entry
  .type kernel_trap_entry, @function
kernel_trap_entry:
  csrrw t6, mscratch, t6 /* t6: context of the running task; 0: the trap comes from the kernel */
  beqz t6, 1f
  .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
  sw x\n, 4*\n(t6)
  .endr
  csrrw t5, mscratch, zero /* saves the task's t6; mscratch 0 marks the kernel as running */
  sw t5, 4*31(t6)
  csrr t5, mepc
  sw t5, 4*32(t6)
  la sp, __stack_top
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la tp, __tls_base
  mv a0, t6
  call kernel_trap
1:
  la sp, __stack_top
  call kernel_fault
  .size kernel_trap_entry, . - kernel_trap_entry

  .globl kernel_enter
  .type kernel_enter, @function
kernel_enter:
  csrw mscratch, a0
  lw t0, 4*32(a0)
  csrw mepc, t0
  li t0, 0x1800
  csrc mstatus, t0 /* MPP = 0: mret returns to user mode */
  mv t6, a0
  .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
  lw x\n, 4*\n(t6)
  .endr
  mret
  .size kernel_enter, . - kernel_enter
