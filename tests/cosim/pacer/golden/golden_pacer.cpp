// golden_pacer [--cycles N] [--seed N]: compares every pin of dc_pacer, in two sizes, in every
// cycle with the pacer of the golden model by its C interface. At the first difference the program
// prints a line and ends with status 1.
#include <Vpacer.h>
#include <Vpacer_small.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

#include "block_pins.h"
#include "dcc_golden.h"

namespace dcc {
namespace {

constexpr std::uint32_t kScale = 2048 * 250;
constexpr std::uint32_t kSlack = 60;
constexpr std::uint32_t kLineBytes = 50;  // bytes per cycle on the link

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// A size of the pacer, as rtl/pacer/CMakeLists.txt verilates it.
struct Size {
  std::uint32_t flows, width, depth;
};

struct Seen {
  std::uint64_t decisions = 0, refused = 0, strict = 0, rates = 0, quiet = 0;
};

template <class Block>
class GoldenPacer {
 public:
  GoldenPacer(const Size& size, std::uint32_t seed)
      : size_(size),
        random_(seed),
        block_(static_cast<int>(seed)),
        golden_(dcc_golden_pacer_new(size.flows, size.width, size.depth, kScale, kSlack)) {
    require(golden_ != nullptr, dcc_golden_error());
    block_->scale_i = kScale;
    block_->slack_i = kSlack;
    block_->post_valid_i = block_->rate_valid_i = block_->want_i = 0;
    block_->paused_i = 0;
    block_.reset();
    for (block_.settle(); !block_->init_done_o; block_.settle()) block_.edge();
  }
  ~GoldenPacer() { dcc_golden_pacer_free(golden_); }

