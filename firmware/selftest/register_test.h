/* Test of the devices' registers by access kind. */
#ifndef DCC_FIRMWARE_REGISTER_TEST_H
#define DCC_FIRMWARE_REGISTER_TEST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes and reads every register and the first and last entry of every window of controller and
 * NIC: RW keeps what is written, RO and unmapped trap, out-of-range values and narrow writes trap
 * and change nothing, ERROR_INFO names the last refused access. Registers have their values back
 * afterwards. Doorbells and commands are not touched. Prints what is wrong; returns the number of
 * mistakes. `slots`: entries that the slot window has. */
int register_test_all(uint32_t slots);

#ifdef __cplusplus
}
#endif

#endif
