/* The second half of the speed test, which speed.c contains. */
#define MEMORY 1
#include "speed.c"
