/* Replays golden vectors of the whole controller on the golden model:
 *
 *   golden_replay FILE.vec [LATENCY]   (LATENCY: of the vectors' block, 48)
 *
 * Compares every answer with its cycle, and all read data. Prints PASS or FAIL; vectors/README.md
 * describes the format. Also an example of the model's use: answers, then inputs, then the access
 * of a cycle, in the order of cycles. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "dcc_golden.h"

enum {
  kMostLines = 16,
  kSlots = 64,
  kWindow = 0x80000 /* byte offset of the slots window */,
  kSlotBytes = 32
};

typedef struct {
  uint64_t cycle, op, a, b, c, d, e;
} line_t;

static dcc_golden *model;
static uint64_t runs, cycles, answers, reads, wrong;
static uint32_t latency = 48;

static void differ(uint64_t cycle, const char *what) {
  if (++wrong <= 10) printf("run %" PRIu64 " cycle %" PRIu64 ": %s\n", runs, cycle, what);
}
/* Ends the program if a call fails, which no well-formed file causes. */
static int good(int result) {
  if (result >= 0) return result;
  fprintf(stderr, "golden_replay: %s\n", dcc_golden_error());
  exit(2);
}

static int next_answer(uint64_t cycle, uint64_t *when, uint32_t word[3]) {
  return good(dcc_golden_answer(model, cycle, when, &word[0], &word[1], &word[2]));
}

/* Compares the answers of a cycle with the line `wanted`; NULL: no answer is expected. */
static void compare_answers(uint64_t cycle, const line_t *wanted) {
  uint64_t when = 0;
  uint32_t word[3];
  while (next_answer(cycle, &when, word) == 1) {
    const uint32_t kind = wanted == NULL   ? 0
                          : wanted->c == 0 ? DCC_GOLDEN_RATE
                          : wanted->d != 0 ? DCC_GOLDEN_QUERY
                                           : DCC_GOLDEN_QUERY_UNBOUND;
    if (wanted == NULL || when != cycle) {
      differ(when, "an answer too many");
      continue;
    }
    if (word[0] != kind || word[1] != wanted->a ||
        (kind != DCC_GOLDEN_QUERY_UNBOUND && word[2] != wanted->b)) {
      differ(cycle, "another answer");
    }
    wanted = NULL;
    ++answers;
  }
  if (wanted != NULL) differ(cycle, "an answer is missing");
}

static void input(const line_t *l) {
  const uint32_t flow = (uint32_t)l->a;
  if (l->op == 1) {
    good(dcc_golden_cnp(model, l->cycle, flow, (uint32_t)l->b, (uint32_t)l->c, (uint32_t)l->d));
  } else if (l->op == 2 && l->d != 0) { /* byte notification in a cycle with bytes_ready_o = 1 */
    good(dcc_golden_bytes(model, l->cycle, flow, (uint32_t)l->b, (uint32_t)l->c));
  } else if (l->op == 3 && l->c != 0) {
    good(l->b != 0 ? dcc_golden_query(model, l->cycle, flow)
                   : dcc_golden_release(model, l->cycle, flow));
  }
}

static void access_bus(const line_t *l) {
  const uint32_t address = (uint32_t)l->a;
  uint32_t value = 0, flow = 0;
  if (l->op == 4) {
    if (good(dcc_golden_write(model, l->cycle, address, (uint32_t)l->b)) != 0)
      differ(l->cycle, "a write is refused");
    return;
  }
  if (good(dcc_golden_read(model, l->cycle, address, &value)) != 0)
    differ(l->cycle, "a read is refused");
  if (l->c == 0) return;
  /* The hardware shows a free slot's previous contents, so this read is not compared. */
  if (address >= kWindow && address % kSlotBytes != 0 &&
      good(dcc_golden_slot(model, l->cycle, (address - kWindow) / kSlotBytes, &flow)) == 0)
    return;
  ++reads;
  if (value != l->b) differ(l->cycle, "a read gives another word");
}

static void play(const line_t *lines, int n) {
  const line_t *answer = NULL;
  int i;
  for (i = 0; i < n; ++i) {
    if (lines[i].op == 0) {
      dcc_golden_free(model);
      model = dcc_golden_new(kSlots, latency);
      good(model == NULL ? -1 : 0);
      ++runs;
    }
    if (lines[i].op == 6) answer = &lines[i];
    if (lines[i].op == 8) {
      if (lines[i].cycle > 0) compare_answers(lines[i].cycle - 1, NULL);
      cycles += lines[i].cycle;
      return;
    }
  }
  compare_answers(lines[0].cycle, answer);
  for (i = 0; i < n; ++i)
    if (lines[i].op >= 1 && lines[i].op <= 3) input(&lines[i]);
  for (i = 0; i < n; ++i)
    if (lines[i].op == 4 || lines[i].op == 5) access_bus(&lines[i]);
}

int main(int argc, char **argv) {
  line_t lines[kMostLines], l = {0, 0, 0, 0, 0, 0, 0};
  int n = 0, whole = 0, pass;
  FILE *file = argc == 2 || argc == 3 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) {
    fprintf(stderr, "usage: golden_replay FILE.vec [LATENCY]\n");
    return 2;
  }
  if (argc == 3) latency = (uint32_t)strtoul(argv[2], NULL, 10);
  while (fscanf(file,
                "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
                &l.cycle, &l.op, &l.a, &l.b, &l.c, &l.d, &l.e) == 7) {
    if (n > 0 && (lines[0].cycle != l.cycle || l.op == 0)) {
      play(lines, n);
      n = 0;
    }
    if (n == kMostLines || (l.op != 0 && runs == 0 && n == 0)) {
      fprintf(stderr, "golden_replay: %s does not have the form of vectors\n", argv[1]);
      return 2;
    }
    lines[n++] = l;
  }
  fclose(file);
  whole = n > 0 && lines[n - 1].op == 8;
  if (n > 0) play(lines, n);
  dcc_golden_free(model);
  pass = whole && wrong == 0 && answers > 0 && reads > 0;
  printf("%s: %" PRIu64 " runs, %" PRIu64 " cycles, %" PRIu64 " answers, %" PRIu64
         " reads, %" PRIu64 " wrong\n",
         pass ? "PASS" : "FAIL", runs, cycles, answers, reads, wrong);
  return pass ? 0 : 1;
}
