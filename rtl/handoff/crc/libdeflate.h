/* Declares the one function of libdeflate that the bench calls, so that the package does not
 * need the library. */
#ifndef DCC_HANDOFF_LIBDEFLATE_H
#define DCC_HANDOFF_LIBDEFLATE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Returns the CRC-32 of IEEE 802.3 of `size` bytes, continued from `crc`, which is 0 for the
 * first bytes. */
uint32_t libdeflate_crc32(uint32_t crc, const void *data, size_t size);
#ifdef __cplusplus
}
#endif
#endif
