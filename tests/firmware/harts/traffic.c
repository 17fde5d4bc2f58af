/* Runs the traffic application on hart 0, while another hart counts until the program ends. */
#include "../../../firmware/apps/traffic.c"

#include "harts.h"

static volatile uint32_t rounds;

void hart_main(unsigned hart) {
  (void)hart;
  for (;;) harts_add(&rounds, 1);
}
