#include "app/payload_pattern.h"

#include <stddef.h>
#include <string.h>

enum { kBlockWords = PATTERN_BLOCK_BYTES / 4 };

/* An odd step makes a stamp identify its message: multiplication modulo 2^32 has an inverse. */
static const uint32_t kStampStep = 0x9E3779B1u;
static const uint32_t kStampStepInverse = 0x0E8B2F51u;
/* Limit of message numbers ahead, in turns through the slots; a random word passes for a later
 * stamp with a probability of 2^-20. */
enum { kTurnsAhead = 4096, kTurnsTried = 8 };

/* The pattern grows by equal steps from block to block and from word to word, from a hash of the
 * flow's seed: firmware fills and stamps each message before sending, at a few instructions a
 * word. */
static const uint32_t kBlockStep = 0x27D4EB2Fu;
static const uint32_t kWordStep = 0x85EBCA77u;

static inline uint32_t block_start(uint32_t seed, uint32_t block) {
  uint32_t x = seed;
  x ^= x >> 15;
  x *= 0xC2B2AE3Du;
  x ^= x >> 13;
  return x + block * kBlockStep;
}

static inline uint32_t body_word(uint32_t seed, uint32_t index) {
  return block_start(seed, index / kBlockWords) + index % kBlockWords * kWordStep;
}

static void put_block(uint32_t* words, uint32_t count, uint32_t word) {
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4, word += 4 * kWordStep) {
    words[i] = word;
    words[i + 1] = word + kWordStep;
    words[i + 2] = word + 2 * kWordStep;
    words[i + 3] = word + 3 * kWordStep;
  }
  for (; i < count; ++i, word += kWordStep) words[i] = word;
}

uint32_t pattern_word(uint32_t seed, uint32_t index, uint32_t message) {
  const uint32_t body = body_word(seed, index);
  return index % kBlockWords == 0 ? body + message * kStampStep : body;
}

/* Writes the last word of a message, which may be shorter than four bytes, byte by byte. */
static void put_tail(uint8_t* tail, uint32_t bytes, uint32_t word) {
  for (uint32_t i = 0; i < bytes; ++i) tail[i] = (uint8_t)(word >> (8 * i));
}

void pattern_fill(void* memory, uint32_t bytes, uint32_t seed, uint32_t message) {
  uint32_t* const words = memory;
  const uint32_t whole = bytes / 4;
  uint32_t start = block_start(seed, 0);
  for (uint32_t i = 0; i < whole; i += kBlockWords, start += kBlockStep) {
    const uint32_t left = whole - i;
    put_block(words + i, left < kBlockWords ? left : kBlockWords, start);
  }
  put_tail((uint8_t*)memory + 4 * whole, bytes % 4, pattern_word(seed, whole, message));
  pattern_stamp(memory, bytes, seed, message);
}

void pattern_stamp(void* memory, uint32_t bytes, uint32_t seed, uint32_t message) {
  uint32_t* const words = memory;
  const uint32_t whole = bytes / 4;
  uint32_t stamp = pattern_word(seed, 0, message);
  for (uint32_t i = 0; i < whole; i += kBlockWords, stamp += kBlockStep) words[i] = stamp;
  if (whole % kBlockWords == 0) {
    put_tail((uint8_t*)memory + 4 * whole, bytes % 4, pattern_word(seed, whole, message));
  }
}

uint32_t pattern_message(const void* memory, uint32_t seed) {
  const uint32_t* const words = memory;
  return (words[0] - body_word(seed, 0)) * kStampStepInverse;
}

/* True if `stamp` belongs to a later message in the same slot. */
static int is_later_stamp(uint32_t stamp, uint32_t seed, uint32_t index, uint32_t message,
                          uint32_t slots) {
  const uint32_t ahead = (stamp - body_word(seed, index)) * kStampStepInverse - message;
  return ahead % slots == 0 && ahead / slots <= kTurnsAhead;
}

static int tail_matches(const uint8_t* tail, uint32_t bytes, uint32_t word) {
  for (uint32_t i = 0; i < bytes; ++i) {
    if (tail[i] != (uint8_t)(word >> (8 * i))) return 0;
  }
  return 1;
}

enum pattern_verdict pattern_check(const void* memory, uint32_t total, uint32_t from,
                                   uint32_t bytes, uint32_t seed, uint32_t message, uint32_t slots,
                                   uint32_t* wrong_at) {
  const uint32_t* const words = memory;
  const uint32_t end = bytes > total - from ? total : from + bytes;
  const uint32_t whole = end / 4;
  enum pattern_verdict verdict = PATTERN_VERIFIED;
  for (uint32_t i = from / PATTERN_BLOCK_BYTES * kBlockWords; i < whole;) {
    if (words[i] != pattern_word(seed, i, message)) {
      if (!is_later_stamp(words[i], seed, i, message, slots)) {
        if (wrong_at != NULL) *wrong_at = 4 * i;
        return PATTERN_CORRUPT;
      }
      verdict = PATTERN_OVERTAKEN;
    }
    const uint32_t block_end = whole - i < kBlockWords ? whole : i + kBlockWords;
    uint32_t difference = 0;
    uint32_t word = body_word(seed, i);
    for (uint32_t k = i + 1; k < block_end; ++k) difference |= words[k] ^ (word += kWordStep);
    if (difference != 0) {
      uint32_t k = i + 1;
      while (words[k] == body_word(seed, k)) ++k;
      if (wrong_at != NULL) *wrong_at = 4 * k;
      return PATTERN_CORRUPT;
    }
    i = block_end;
  }
  const uint32_t tail_bytes = end % 4;
  const uint8_t* const tail = (const uint8_t*)memory + 4 * whole;
  if (tail_bytes == 0 || tail_matches(tail, tail_bytes, pattern_word(seed, whole, message))) {
    return verdict;
  }
  /* A stamp shorter than four bytes cannot be inverted; the next few messages of the slot are
   * tried. */
  for (uint32_t turn = 1; turn <= kTurnsTried && whole % kBlockWords == 0; ++turn) {
    if (tail_matches(tail, tail_bytes, pattern_word(seed, whole, message + turn * slots))) {
      return PATTERN_OVERTAKEN;
    }
  }
  if (wrong_at != NULL) *wrong_at = 4 * whole;
  return PATTERN_CORRUPT;
}
