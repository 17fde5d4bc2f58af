/* Test of the devices' registers by their access kinds (RW, RO, unmapped). */
#ifndef DCC_FIRMWARE_REGISTER_TEST_H
#define DCC_FIRMWARE_REGISTER_TEST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes and reads every register, and the first and last entry of every window, of controller and
 * NIC. RW registers keep the written value. RO registers and unmapped addresses trap. Out-of-range
 * and narrow writes trap and change nothing. ERROR_INFO names the last refused access. The test
 * restores all registers and skips doorbells and commands. Prints the mistakes and returns their
 * number. `slots`: number of entries of the slot window. */
int register_test_all(uint32_t slots);

#ifdef __cplusplus
}
#endif

#endif
