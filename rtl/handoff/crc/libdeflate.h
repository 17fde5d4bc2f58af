/* The one function of libdeflate that the bench calls, so that the package needs no library. */
#ifndef DCC_HANDOFF_LIBDEFLATE_H
#define DCC_HANDOFF_LIBDEFLATE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* CRC-32 of IEEE 802.3 of `size` bytes, continued from `crc`; 0 begins. */
uint32_t libdeflate_crc32(uint32_t crc, const void *data, size_t size);
#ifdef __cplusplus
}
#endif
#endif
