/* Where handlers return to: the NIC takes the core back before this instruction. */
  .section .dcc_return, "ax"
  .globl dcc_return
  .type dcc_return, @function
dcc_return:
  ebreak
  .size dcc_return, . - dcc_return
