/* Workload that measures the CPU's speed: arithmetic in registers, and the same number of
 * instructions with a load or store in every third. Prints a checksum of each part, so that the
 * compiler cannot remove any work. */
#include <inttypes.h>
#include <stdio.h>

#define ROUNDS 4000000u

static uint32_t words[1024];

static uint32_t compute(uint32_t rounds) {
  uint32_t a = 1;
  uint32_t b = 0x9E3779B9u;
  for (uint32_t i = 0; i < rounds; ++i) {
    a ^= a << 13;
    a ^= a >> 17;
    a ^= a << 5;
    b += a * 2654435761u;
    a ^= b >> 7;
  }
  return a + b;
}

static uint32_t memory(uint32_t rounds) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < rounds; ++i) {
    volatile uint32_t* const word = &words[(i * 5u) & 1023u];
    *word = *word + i;
    sum ^= *word;
  }
  return sum;
}

int main(int argc, char** argv) {
  (void)argv;
#ifdef MEMORY
  printf("memory %08" PRIx32 "\n", memory(ROUNDS * 2));
#else
  printf("compute %08" PRIx32 "\n", compute(ROUNDS));
#endif
  return argc < 0 ? (int)compute(1) + (int)memory(1) : 0;
}
