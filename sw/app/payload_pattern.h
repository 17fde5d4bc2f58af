/* The payload pattern that the traffic application puts into messages and verifies at the receiver.
 *
 * A message is a sequence of little-endian 32-bit words. Words at multiples of PATTERN_BLOCK_BYTES
 * are *stamps*: they depend on flow, place and message number. All others depend on flow and place
 * only, so a buffer is filled once and a new message costs one word per block. A block is shorter
 * than half a packet: a packet that never arrived leaves an old stamp behind. */
#ifndef DCC_APP_PAYLOAD_PATTERN_H
#define DCC_APP_PAYLOAD_PATTERN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PATTERN_BLOCK_BYTES = 256, PATTERN_ALIGNMENT = 4 };

/* Value of word `index` in message `message` of the flow with this seed. */
uint32_t pattern_word(uint32_t seed, uint32_t index, uint32_t message);

/* Fills a message buffer with the pattern; `memory` is aligned to four bytes. */
void pattern_fill(void* memory, uint32_t bytes, uint32_t seed, uint32_t message);
/* Turns a filled buffer into message `message` by writing the stamp words only. */
void pattern_stamp(void* memory, uint32_t bytes, uint32_t seed, uint32_t message);

/* Number of the message that begins at `memory`, decoded from its first stamp (four bytes). */
uint32_t pattern_message(const void* memory, uint32_t seed);

enum pattern_verdict {
  PATTERN_VERIFIED = 0, /* every checked byte is correct */
  /* no byte is wrong, but some bytes belong to a later message in the same slot */
  PATTERN_OVERTAKEN = 1,
  PATTERN_CORRUPT = 2,
};
/* Checks bytes [from, from + bytes) of a message of `total` bytes; `from` is rounded down to a
 * whole block. `slots`: later messages in the same slot have numbers higher by multiples of
 * `slots`. `wrong_at` (may be NULL) receives the offset of the first wrong word. */
enum pattern_verdict pattern_check(const void* memory, uint32_t total, uint32_t from,
                                   uint32_t bytes, uint32_t seed, uint32_t message, uint32_t slots,
                                   uint32_t* wrong_at);

#ifdef __cplusplus
}
#endif

#endif
