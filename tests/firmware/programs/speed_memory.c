/* The second part of the speed test, loads and stores, which speed.c implements. */
#define MEMORY 1
#include "speed.c"
