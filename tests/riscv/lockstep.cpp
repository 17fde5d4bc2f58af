// Runs random programs on the hart and on Unicorn, and compares the states every few instructions.
//
//   riscv_lockstep [INSTRUCTIONS] [SEED]      default 1000000 1
//
// The program counter and all registers are compared after every chunk of 1 to 64 instructions, the
// whole memory and the number of instructions after every program. At the first difference the
// program prints it and ends with exit status 1.
#include <unicorn/unicorn.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "program_generator.h"
#include "riscv/disassembler.h"
#include "riscv/hart.h"

namespace dcc::riscv::test {
namespace {

constexpr std::uint32_t kBase = 0x80000000;
constexpr std::uint32_t kBytes = 0x40000;
constexpr std::uint32_t kDataMiddle = kBase + 0x30000;
constexpr std::uint64_t kMaxStepsPerProgram = 1'000'000;

struct NoBus final : MemoryBus {
  bool load(std::uint32_t, std::uint32_t, std::uint32_t&) override { return false; }
  bool store(std::uint32_t, std::uint32_t, std::uint32_t) override { return false; }
  bool fetch(std::uint32_t, std::uint32_t&) override { return false; }
};

void check(uc_err error, const char* what) {
  if (error != UC_ERR_OK) {
    std::fprintf(stderr, "unicorn: %s: %s\n", what, uc_strerror(error));
    std::exit(2);
  }
}

/// The oracle: Unicorn's RV32 hart with its own copy of memory.
class Oracle {
 public:
  Oracle() : memory_(kBytes) {
    check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &uc_), "open");
    check(uc_mem_map_ptr(uc_, kBase, kBytes, UC_PROT_ALL, memory_.data()), "map");
    check(
        uc_hook_add(uc_, &hook_, UC_HOOK_CODE, reinterpret_cast<void*>(&Oracle::count), this, 1, 0),
        "hook");
    for (int i = 0; i < 32; ++i) {
      ids_[static_cast<std::size_t>(i)] = UC_RISCV_REG_X0 + i;
      slots_[static_cast<std::size_t>(i)] = &x_[static_cast<std::size_t>(i)];
    }
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  ~Oracle() { uc_close(uc_); }

  void start(const std::vector<std::uint8_t>& image, std::uint32_t pc, const Hart& hart) {
    // Drops Unicorn's translations, because Unicorn keeps translations of code that the host has
    // rewritten.
    check(uc_ctl_remove_cache(uc_, kBase, kBase + kBytes), "forget translations");
    check(uc_mem_write(uc_, kBase, image.data(), image.size()), "write");
    for (int i = 1; i < 32; ++i) {
      std::uint32_t v = hart.reg(static_cast<unsigned>(i));
      check(uc_reg_write(uc_, UC_RISCV_REG_X0 + i, &v), "register");
    }
    pc_ = pc;
    counted_ = 0;
  }
  void run(std::uint32_t until, std::size_t instructions) {
    const uc_err error = uc_emu_start(uc_, pc_, until, 0, instructions);
    check(error, "run");
    check(uc_reg_read(uc_, UC_RISCV_REG_PC, &pc_), "pc");
    check(uc_reg_read_batch(uc_, ids_.data(), slots_.data(), 32), "registers");
  }
  std::uint32_t pc() const { return pc_; }
  std::uint32_t reg(unsigned i) const { return x_[i]; }
  std::uint64_t counted() const { return counted_; }
  const std::vector<std::uint8_t>& memory() const { return memory_; }

 private:
  static void count(uc_engine*, std::uint64_t, std::uint32_t, void* self) {
    ++static_cast<Oracle*>(self)->counted_;
  }

