// Writes golden vectors of the rate unit, made by the model: rate_vectors [ROUNDS [SEED]]
//
// A line: kind, eight input words, three expected words, all hexadecimal.
//   0 registers  rtl/rate_lut/generated/dcc_rate_pkg.sv's regs_t, the lowest 32 bits first
//   1 write      table index word
//   2 decrease   rc rt alpha delta dscp marks first      expected rc rt alpha
//   3 increase   rc rt dscp stage packets                 expected rc rt at_maximum
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "controller/rate_unit.h"
#include "rate_pins.h"
#include "rate_random.h"

namespace dcc {
namespace {

struct Words {
  std::uint32_t in[8] = {};
  std::uint32_t out[3] = {};
};

void print(int kind, const Words& words) {
  std::printf("%x", static_cast<unsigned>(kind));
  for (const std::uint32_t w : words.in) std::printf(" %08x", static_cast<unsigned>(w));
  for (const std::uint32_t w : words.out) std::printf(" %08x", static_cast<unsigned>(w));
  std::printf("\n");
}

void write_round(RateRandom& random, RateUnit& model) {
  const RateRegisters r = random.registers();
  model.load(r);
  Words registers;
  const RateRegisterWords words = words_of(r);
  std::copy(words.begin(), words.end(), registers.in);
  print(0, registers);
  for (int n = 0; n < 100; ++n) {
    const auto table = static_cast<RateTable>(random.below(kRateTables));
    const std::uint32_t index = random.below(entries(table)), word = random.table_word(table);
    model.load(table, index, word);
    print(1, {{static_cast<std::uint32_t>(table), index, word}, {}});
  }
  for (int n = 0; n < 100; ++n) {
    const DecreaseRequest d = random.decrease();
    const DecreaseResult cut = model.decrease(d);
    print(2,
          {{d.rc, d.rt, d.alpha, d.delta, d.dscp, d.marks, d.first}, {cut.rc, cut.rt, cut.alpha}});
    const IncreaseRequest i = random.increase();
    const IncreaseResult rise = model.increase(i);
    print(3, {{i.rc, i.rt, i.dscp, static_cast<std::uint32_t>(i.stage), i.packets},
              {rise.rc, rise.rt, rise.at_maximum}});
  }
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 50;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  if (rounds <= 0 || argc > 3) {
    std::fprintf(stderr, "usage: rate_vectors [ROUNDS [SEED]]\n");
    return 2;
  }
  dcc::RateRandom random(static_cast<std::uint32_t>(seed));
  dcc::RateUnit model;
  for (long i = 0; i < rounds; ++i) dcc::write_round(random, model);
  return 0;
}
