/* Return address of handlers: the NIC takes the core back before this instruction executes. */
  .section .dcc_return, "ax"
  .globl dcc_return
  .type dcc_return, @function
dcc_return:
  ebreak
  .size dcc_return, . - dcc_return