  Seen run(std::uint64_t cycles) {
    while (cycle_ < cycles) {
      if (one_in(2000)) phase_ = below(4);
      // Now and then the bench lets cycles without inputs pass without calling the model.
      if (phase_ == 3 && one_in(100)) pass(1 + below(500));
      step();
    }
    return seen_;
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  void good(int result) const {
    require(result == 0, "cycle " + std::to_string(cycle_) + ": " + dcc_golden_error());
  }
  void differ(const std::string& what, std::uint32_t rtl, std::uint32_t model) const {
    throw std::runtime_error("cycle " + std::to_string(cycle_) + ": " + what + " " +
                             std::to_string(rtl) + ", the golden model says " +
                             std::to_string(model));
  }

  void compare() {
    std::uint32_t flow = 0;
    std::uint32_t bytes = 0;
    const int shown = dcc_golden_pacer_outputs(golden_, cycle_, &flow, &bytes);
    require(shown >= 0, dcc_golden_error());
    const auto pin = [&](const char* name, bool rtl, int bit) {
      const bool model = (shown & bit) != 0;
      if (rtl != model) differ(name, rtl, model);
    };
    pin("sent_valid_o", block_->sent_valid_o, DCC_GOLDEN_SENT);
    pin("post_ready_o", block_->post_ready_o, DCC_GOLDEN_POST_READY);
    pin("rate_ready_o", block_->rate_ready_o, DCC_GOLDEN_RATE_READY);
    pin("post_refused_o", block_->post_refused_o, DCC_GOLDEN_POST_REFUSED);
    pin("strict_o", block_->strict_o, DCC_GOLDEN_STRICT);
    seen_.refused += block_->post_refused_o;
    seen_.strict += block_->strict_o;
    if (!block_->sent_valid_o) return;
    if (block_->sent_flow_o != flow) differ("sent_flow_o", block_->sent_flow_o, flow);
    if (block_->sent_bytes_o != bytes) differ("sent_bytes_o", block_->sent_bytes_o, bytes);
    ++seen_.decisions;
    line_free_ = std::max(cycle_, line_free_) + bytes / kLineBytes;
  }

  void step() {
    block_->post_valid_i = block_->rate_valid_i = 0;
    block_.settle();
    compare();
    if (one_in(400)) {
      block_->paused_i = one_in(2) ? 0 : static_cast<std::uint8_t>(below(256));
      pins_changed_ = true;
    }
    const bool want = cycle_ >= line_free_ && !one_in(8);
    if (want != static_cast<bool>(block_->want_i)) pins_changed_ = true;
    block_->want_i = want;
    if (pins_changed_) good(dcc_golden_pacer_pins(golden_, cycle_, block_->paused_i, want));
    pins_changed_ = false;
    // Load phases: below the link rate, above the link rate, full queues, no packets.
    static constexpr std::uint32_t kPost[] = {40, 6, 1, 0};
    if (kPost[phase_] != 0 && one_in(kPost[phase_])) post();
    if (one_in(30)) rate();
    block_.settle();
    block_.edge();
    ++cycle_;
  }
  void post() {
    if (!block_->post_ready_o) {
      require(dcc_golden_pacer_post(golden_, cycle_, 0, 1) == -1, "a post that waits is taken");
      return;
    }
    const std::uint32_t flow = below(size_.flows);
    const std::uint32_t bytes = 1 + below(one_in(20) ? 16'383 : 1'500);
    block_->post_valid_i = 1;
    block_->post_flow_i = static_cast<std::uint8_t>(flow);
    block_->post_bytes_i = static_cast<std::uint16_t>(bytes);
    good(dcc_golden_pacer_post(golden_, cycle_, flow, bytes));
  }
  void rate() {
    if (!block_->rate_ready_o) return;
    const std::uint32_t flow = below(size_.flows);
    // Draws rates up to the link rate, and rarely any 32-bit rate.
    const std::uint32_t most = 2 * 25'600'000 / size_.flows;
    const auto any = static_cast<std::uint32_t>(random_() >> (32 + below(32)));
    const std::uint32_t rate = one_in(16) ? any : most / 4 + below(most);
    const std::uint32_t priority = one_in(4) ? below(8) : 3;
    block_->rate_valid_i = 1;
    block_->rate_flow_i = static_cast<std::uint8_t>(flow);
    block_->rate_i = rate;
    block_->rate_priority_i = static_cast<std::uint8_t>(priority);
    good(dcc_golden_pacer_rate(golden_, cycle_, flow, rate, priority));
    ++seen_.rates;
  }
  /// Runs cycles without inputs and without calls of the golden model.
  void pass(std::uint32_t cycles) {
    if (block_->want_i) {
      block_->want_i = 0;
      good(dcc_golden_pacer_pins(golden_, cycle_, block_->paused_i, 0));
    }
    block_->post_valid_i = block_->rate_valid_i = 0;
    for (std::uint32_t i = 0; i < cycles; ++i, ++cycle_) {
      block_.settle();
      block_.edge();
    }
    seen_.quiet += cycles;
  }

  Size size_;
  std::mt19937_64 random_;
  BlockPins<Block> block_;
  dcc_golden_pacer* golden_;
  std::uint64_t cycle_ = 0;
  std::uint64_t line_free_ = 0;
  unsigned phase_ = 0;
  bool pins_changed_ = false;
  Seen seen_;
};

template <class Block>
void compare(const char* name, const Size& size, std::uint64_t cycles, std::uint32_t seed) {
  const Seen seen = GoldenPacer<Block>(size, seed).run(cycles);
  std::printf("golden_pacer: %s: %llu decisions, %llu rates, %llu posts refused\n", name,
              static_cast<unsigned long long>(seen.decisions),
              static_cast<unsigned long long>(seen.rates),
              static_cast<unsigned long long>(seen.refused));
  require(seen.decisions > cycles / 200 && seen.refused > cycles / 1000 &&
              seen.strict > cycles / 100 && seen.rates > cycles / 100 && seen.quiet > 0,
          std::string(name) + ": too little happens");
}

/// The golden model refuses wrong arguments with a reason, and keeps its state.
void refusals() {
  require(dcc_golden_pacer_new(48, 8, 4, kScale, kSlack) == nullptr, "48 flows");
  require(std::string(dcc_golden_error()) == "flows 48: a power of two from 4 to 16384",
          dcc_golden_error());
  require(dcc_golden_pacer_new(64, 64, 4, kScale, kSlack) == nullptr, "width 64");
  require(dcc_golden_pacer_new(64, 8, 1, kScale, kSlack) == nullptr, "depth 1");
  require(dcc_golden_pacer_new(64, 8, 4, 1u << 22, kSlack) == nullptr, "scale 2^22");
  require(dcc_golden_pacer_new(64, 8, 4, kScale, 1u << 24) == nullptr, "slack 2^24");
  dcc_golden_pacer* const p = dcc_golden_pacer_new(64, 8, 4, kScale, kSlack);
  std::uint32_t flow = 0;
  std::uint32_t bytes = 0;
  const auto refused = [](int result, const std::string& why) {
    require(result == -1 && why == dcc_golden_error(),
            std::to_string(result) + " instead of '" + why + "': " + dcc_golden_error());
  };
  refused(dcc_golden_pacer_post(p, 0, 64, 100), "flow 64: the greatest is 63");
  refused(dcc_golden_pacer_post(p, 0, 3, 0), "bytes 0: 1 to 16383");
  refused(dcc_golden_pacer_post(p, 0, 3, 16'384), "bytes 16384: 1 to 16383");
  refused(dcc_golden_pacer_rate(p, 0, 3, 1, 8), "priority 8: the greatest is 7");
  refused(dcc_golden_pacer_pins(p, 0, 256, 0), "paused 256: the greatest is 255");
  refused(dcc_golden_pacer_pins(p, 0, 0, 2), "want 2: the greatest is 1");
  require(dcc_golden_pacer_post(p, 10, 3, 100) == 0, dcc_golden_error());
  refused(dcc_golden_pacer_post(p, 10, 3, 100), "cycle 10: the pacer takes no post");
  refused(dcc_golden_pacer_outputs(p, 9, &flow, &bytes), "cycle 9 is past: the pacer is in 10");
  require(dcc_golden_pacer_rate(p, 10, 3, 1, 0) == 0, dcc_golden_error());
  refused(dcc_golden_pacer_rate(p, 11, 3, 1, 0), "cycle 11: the pacer takes no rate");
  dcc_golden_pacer_free(p);
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  std::uint64_t cycles = 400'000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    (std::strcmp(argv[i], "--cycles") == 0 ? cycles : seed) =
        std::strtoull(argv[i + 1], nullptr, 10);
  }
  const auto number = static_cast<std::uint32_t>(seed);
  try {
    dcc::refusals();
    dcc::compare<Vpacer>("64 flows", {64, 8, 4}, cycles, number);
    dcc::compare<Vpacer_small>("4 flows", {4, 2, 4}, cycles, number);
  } catch (const std::exception& error) {
    std::printf("golden_pacer: %s\n", error.what());
    return 1;
  }
  std::puts("golden_pacer: every pin of every cycle is equal");
  return 0;
}