  uc_engine* uc_ = nullptr;
  uc_hook hook_ = 0;
  std::vector<std::uint8_t> memory_;
  std::uint32_t pc_ = 0;
  std::array<std::uint32_t, 32> x_{};
  std::array<int, 32> ids_{};
  std::array<void*, 32> slots_{};
  std::uint64_t counted_ = 0;
};

bool same_registers(const Hart& hart, const Oracle& oracle, std::uint32_t chunk_start) {
  bool same = hart.pc() == oracle.pc();
  for (unsigned i = 0; i < 32; ++i) same = same && hart.reg(i) == oracle.reg(i);
  if (same) return true;
  std::printf("difference in the instructions from 0x%08x on: pc 0x%08x, oracle 0x%08x\n",
              chunk_start, hart.pc(), oracle.pc());
  for (unsigned i = 0; i < 32; ++i) {
    if (hart.reg(i) != oracle.reg(i)) {
      std::printf("  %s = 0x%08x, oracle 0x%08x\n", register_name(i), hart.reg(i), oracle.reg(i));
    }
  }
  return false;
}

void print_code(Hart& hart, std::uint32_t from, unsigned lines) {
  DecodedOp op;
  for (unsigned i = 0; i < lines && hart.instruction_at(from, op); ++i) {
    std::printf("  0x%08x  %08x  %s\n", from, op.raw, disassemble(op, from).c_str());
    from += 2u * op.halfwords;
  }
}

/// Counts the operations in the programs. The test fails if the generator omits an operation.
class Coverage {
 public:
  void add(Hart& hart, std::uint32_t from, std::uint32_t end) {
    DecodedOp op;
    while (from < end && hart.instruction_at(from, op)) {
      seen_[static_cast<std::size_t>(op.op)] = true;
      compressed_ += op.halfwords == 1;
      from += 2u * op.halfwords;
    }
  }
  bool complete() const {
    bool all = compressed_ > 0;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const auto op = static_cast<Op>(i);
      const bool base = op >= Op::kLui && op <= Op::kFenceI;
      const bool decode_cache_form =
          (op >= Op::kBeqNear && op <= Op::kBgeuNear) || op == Op::kJalNear || op == Op::kSelfLoop;
      const bool muldiv_and_atomic = op >= Op::kMul && op <= Op::kAmoMaxuW;
      if (((base && !decode_cache_form) || muldiv_and_atomic) && !seen_[i]) {
        DecodedOp missing;
        missing.op = op;
        std::printf("never generated: %s\n", disassemble(missing, 0).c_str());
        all = false;
      }
    }
    return all;
  }

 private:
  std::array<bool, 256> seen_{};
  std::uint64_t compressed_ = 0;
};

/// Runs one program on hart and oracle. Returns the number of instructions, or 0 after a
/// difference.
std::uint64_t run_program(Oracle& oracle, Coverage& coverage, std::uint64_t seed) {
  Random random(seed);
  ProgramGenerator generator(random.bits());
  const std::uint32_t start = kBase + 2 * random.below(2 * kPageEntries);
  const std::vector<std::uint8_t> code = generator.generate(100 + random.below(2400));
  std::vector<std::uint8_t> memory(kBytes);
  for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random.bits());
  std::memcpy(memory.data() + (start - kBase), code.data(), code.size());
  const std::uint32_t end = start + static_cast<std::uint32_t>(code.size());

  NoBus bus;
  Hart hart(bus);
  hart.reset(start);
  hart.set_ram({memory.data(), kBase, kBytes});
  hart.set_misaligned(Hart::Misaligned::kDone);  // Unicorn completes misaligned accesses
  for (unsigned i = 1; i < 32; ++i) hart.set_reg(i, static_cast<std::uint32_t>(random.bits()));
  for (const unsigned i :
       {ProgramGenerator::kData, ProgramGenerator::kStack, ProgramGenerator::kShort}) {
    hart.set_reg(i, kDataMiddle);
  }
  oracle.start(memory, start, hart);
  coverage.add(hart, start, end);

  while (hart.pc() != end) {
    const std::uint32_t chunk_start = hart.pc();
    const std::size_t chunk = 1 + random.below(64);
    oracle.run(end, chunk);
    hart.run(oracle.counted() - hart.steps());
    if (!same_registers(hart, oracle, chunk_start)) {
      print_code(hart, chunk_start, 70);
      return 0;
    }
    if (hart.steps() > kMaxStepsPerProgram) {
      std::printf("the program does not end\n");
      return 0;
    }
  }
  if (hart.retired() != oracle.counted()) {
    std::printf("instructions %" PRIu64 ", oracle %" PRIu64 "\n", hart.retired(), oracle.counted());
    return 0;
  }
  for (std::uint32_t i = 0; i < kBytes; ++i) {
    if (memory[i] != oracle.memory()[i]) {
      std::printf("memory at 0x%08x: 0x%02x, oracle 0x%02x\n", kBase + i, memory[i],
                  oracle.memory()[i]);
      return 0;
    }
  }
  return hart.retired();
}

}  // namespace
}  // namespace dcc::riscv::test

int main(int argc, char** argv) {
  const std::uint64_t target = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1'000'000;
  std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1;
  if (target == 0) {
    std::fprintf(stderr, "usage: riscv_lockstep [INSTRUCTIONS] [SEED]\n");
    return 2;
  }
  dcc::riscv::test::Oracle oracle;
  dcc::riscv::test::Coverage coverage;
  std::uint64_t done = 0;
  std::uint64_t programs = 0;
  while (done < target) {
    const std::uint64_t n = dcc::riscv::test::run_program(oracle, coverage, seed);
    if (n == 0) {
      std::printf("program of seed %" PRIu64 " differs\n", seed);
      return 1;
    }
    done += n;
    ++programs;
    ++seed;
  }
  if (!coverage.complete()) return 1;
  std::printf("%" PRIu64 " instructions of %" PRIu64 " programs: no difference\n", done, programs);
  return 0;
}
