#include "top_dut.h"

#include <Vdcc_top.h>
#include <verilated.h>

#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace dcc {
namespace {

constexpr std::uint32_t kPatience = 5000;  // cycles; the sweep after reset takes 1024

class Top final : public TopDut {
 public:
  explicit Top(std::uint32_t random_seed) {
    context_.fatalOnError(false);
    context_.randReset(2);
    context_.randSeed(static_cast<int>(random_seed & 0x7FFFFFFF));
    top_ = std::make_unique<Vdcc_top>(&context_, "top");
    Top::reset();
  }
  ~Top() override { top_->final(); }

  void reset() override {
    top_->clk_i = 0;
    top_->paddr_i = 0;
    top_->pprot_i = 0;
    top_->psel_i = 0;
    top_->penable_i = 0;
    top_->pwrite_i = 0;
    top_->pwdata_i = 0;
    top_->pstrb_i = 0xF;
    std::memset(&top_->hw2reg_i, 0, sizeof top_->hw2reg_i);
    top_->slot_ready_i = 0;
    top_->slot_rdata_i = 0;
    top_->timer_valid_i = 0;
    top_->timer_op_i = 0;
    top_->timer_slot_i = 0;
    top_->timer_delay_i = 0;
    top_->expire_ready_i = 0;
    top_->req_valid_i = 0;
    top_->rsp_ready_i = 0;
    top_->rst_ni = 1;
    top_->eval();
    top_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) edge();
    top_->rst_ni = 1;
    expiries_.clear();
    ticks_ = 0;
    wait([this] { return top_->ready_o != 0; }, "ready");
  }
  void idle(std::uint32_t cycles) override {
    for (std::uint32_t i = 0; i < cycles; ++i) cycle();
  }

  TopApbOutcome write(std::uint32_t address, std::uint32_t data) override {
    top_->pwdata_i = data;
    return transfer(true, address);
  }
  TopApbOutcome read(std::uint32_t address) override { return transfer(false, address); }
  void set_slot_window(std::uint32_t word) override { slot_word_ = word; }

  TopTimerAnswer timer(std::uint32_t op, std::uint32_t slot, std::uint32_t delay) override {
    top_->timer_valid_i = 1;
    top_->timer_op_i = static_cast<std::uint8_t>(op);
    top_->timer_slot_i = static_cast<std::uint16_t>(slot);
    top_->timer_delay_i = static_cast<std::uint16_t>(delay);
    wait([this] { return top_->timer_ready_o != 0; }, "timer_ready");
    cycle();
    top_->timer_valid_i = 0;
    wait([this] { return top_->timer_done_o != 0; }, "timer_done");
    const TopTimerAnswer answer{top_->timer_hit_o != 0, top_->timer_due_o};
    cycle();
    return answer;
  }
  void take_expiries(bool take) override { top_->expire_ready_i = take; }
  std::optional<TopExpiry> next_expiry() override {
    if (expiries_.empty()) return std::nullopt;
    const TopExpiry first = expiries_.front();
    expiries_.pop_front();
    return first;
  }
  std::uint64_t ticks() const override { return ticks_; }

  DecreaseResult decrease(const DecreaseRequest& request) override {
    top_->req_increase_i = 0;
    top_->req_rc_i = request.rc;
    top_->req_rt_i = request.rt;
    top_->req_alpha_i = request.alpha;
    top_->req_delta_i = request.delta;
    top_->req_dscp_i = request.dscp;
    top_->req_marks_i = request.marks;
    top_->req_first_i = request.first;
    ask();
    const DecreaseResult result{top_->rsp_rc_o, top_->rsp_rt_o, top_->rsp_alpha_o};
    take_response(false);
    return result;
  }
  IncreaseResult increase(const IncreaseRequest& request) override {
    top_->req_increase_i = 1;
    top_->req_rc_i = request.rc;
    top_->req_rt_i = request.rt;
    top_->req_dscp_i = request.dscp;
    top_->req_stage_i = static_cast<std::uint8_t>(request.stage);
    top_->req_delta_i = request.packets;
    ask();
    const IncreaseResult result{top_->rsp_rc_o, top_->rsp_rt_o, top_->rsp_at_maximum_o != 0};
    take_response(true);
    return result;
  }

  bool irq() override {
    top_->eval();
    return top_->irq_o != 0;
  }

 private:
  void edge() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    top_->eval();
  }
  /// What the surroundings see and do in every cycle, then the clock edge.
  void cycle() {
    top_->slot_ready_i = top_->slot_read_o;
    top_->slot_rdata_i = slot_word_ + top_->slot_addr_o;
    top_->eval();
    if (top_->expire_valid_o && top_->expire_ready_i) {
      expiries_.push_back({top_->expire_slot_o, top_->expire_due_o});
    }
    ticks_ += top_->tick_o;
    edge();
    if (context_.gotError()) throw std::runtime_error("an assertion of the top failed; see above");
  }
  template <class Condition>
  void wait(Condition met, const char* what) {
    for (std::uint32_t i = 0; i < kPatience; ++i) {
      top_->eval();
      if (met()) return;
      cycle();
    }
    throw std::runtime_error(std::string("the top hangs waiting for ") + what);
  }
  TopApbOutcome transfer(bool write, std::uint32_t address) {
    top_->psel_i = 1;
    top_->penable_i = 0;
    top_->pwrite_i = write;
    top_->paddr_i = address;
    cycle();
    top_->penable_i = 1;
    top_->slot_ready_i = 0;
    wait(
        [this] {
          top_->slot_ready_i = top_->slot_read_o;
          top_->slot_rdata_i = slot_word_ + top_->slot_addr_o;
          top_->eval();
          return top_->pready_o != 0;
        },
        "pready");
    const TopApbOutcome outcome{top_->pslverr_o != 0, top_->prdata_o};
    cycle();
    top_->psel_i = 0;
    top_->penable_i = 0;
    return outcome;
  }
  void ask() {
    top_->req_valid_i = 1;
    wait([this] { return top_->req_ready_o != 0; }, "req_ready");
    cycle();
    top_->req_valid_i = 0;
    wait([this] { return top_->rsp_valid_o != 0; }, "rsp_valid");
  }
  void take_response(bool increase) {
    if ((top_->rsp_increase_o != 0) != increase) {
      throw std::runtime_error("the answer is of the other kind");
    }
    top_->rsp_ready_i = 1;
    cycle();
    top_->rsp_ready_i = 0;
  }

  VerilatedContext context_;
  std::unique_ptr<Vdcc_top> top_;
  std::deque<TopExpiry> expiries_;
  std::uint64_t ticks_ = 0;
  std::uint32_t slot_word_ = 0;
};

}  // namespace

std::unique_ptr<TopDut> make_top_dut(std::uint32_t random_seed) {
  return std::make_unique<Top>(random_seed);
}

}  // namespace dcc
