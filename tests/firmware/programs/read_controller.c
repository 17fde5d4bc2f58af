/* Reads the controller's identification register on a machine that may have no controller. */
#include <stdio.h>

#include "driver/dcc_regs.h"
#include "machine.h"

int main(void) {
  printf("controller: %08lx\n", (unsigned long)machine_read32(DCC_BASE + DCC_ID_OFFSET));
  return 0;
}
