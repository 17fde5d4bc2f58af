#include "regs_dut.h"

#include <Vdcc_regs.h>
#include <Vnic_regs.h>
#include <verilated.h>

#ifdef DCC_HAVE_REGS_NETLIST
#include <Vdcc_regs_netlist.h>
#endif

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "registers/generated/dcc_map.h"
#include "registers/generated/nic_map.h"

namespace dcc::regs {
namespace {

constexpr std::uint32_t kVerilatedSlots = 1024;  // number of slots, as in rtl/regs/CMakeLists.txt

/// Position of a member of a packed struct. Members are added in order of declaration, so the first
/// member occupies the highest bits.
struct Member {
  std::uint16_t index;  // index of the register or counter
  int field;            // number of the register's field, or kStrobe, or kCounter
  unsigned width;
  unsigned lsb = 0;
};
constexpr int kStrobe = -1;
constexpr int kCounter = -2;

void place(std::vector<Member>& members) {
  unsigned bits = 0;
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    member->lsb = bits;
    bits += member->width;
  }
}

std::vector<Member> reg2hw_layout(const MapInfo& map) {
  std::vector<Member> members;
  for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
    if (i == map.interrupt_mask || i == map.interrupt_test) continue;
    const RegisterInfo& info = map.registers[i];
    for (int f = 0; f < static_cast<int>(info.fields.size()); ++f) {
      const Access access = info.fields[static_cast<std::size_t>(f)].access;
      if (access == Access::kReadWrite || access == Access::kWriteOnly) {
        members.push_back({i, f, info.fields[static_cast<std::size_t>(f)].width});
      }
    }
    if (info.strobe) members.push_back({i, kStrobe, 1});
  }
  place(members);
  return members;
}

std::vector<Member> hw2reg_layout(const MapInfo& map) {
  std::vector<Member> members;
  for (std::uint16_t i = 0; i < map.registers.size(); ++i) {
    const RegisterInfo& info = map.registers[i];
    for (int f = 0; f < static_cast<int>(info.fields.size()); ++f) {
      const FieldInfo& field = info.fields[static_cast<std::size_t>(f)];
      const bool live = field.access == Access::kReadOnly && info.source == Source::kHardware;
      const bool cause = field.access == Access::kWrite1Clear && field.mask() != map.error_cause;
      if (live || cause) members.push_back({i, f, field.width});
    }
  }
  for (std::uint16_t i = 0; i < map.counters.size(); ++i) members.push_back({i, kCounter, 64});
  place(members);
  return members;
}

template <class Wide>
void set_bits(Wide& wide, unsigned lsb, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = lsb + i;
    const std::uint32_t mask = 1u << (bit % 32);
    if ((value >> i & 1) != 0) {
      wide[bit / 32] |= mask;
    } else {
      wide[bit / 32] &= ~mask;
    }
  }
}

template <class Wide>
std::uint32_t get_bits(const Wide& wide, unsigned lsb, unsigned width) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    value |= (wide[(lsb + i) / 32] >> ((lsb + i) % 32) & 1u) << i;
  }
  return value;
}

template <class V, class = void>
struct HasWindows : std::false_type {};
template <class V>
struct HasWindows<V, std::void_t<decltype(std::declval<V>().win_sel_o)>> : std::true_type {};

template <class V>
class VerilatedRegs final : public RegsDut {
 public:
  VerilatedRegs(const MapInfo& map, int seed)
      : map_(map), reg2hw_(reg2hw_layout(map)), hw2reg_(hw2reg_layout(map)) {
    context_.randReset(2);
    context_.randSeed(seed);
    dut_ = std::make_unique<V>(&context_);
    environment.live.resize(map.registers.size());
    environment.counters.resize(map.counters.size());
    for (const WindowInfo& window : map.windows) {
      environment.windows.emplace_back(window.entries * window.stride / 4, 0);
    }
  }
  ~VerilatedRegs() override { dut_->final(); }

  void reset() override {
    dut_->psel_i = 0;
    dut_->penable_i = 0;
    dut_->rst_ni = 0;
    cycle();
    dut_->rst_ni = 1;
    cycle();
  }

