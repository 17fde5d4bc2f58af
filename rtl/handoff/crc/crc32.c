/* CRC-32 of IEEE 802.3, calculated one byte at a time. */
#include "libdeflate.h"

uint32_t libdeflate_crc32(uint32_t crc, const void *data, size_t size) {
  static uint32_t table[256];
  const uint8_t *byte = data;
  if (table[1] == 0) {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t word = i;
      for (int k = 0; k < 8; ++k) word = (word & 1) != 0 ? word >> 1 ^ 0xEDB88320u : word >> 1;
      table[i] = word;
    }
  }
  crc = ~crc;
  for (; size != 0; --size) crc = table[(crc ^ *byte++) & 0xFF] ^ crc >> 8;
  return ~crc;
}
