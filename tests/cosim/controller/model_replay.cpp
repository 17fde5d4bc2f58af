// Plays golden vectors of the whole controller to the reference model:
//
//   model_replay FILE.vec
//
// Compares every answer with its cycle, and all read data. Prints PASS or FAIL; controller_vectors
// describes the format. Also an example of the model's use: calls in order of time, answers by
// callback.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "controller/controller_model.h"
#include "controller/controller_registers.h"
#include "registers/generated/dcc_map.h"

namespace dcc {
namespace {

constexpr std::int64_t kPeriod = 4000;  // ps

struct Line {
  std::uint64_t cycle, op, a, b, c, d, e;
};

struct Given {
  std::uint64_t cycle;
  std::uint32_t flow, rate;
  bool query, bound;
};

ControllerConfig config() {
  ControllerConfig c;
  c.slots = 64;
  c.latency_cycles = 48;
  return c;
}

class Model final : public RateSink {
 public:
  Model() : device_(scheduler_, config(), 1, *this), registers_(device_) {}
  /// The block at an edge; inputs and accesses of a cycle are sampled at the edge that ends it.
  ControllerEngine& at(std::uint64_t edge) {
    scheduler_.run_until(PicoSeconds{static_cast<std::int64_t>(edge) * kPeriod});
    return device_;
  }
  regs::RegisterBlock& registers() { return registers_.block(); }
  std::deque<Given> answers;

 private:
  std::uint64_t cycle() const {
    return static_cast<std::uint64_t>(scheduler_.now().count / kPeriod);
  }
  void rate_calculated(std::uint32_t flow, Rate rate) override {
    answers.push_back({cycle(), flow, rate.raw, false, true});
  }
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override {
    answers.push_back({cycle(), flow, rate.has_value() ? rate->raw : 0, true, rate.has_value()});
  }

  Scheduler scheduler_;
  ControllerModel device_;
  regs::ControllerRegisters registers_;
};

class Replay {
 public:
  /// Plays the inputs and the bus access of one cycle.
  void cycle(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      if (line.op == 0) {
        model_ = std::make_unique<Model>();
        expected_.clear();
        ++runs;
      } else if (line.op >= 1 && line.op <= 3) {
        input(line);
      } else if (line.op == 6) {
        expected_.push_back({line.cycle, static_cast<std::uint32_t>(line.a),
                             static_cast<std::uint32_t>(line.b), line.c != 0, line.d != 0});
      } else if (line.op == 8) {
        model_->at(line.cycle);
        compare(line.cycle);
        cycles += line.cycle;
      }
    }
    for (const Line& line : lines) {
      if (line.op == 4 || line.op == 5) access(line);
    }
  }

  std::uint64_t runs = 0, cycles = 0, answers = 0, reads = 0, wrong = 0;

 private:
  void input(const Line& line) {
    const auto flow = static_cast<std::uint32_t>(line.a);
    ControllerEngine& device = model_->at(line.cycle + 1);
    if (line.op == 1) {
      device.cnp(flow, static_cast<std::uint8_t>(line.b), static_cast<std::uint8_t>(line.c),
                 static_cast<std::uint8_t>(line.d));
    } else if (line.op == 2 && line.d != 0) {  // the byte port was ready
      device.bytes(flow, static_cast<std::uint8_t>(line.b), static_cast<std::uint32_t>(line.c));
    } else if (line.op == 3 && line.c != 0) {
      if (line.b != 0) {
        device.query(flow);
      } else {
        device.release(flow);
      }
    }
  }

  void access(const Line& line) {
    ControllerEngine& device = model_->at(line.cycle + 1);
    const auto address = static_cast<std::uint32_t>(line.a);
    if (line.op == 4) {
      if (model_->registers().write(address, static_cast<std::uint32_t>(line.b)) !=
          regs::AccessResult::kOk) {
        differ(line.cycle, "a write is refused");
      }
      return;
    }
    const bool slots = address >= regs::dcc_map::kWindowSlotsOffset;
    std::uint32_t value = 0;
    if (model_->registers().read(address, value) != regs::AccessResult::kOk) {
      differ(line.cycle, "a read is refused");
    }
    if (line.c == 0) return;
    // For a free slot the hardware shows the previous content.
    if (slots && address % 32 != 0 &&
        !device.slot((address - regs::dcc_map::kWindowSlotsOffset) / 32).flow.has_value()) {
      return;
    }
    ++reads;
    if (value != line.b) differ(line.cycle, "a read gives another word");
  }

  void compare(std::uint64_t end) {
    std::deque<Given>& given = model_->answers;
    while (!given.empty() && given.back().cycle >= end) given.pop_back();
    for (const Given& wanted : expected_) {
      if (given.empty()) return differ(wanted.cycle, "an answer is missing");
      const Given& g = given.front();
      if (g.cycle != wanted.cycle || g.flow != wanted.flow || g.rate != wanted.rate ||
          g.query != wanted.query || g.bound != wanted.bound) {
        std::printf("wanted in cycle %" PRIu64 ": flow %u rate %u query %d bound %d\n",
                    wanted.cycle, wanted.flow, wanted.rate, wanted.query, wanted.bound);
        std::printf("the model in cycle %" PRIu64 ": flow %u rate %u query %d bound %d\n", g.cycle,
                    g.flow, g.rate, g.query, g.bound);
        return differ(wanted.cycle, "another answer");
      }
      given.pop_front();
      ++answers;
    }
    if (!given.empty()) differ(given.front().cycle, "an answer too many");
  }

  void differ(std::uint64_t cycle, const char* what) {
    if (++wrong <= 10) {
      std::printf("run %" PRIu64 " cycle %" PRIu64 ": %s\n", runs, cycle, what);
    }
  }

  std::unique_ptr<Model> model_;
  std::vector<Given> expected_;
};

bool read(std::FILE* file, Line& line) {
  return std::fscanf(file,
                     "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
                     " %" SCNx64,
                     &line.cycle, &line.op, &line.a, &line.b, &line.c, &line.d, &line.e) == 7;
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  std::FILE* file = argc == 2 ? std::fopen(argv[1], "r") : nullptr;
  if (file == nullptr) {
    std::fprintf(stderr, "usage: model_replay FILE.vec\n");
    return 2;
  }
  dcc::Replay replay;
  std::vector<dcc::Line> lines;
  dcc::Line line{};
  while (dcc::read(file, line)) {
    if (!lines.empty() && (lines.front().cycle != line.cycle || line.op == 0)) {
      replay.cycle(lines);
      lines.clear();
    }
    if (line.op != 0 && replay.runs == 0 && lines.empty()) {
      std::fprintf(stderr, "model_replay: %s does not begin with a reset\n", argv[1]);
      return 2;
    }
    lines.push_back(line);
  }
  const bool whole = !lines.empty() && lines.back().op == 8;
  if (!lines.empty()) replay.cycle(lines);
  std::fclose(file);
  const bool good = whole && replay.wrong == 0 && replay.answers > 0 && replay.reads > 0;
  std::printf("%s: %" PRIu64 " runs, %" PRIu64 " cycles, %" PRIu64 " answers, %" PRIu64
              " reads, %" PRIu64 " wrong\n",
              good ? "PASS" : "FAIL", replay.runs, replay.cycles, replay.answers, replay.reads,
              replay.wrong);
  return good ? 0 : 1;
}