  ApbOutcome transfer(bool write, std::uint32_t address, std::uint32_t data,
                      std::uint8_t strobe) override {
    dut_->psel_i = 1;
    dut_->penable_i = 0;
    dut_->pwrite_i = write;
    dut_->paddr_i = address & (map_.size - 1);
    dut_->pwdata_i = data;
    dut_->pstrb_i = write ? strobe : 0;
    dut_->pprot_i = address >> 2 & 7;  // any value of PPROT, which the block ignores
    cycle();
    dut_->penable_i = 1;
    ApbOutcome outcome;
    for (;; ++outcome.wait_states) {
      if (outcome.wait_states > 1000) throw std::runtime_error("PREADY never came");
      settle();
      const bool ready = dut_->pready_o != 0;
      outcome.slverr = dut_->pslverr_o != 0;
      outcome.rdata = dut_->prdata_o;
      cycle();
      if (ready) break;
    }
    dut_->psel_i = 0;
    dut_->penable_i = 0;
    settle();
    return outcome;
  }

  void idle() override { cycle(); }
  bool irq() override { return dut_->irq_o != 0; }

  std::uint32_t to_hardware(std::uint16_t index, int field) override {
    for (const Member& member : reg2hw_) {
      if (member.index == index && member.field == field) {
        return get_bits(dut_->reg2hw_o, member.lsb, member.width);
      }
    }
    throw std::logic_error("no such member of reg2hw");
  }

  int take_window_writes() override { return std::exchange(window_writes_, 0); }

 private:
  /// Drives the hardware's inputs and lets combinational paths settle, including the window's
  /// response.
  void settle() {
    for (const Member& member : hw2reg_) {
      std::uint64_t value = 0;
      if (member.field == kCounter) {
        value = environment.counters[member.index];
      } else {
        const FieldInfo& field =
            map_.registers[member.index].fields[static_cast<std::size_t>(member.field)];
        value = field.of(field.access == Access::kWrite1Clear ? environment.causes
                                                              : environment.live[member.index]);
      }
      set_bits(dut_->hw2reg_i, member.lsb, member.width, value);
    }
    dut_->clk_i = 0;
    if constexpr (HasWindows<V>::value) {
      dut_->win_ready_i = 0;
      dut_->eval();
      if (dut_->win_sel_o != 0 && waited_ >= environment.window_wait) {
        const unsigned window = selected();
        dut_->win_ready_i = 1;
        dut_->win_rdata_i = environment.windows[window].at(dut_->win_addr_o);
      } else {
        dut_->win_rdata_i = 0xDEADBEEF;  // data has no meaning while ready is low
      }
    }
    dut_->eval();
  }

  unsigned selected() const {
    unsigned window = 0;
    while ((dut_->win_sel_o >> window & 1u) == 0) ++window;
    if ((dut_->win_sel_o & ~(1u << window)) != 0) throw std::runtime_error("two windows at once");
    return window;
  }

  void cycle() {
    settle();
    if constexpr (HasWindows<V>::value) {
      if (dut_->win_sel_o == 0) {
        waited_ = 0;
      } else if (dut_->win_ready_i == 0) {
        ++waited_;
      } else {
        waited_ = 0;
        if (dut_->win_write_o != 0) {
          environment.windows[selected()].at(dut_->win_addr_o) = dut_->win_wdata_o;
          ++window_writes_;
        }
      }
    }
    dut_->clk_i = 1;
    dut_->eval();
  }

  const MapInfo& map_;
  std::vector<Member> reg2hw_;
  std::vector<Member> hw2reg_;
  VerilatedContext context_;
  std::unique_ptr<V> dut_;
  int waited_ = 0;
  int window_writes_ = 0;
};

}  // namespace

std::unique_ptr<RegsDut> make_regs_dut(const std::string& map, int seed) {
#ifdef DCC_HAVE_REGS_NETLIST
  if (map == "dcc_gates") {
    return std::make_unique<VerilatedRegs<Vdcc_regs_netlist>>(dcc_map::kMap, seed);
  }
#endif
  if (map == dcc_map::kMap.name) {
    return std::make_unique<VerilatedRegs<Vdcc_regs>>(dcc_map::kMap, seed);
  }
  return std::make_unique<VerilatedRegs<Vnic_regs>>(nic_map::kMap, seed);
}

CsrInstance verilated_instance(const MapInfo& map) {
  CsrInstance instance = default_instance(map);
  if (&map == &dcc_map::kMap) instance.window_entries[dcc_map::kWindowSlots] = kVerilatedSlots;
  return instance;
}

}  // namespace dcc::regs
