/* Reads the controller's identification, where there may be no controller. */
#include <stdio.h>

#include "driver/dcc_regs.h"
#include "machine.h"

int main(void) {
  printf("controller: %08lx\n", (unsigned long)machine_read32(DCC_BASE + DCC_ID_OFFSET));
  return 0;
}
