/* Sleeps with no interrupt enabled. */
#include "machine.h"
int main(void) {
  machine_sleep();
  return 0;
}
