/* make_tables: prints the look-up tables of the controller with the values that the driver loads.
 *
 *   make_tables [--policy dcqcn|proportional] [--g N] [--class DSCP=WEIGHT[:FLOOR[:CEILING]]]…
 *               [--rank DSCP=R]… [--format writes|hex]
 *
 * G in 0.16 (256 = 1/256); weights as decimals (0.0625 … 255.996); floor and ceiling in Mb/s; rank
 * 0 … 3 for classes close to strict priority. `writes` (default) prints an APB write on each line:
 * offset, value, name; `hex` prints a word on each line below a comment with the table's name, for
 * $readmemh. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "driver/dcc_tables.h"

static int bad_usage(const char* what, const char* value) {
  fprintf(stderr, "make_tables: %s: %s\n", what, value);
  return 2;
}

/* Decimal number with up to nine fraction digits → fixed point with `fraction_bits`, rounded. */
static int parse_fixed(const char** text, int fraction_bits, uint32_t limit, uint32_t* out) {
  uint64_t whole = 0;
  uint64_t fraction = 0;
  uint64_t scale = 1;
  const char* p = *text;
  if (!isdigit((unsigned char)*p)) return 0;
  for (; isdigit((unsigned char)*p); ++p) {
    whole = whole * 10 + (uint64_t)(*p - '0');
    if (whole > UINT32_MAX) return 0;
  }
  if (*p == '.') {
    for (++p; isdigit((unsigned char)*p); ++p) {
      if (scale == 1000000000u) continue;
      fraction = fraction * 10 + (uint64_t)(*p - '0');
      scale *= 10;
    }
  }
  const uint64_t fixed =
      (whole << fraction_bits) + ((fraction << fraction_bits) + scale / 2) / scale;
  if (fixed > limit) return 0;
  *out = (uint32_t)fixed;
  *text = p;
  return 1;
}

static int parse_dscp(const char** text, uint32_t* dscp) {
  return parse_fixed(text, 0, DCC_DSCPS - 1, dscp) && *(*text)++ == '=';
}

/* DSCP=WEIGHT[:FLOOR[:CEILING]] */
static int parse_class(const char* text, struct dcc_class classes[DCC_DSCPS]) {
  uint32_t dscp;
  uint32_t weight;
  uint32_t floor = 0;
  uint32_t ceiling = UINT32_MAX;
  if (!parse_dscp(&text, &dscp)) return 0;
  if (!parse_fixed(&text, 8, DCC_WEIGHT_MAX_Q8_8, &weight)) return 0;
  if (weight < DCC_WEIGHT_MIN_Q8_8) return 0;
  if (*text == ':' && (++text, !parse_fixed(&text, 8, UINT32_MAX, &floor))) return 0;
  if (*text == ':' && (++text, !parse_fixed(&text, 8, UINT32_MAX, &ceiling))) return 0;
  if (*text != '\0' || ceiling == 0 || floor > ceiling) return 0;
  classes[dscp] = dcc_class_of(weight, floor, ceiling);
  return 1;
}

static int parse_rank(const char* text, struct dcc_class classes[DCC_DSCPS]) {
  uint32_t dscp;
  uint32_t rank;
  if (!parse_dscp(&text, &dscp)) return 0;
  if (!parse_fixed(&text, 0, DCC_RANKS - 1, &rank) || *text != '\0') return 0;
  classes[dscp] = dcc_class_of_rank(rank);
  return 1;
}

static int as_hex;

static void begin_table(const char* name, uint32_t entries) {
  if (as_hex) printf("// %s: %u words\n", name, (unsigned)entries);
}

static void entry(const char* name, uint32_t index, uint32_t offset, uint32_t value) {
  if (as_hex) {
    printf("%08x\n", (unsigned)value);
  } else {
    printf("0x%05x 0x%08x %s[%u]\n", (unsigned)offset, (unsigned)value, name, (unsigned)index);
  }
}

