/* speed.c's second half. */
#define MEMORY 1
#include "speed.c"
