// Tools for tests of program cores: programs of a few instructions as files, and a NIC on a
// scheduler.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "program/dcc_program.h"
#include "riscv/encode.h"
#include "schemes/program/program.h"

namespace dcc::program_tests {

using riscv::test::addi;
using riscv::test::lui;
using riscv::test::lw;
using riscv::test::sw;
using riscv::test::Word;
using Code = std::vector<Word>;

constexpr Word kZero = 0, kRa = 1, kSp = 2, kA0 = 10, kA1 = 11, kA2 = 12, kA3 = 13, kA4 = 14;
constexpr Word kRet = riscv::test::jalr(0, kRa, 0);

inline Code operator+(Code a, const Code& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Code li(Word rd, std::uint32_t value) {
  return {lui(rd, (value + 0x800) >> 12),
          addi(rd, rd, static_cast<std::int32_t>(value << 20) >> 20)};
}
constexpr std::int32_t at(std::size_t offset) { return static_cast<std::int32_t>(offset); }
/// Code that copies a word of the event into the result's rate and sets the rate. Five
/// instructions: one load, two stores, two of arithmetic.
inline Code answer_with(std::size_t offset_in_event) {
  return {lw(kA3, kA0, at(offset_in_event)), addi(kA4, kZero, DCC_SET_RATE),
          sw(kA3, kA2, at(offsetof(dcc_result, rate))), sw(kA4, kA2, 0), addi(0, 0, 0)};
}

/// A program with handlers by kind of event. Events with an empty handler have none.
struct Maker {
  std::array<Code, DCC_EVENT_KINDS> handlers;
  std::uint32_t context_bytes = 64;
  std::uint32_t flags = 0;
  std::uint32_t sent_bytes = 0;
  std::uint32_t magic = DCC_PROGRAM_MAGIC;
  std::uint32_t abi = DCC_PROGRAM_ABI;
  std::uint32_t tail = 0;  // number of zero bytes after the code, in memory only

  /// Writes the ELF file and returns its path. Each call uses another path.
  std::string write() const {
    constexpr std::uint32_t kHeader = 52, kSegment = 32, kContents = kHeader + kSegment;
    Code code{magic, abi, DCC_DATA_BASE + DCC_RESERVED_BYTES, context_bytes, flags, sent_bytes};
    code.resize(6 + DCC_EVENT_KINDS);
    code.push_back(riscv::test::kEbreak);  // the address to which handlers return
    const auto entry = static_cast<Word>(DCC_CODE_BASE + 4 * (code.size() - 1));
    for (std::size_t kind = 0; kind < handlers.size(); ++kind) {
      if (handlers[kind].empty()) continue;
      code[6 + kind] = static_cast<Word>(DCC_CODE_BASE + 4 * code.size());
      code = code + handlers[kind];
      code.push_back(kRet);
    }
    const auto bytes = static_cast<std::uint32_t>(code.size() * 4);
    const Code head = {0x464C457F,
                       0x00010101,
                       0,
                       0,
                       2 | 243 << 16,
                       1,
                       entry,
                       kHeader,
                       0,
                       0,
                       kHeader | kSegment << 16,
                       1,
                       0,
                       1,
                       kContents,
                       DCC_CODE_BASE,
                       DCC_CODE_BASE,
                       bytes,
                       bytes + tail,
                       5,
                       4};
    static int count = 0;
    const std::string path = testing::TempDir() + "dcc_program_" + std::to_string(getpid()) + "_" +
                             std::to_string(count++) + ".elf";
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(head.data()), kContents);
    file.write(reinterpret_cast<const char*>(code.data()), bytes);
    return path;
  }
};

/// A fake NIC that stores the rates and windows that it is given, and runs timers on the scheduler.
class Nic final : public AlgorithmHost {
 public:
  explicit Nic(std::uint32_t line_mbps) : line_(line_mbps << Rate::kFractionBits) {}
  void bind(Algorithm& algorithm) { algorithm_ = &algorithm; }
  Scheduler& scheduler() { return scheduler_; }

  PicoSeconds now() const override { return scheduler_.now(); }
  void set_rate(FlowNumber flow, Rate rate) override {
    rates_[flow] = rate;
    changes.push_back({now(), rate});
  }
  void set_window(FlowNumber flow, Bytes bytes) override { windows_[flow] = bytes; }
  void start_timer(FlowNumber flow, int id, PicoSeconds delay) override {
    std::unique_ptr<Timer>& timer = timers_[{flow, id}];
    if (timer == nullptr) timer = std::make_unique<Timer>(*this, flow, id);
    scheduler_.schedule_in(timer->event, delay);
  }
  void stop_timer(FlowNumber flow, int id) override {
    const auto timer = timers_.find({flow, id});
    if (timer != timers_.end()) scheduler_.cancel(timer->second->event);
  }
  Rate line_rate() const override { return line_; }

  Rate rate(FlowNumber flow) { return rates_[flow]; }
  Bytes window(FlowNumber flow) { return windows_[flow]; }
  struct Change {
    PicoSeconds at;
    Rate rate;
  };
  std::vector<Change> changes;

 private:
  struct Timer {
    Timer(Nic& its_nic, FlowNumber its_flow, int its_id)
        : nic(its_nic),
          flow(its_flow),
          id(its_id),
          event(Event::calling<&Timer::expire>(*this, 1)) {}
    void expire() { nic.algorithm_->on_timer(flow, id); }
    Nic& nic;
    FlowNumber flow;
    int id;
    Event event;
  };
  Scheduler scheduler_;
  Algorithm* algorithm_ = nullptr;
  Rate line_;
  std::map<FlowNumber, Rate> rates_;
  std::map<FlowNumber, Bytes> windows_;
  std::map<std::pair<FlowNumber, int>, std::unique_ptr<Timer>> timers_;
};

/// A NIC that runs a program.
struct Bench {
  Bench(const Maker& maker, ProgramParameters with, std::uint32_t line_mbps = 100'000)
      : nic(line_mbps) {
    with.elf = maker.write();
    program = std::make_unique<Program>(
        AlgorithmContext{nic.scheduler(), nic, 1000, kMicroSecond, 7}, with);
    nic.bind(*program);
  }
  void until(PicoSeconds when) { nic.scheduler().run_until(when); }
  const HandlerCounts& counts(unsigned kind) const { return program->handlers()[kind]; }

  Nic nic;
  std::unique_ptr<Program> program;
};

}  // namespace dcc::program_tests
