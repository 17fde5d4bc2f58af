// Translates the platform's calls into clock cycles of my_rate_unit.sv.
#include <Vmy_rate_unit.h>
#include <controller/own_rate_unit.h>
#include <driver/dcc_regs.h>
#include <verilated.h>

#include <memory>

namespace {

using namespace dcc;

class MyRateUnit final : public RateEngine {
 public:
  MyRateUnit() {
    context_.threads(1);  // one thread: the platform may fork its process for snapshots
    unit_ = std::make_unique<Vmy_rate_unit>(&context_);
    load(RateRegisters{});
    // The memories of the RTL have no reset, so the tables are written here.
    const RateTables reset;
    for (int i = 0; i < kRateTables; ++i) {
      const auto table = static_cast<RateTable>(i);
      for (uint32_t k = 0; k < entries(table); ++k) load(table, k, reset.read(table, k));
    }
  }
  ~MyRateUnit() override { unit_->final(); }

  void load(const RateRegisters& registers) override {
    unit_->g_i = registers.g;
    unit_->mi_i = registers.mi;
    unit_->r_ai_i = registers.r_ai;
    unit_->r_hai_i = registers.r_hai;
    unit_->r_min_i = registers.r_min;
    unit_->r_max_i = registers.r_max;
    unit_->alpha_recip_i = registers.alpha_recip;
    unit_->first_cut_i = registers.first_cut;
    unit_->mark_shift_i = registers.mark_shift;
    unit_->cut_by_marks_i = registers.cut_by_marks;
    unit_->averaging_i = registers.law == DCC_CTRL_LAW_DCQCN;
  }
  void load(RateTable table, uint32_t index, uint32_t word) override {
    if (index >= entries(table)) return;
    address(table, index);
    unit_->word_i = word;
    unit_->write_i = 1;
    clock();
    unit_->write_i = 0;
  }
  std::optional<uint32_t> read(RateTable table, uint32_t index) override {
    if (index >= entries(table)) return 0;
    address(table, index);
    unit_->eval();
    return unit_->word_o;
  }

  DecreaseResult decrease(const DecreaseRequest& request) override {
    unit_->increase_i = 0;
    unit_->rc_i = request.rc;
    unit_->rt_i = request.rt;
    unit_->alpha_i = request.alpha;
    unit_->count_i = request.delta;
    unit_->dscp_i = request.dscp;
    unit_->marks_i = request.marks;
    unit_->first_i = request.first;
    clock();
    return {unit_->rc_o, unit_->rt_o, unit_->alpha_o};
  }
  IncreaseResult increase(const IncreaseRequest& request) override {
    unit_->increase_i = 1;
    unit_->rc_i = request.rc;
    unit_->rt_i = request.rt;
    unit_->dscp_i = request.dscp;
    unit_->stage_i = static_cast<uint8_t>(request.stage);
    unit_->count_i = request.packets;
    clock();
    return {unit_->rc_o, unit_->rt_o, unit_->at_maximum_o != 0};
  }

 private:
  void address(RateTable table, uint32_t index) {
    unit_->table_i = static_cast<uint8_t>(table);
    unit_->index_i = static_cast<uint16_t>(index);
  }
  void clock() {
    unit_->clk_i = 0;
    unit_->eval();
    unit_->clk_i = 1;
    unit_->eval();
  }

  VerilatedContext context_;
  std::unique_ptr<Vmy_rate_unit> unit_;
};

const RegisteredRateUnit kMine{"my_rate_unit", [] { return std::make_unique<MyRateUnit>(); }};

}  // namespace
