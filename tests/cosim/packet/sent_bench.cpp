// Compares the RTL module dc_sent with a table of contexts: the byte notification of every sent
// packet, its order and its time.
#include <Vsent.h>

#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <string>

#include "block_pins.h"
#include "packet_bench.h"

namespace dcc {
namespace {

constexpr std::uint32_t kFlows = 64;  // number of flows, as in rtl/packet/CMakeLists.txt
// Queue pair number of flow 0 in each of two rounds. In the second round the numbers of the last
// flows would exceed 2^24.
constexpr std::array<std::uint32_t, 2> kBases = {0xABC100, 0xFFFFD8};
constexpr std::uint32_t kAll24 = 0xFFFFFF;

class SentBench {
 public:
  explicit SentBench(std::uint32_t seed) : random_(seed), block_(static_cast<int>(seed)) {}

  void run(std::uint64_t packets) {
    for (const std::uint32_t base : kBases) {
      base_ = base;
      start();
      full_rate();
      for (std::uint64_t sent = 0; sent < packets / 2;) sent += cycle();
      while (!expected_.empty()) cycle();
      let_wait();
    }
    start();
    require(notices_ > 0 && unbound_ > 0 && saturated_ > 0, "sent: an outcome never occurred");
  }

 private:
  struct Context {
    bool bound = false;
    std::uint32_t dscp = 0;
  };
  struct Notice {
    bool bound = false;
    std::uint32_t flow = 0;
    std::uint32_t dscp = 0;
    std::uint32_t bytes = 0;
  };

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  void start() {
    block_->sent_valid_i = 0;
    block_->context_we_i = 0;
    block_->bytes_ready_i = 0;
    block_->qpn_base_i = base_;
    block_->overhead_i = 20;
    block_.reset();
    unsigned swept = 0;
    for (;; ++swept) {
      block_->sent_valid_i = 1;
      block_.settle();
      if (block_->init_done_o) break;
      require(!block_->sent_ready_o, "sent: a packet is taken during the sweep");
      require(!block_->bytes_valid_o && !block_->unbound_o, "sent: an outcome survives a reset");
      block_.edge();
    }
    require(swept == kFlows, "sent: the sweep does not take a cycle a flow");
    block_->sent_valid_i = 0;
    contexts_ = {};
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      // Binds four of five flows. The initial sweep has left the other flows unbound.
      if (flow % 5 != 3) write({true, below(64)}, flow);
    }
  }

  /// Lets a notification wait at the port, for the reset that follows.
  void let_wait() {
    block_->sent_valid_i = 0;
    write({true, 1}, 0);
    block_->sent_valid_i = 1;
    block_->sent_pair_i = base_;
    block_->bytes_ready_i = 0;
    block_.settle();
    require(block_->sent_ready_o, "sent: takes no packet, though nothing waits");
    block_.edge();
    block_->sent_valid_i = 0;
    block_.settle();
    require(block_->bytes_valid_o, "sent: no notification waits");
  }

  void write(const Context& context, std::uint32_t flow) {
    set_context(context, flow);
    block_.settle();
    block_.edge();
    block_->context_we_i = 0;
  }
  void set_context(const Context& context, std::uint32_t flow) {
    contexts_[flow] = context;
    block_->context_we_i = 1;
    block_->context_flow_i = static_cast<std::uint8_t>(flow);
    block_->context_bound_i = context.bound;
    block_->context_dscp_i = static_cast<std::uint8_t>(context.dscp);
  }

  /// Without back-pressure dc_sent accepts a packet in every cycle and reports it in the next
  /// cycle.
  void full_rate() {
    for (unsigned i = 0; i < 100; ++i) {
      draw();
      block_->sent_valid_i = 1;
      block_->bytes_ready_i = 1;
      block_.settle();
      require(block_->sent_ready_o, "sent: takes no packet, though nothing waits");
      check();
      require(expected_.empty(), "sent: an outcome does not come in the next cycle");
      expected_.push_back(notice());
      block_.edge();
    }
    offered_ = false;
  }

  void draw() {
    pair_ = (base_ + below(kFlows)) & kAll24;
    if (one_in(10)) pair_ = below(1 << 24);
    if (one_in(10)) pair_ = (base_ - 1) & kAll24;
    if (one_in(10)) pair_ = (base_ + kFlows) & kAll24;
    length_ = one_in(20) ? ~below(300) : below(one_in(10) ? 1u << 31 : 10'000);
    block_->sent_pair_i = pair_;
    block_->sent_length_i = length_;
  }

  Notice notice() {
    if (pair_ < base_ || pair_ - base_ >= kFlows || !contexts_[pair_ - base_].bound) return {};
    const std::uint32_t flow = pair_ - base_;
    const std::uint64_t sum = std::uint64_t{length_} + block_->overhead_i;
    constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (sum > kMost) ++saturated_;
    return {true, flow, contexts_[flow].dscp,
            sum > kMost ? kMost : static_cast<std::uint32_t>(sum)};
  }

  /// Runs one cycle with a random packet, random readiness of the output and now and then a written
  /// context. Returns 1 if dc_sent accepted a packet.
  unsigned cycle() {
    if (!offered_ && one_in(2)) {
      draw();
      offered_ = true;
    }
    if (one_in(50)) block_->overhead_i = static_cast<std::uint8_t>(below(256));
    block_->sent_valid_i = offered_;
    block_->bytes_ready_i = !one_in(3);
    block_->context_we_i = 0;
    // A context that is written in the cycle in which dc_sent accepts a packet of the flow applies
    // to that packet.
    if (one_in(8)) set_context({!one_in(4), below(64)}, one_in(2) ? near() : below(kFlows));
    block_.settle();
    check();
    const bool taken = offered_ && block_->sent_ready_o;
    if (taken) {
      expected_.push_back(notice());
      offered_ = false;
      idle_ = 0;
    }
    require(++idle_ < 1000, "sent: stands still");
    block_.edge();
    return taken;
  }
  std::uint32_t near() const { return (pair_ - base_) % kFlows; }

  void check() {
    const bool told = block_->bytes_valid_o && block_->bytes_ready_i;
    if (!told && !block_->unbound_o) return;
    require(!expected_.empty(), "sent: an outcome without a packet");
    const Notice want = expected_.front();
    expected_.pop_front();
    require(told == want.bound, told ? "sent: a notification without a flow"
                                     : "sent: a flow's packet makes no notification");
    ++(told ? notices_ : unbound_);
    if (!told) return;
    require(block_->bytes_flow_o == want.flow, "sent: wrong flow");
    require(block_->bytes_dscp_o == want.dscp, "sent: wrong DSCP");
    require(block_->bytes_length_o == want.bytes,
            "sent: " + std::to_string(block_->bytes_length_o) + " bytes instead of " +
                std::to_string(want.bytes));
  }

  std::mt19937_64 random_;
  BlockPins<Vsent> block_;
  std::uint32_t base_ = 0;
  std::array<Context, kFlows> contexts_{};
  std::deque<Notice> expected_;
  std::uint32_t pair_ = 0;
  std::uint32_t length_ = 0;
  bool offered_ = false;
  unsigned idle_ = 0;
  std::uint64_t notices_ = 0;
  std::uint64_t unbound_ = 0;
  std::uint64_t saturated_ = 0;
};

}  // namespace

void run_sent(std::uint64_t packets, std::uint32_t seed) { SentBench(seed).run(packets); }

}  // namespace dcc
