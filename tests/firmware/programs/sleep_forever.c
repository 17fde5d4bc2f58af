/* Sleeps while no interrupt is enabled. */
#include "machine.h"
int main(void) {
  machine_sleep();
  return 0;
}