static void print_tables(const struct dcc_tables* tables) {
  begin_table("factor", DCC_FACTOR_ENTRIES);
  for (uint32_t i = 0; i < DCC_FACTOR_ENTRIES; ++i) {
    entry("factor", i, DCC_FACTOR_ENTRY_OFFSET(i),
          (uint32_t)tables->factor[i].f_dec_q4_12 << DCC_FACTOR_F_DEC_SHIFT |
              (uint32_t)tables->factor[i].f_inc_q8_8 << DCC_FACTOR_F_INC_SHIFT);
  }
  begin_table("floor", DCC_FLOOR_ENTRIES);
  for (uint32_t i = 0; i < DCC_FLOOR_ENTRIES; ++i) {
    entry("floor", i, DCC_FLOOR_ENTRY_OFFSET(i), tables->floor[i]);
  }
  begin_table("ceiling", DCC_CEILING_ENTRIES);
  for (uint32_t i = 0; i < DCC_CEILING_ENTRIES; ++i) {
    entry("ceiling", i, DCC_CEILING_ENTRY_OFFSET(i), tables->ceiling[i]);
  }
  begin_table("decay_hi", DCC_DECAY_HI_ENTRIES);
  for (uint32_t i = 0; i < DCC_DECAY_HI_ENTRIES; ++i) {
    entry("decay_hi", i, DCC_DECAY_HI_ENTRY_OFFSET(i), tables->decay_hi[i]);
  }
  begin_table("decay_lo", DCC_DECAY_LO_ENTRIES);
  for (uint32_t i = 0; i < DCC_DECAY_LO_ENTRIES; ++i) {
    entry("decay_lo", i, DCC_DECAY_LO_ENTRY_OFFSET(i), tables->decay_lo[i]);
  }
  begin_table("decrease", DCC_DECREASE_ENTRIES);
  for (uint32_t i = 0; i < DCC_DECREASE_ENTRIES; ++i) {
    entry("decrease", i, DCC_DECREASE_ENTRY_OFFSET(i), tables->decrease[i]);
  }
}

int main(int argc, char** argv) {
  static struct dcc_config config = {.policy = DCC_POLICY_DCQCN,
                                     .parameters = DCC_PARAMETERS_RESET};
  static struct dcc_tables tables;
  dcc_classes_equal(config.classes);
  for (int i = 1; i < argc; i += 2) {
    const char* const option = argv[i];
    if (i + 1 == argc) return bad_usage("option without a value, or unknown", option);
    const char* const value = argv[i + 1];
    if (strcmp(option, "--policy") == 0) {
      if (strcmp(value, "dcqcn") == 0) {
        config.policy = DCC_POLICY_DCQCN;
      } else if (strcmp(value, "proportional") == 0) {
        config.policy = DCC_POLICY_PROPORTIONAL;
      } else {
        return bad_usage("--policy is dcqcn or proportional, not", value);
      }
    } else if (strcmp(option, "--g") == 0) {
      const char* text = value;
      if (!parse_fixed(&text, 0, DCC_G_VALUE_MASK, &config.parameters.g) || *text != '\0') {
        return bad_usage("--g is 0 to 65535, not", value);
      }
    } else if (strcmp(option, "--class") == 0) {
      if (!parse_class(value, config.classes)) {
        return bad_usage("--class is DSCP=WEIGHT[:FLOOR[:CEILING]], not", value);
      }
    } else if (strcmp(option, "--rank") == 0) {
      if (!parse_rank(value, config.classes)) {
        return bad_usage("--rank is DSCP=R with R 0 to 3, not", value);
      }
    } else if (strcmp(option, "--format") == 0) {
      as_hex = strcmp(value, "hex") == 0;
      if (!as_hex && strcmp(value, "writes") != 0) {
        return bad_usage("--format is writes or hex, not", value);
      }
    } else {
      return bad_usage("unknown option", option);
    }
  }
  dcc_tables_generate(&tables, &config);
  print_tables(&tables);
  return fflush(stdout) == 0 ? 0 : 1;
}
