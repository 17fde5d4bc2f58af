// Writes golden vectors of the timing wheel, cycle by cycle: wheel_vectors [OPERATIONS [SEED]]
//
// The vectors are the RTL's pins while the test bench drives it and its oracle agrees, every
// profile in turn. A line is one clock cycle after the reset: 24 hexadecimal words, inputs first,
// then the outputs before the clock edge that ends the cycle.
// - in: clear tick cmd_valid cmd_op cmd_slot cmd_delay expire_ready overrun_clear advance
//   advance_to
// - out: init_done cmd_ready cmd_done cmd_hit cmd_due expire_valid expire_slot expire_due now lag
//   overrun idle next_due_valid next_due
//
// Some outputs have a meaning only while their flag is up: cmd_hit with cmd_done, cmd_due with
// cmd_done of a read that hit, expire_slot and expire_due with expire_valid, next_due_valid and
// next_due with idle. Without their flag they are written as 0.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cosim.h"
#include "timing_wheel_bench.h"

namespace dcc {
namespace {

class Recorded final : public WheelDut {
 public:
  WheelOutputs cycle(const WheelInputs& in) override {
    const WheelOutputs out = wheel_->cycle(in);
    const bool read_done = out.cmd_done && out.cmd_hit && read_;
    std::printf("%x %x %x %x %x %x %x %x %x %x", in.clear, in.tick, in.cmd_valid,
                static_cast<unsigned>(in.cmd_op), in.cmd_slot, in.cmd_delay, in.expire_ready,
                in.overrun_clear, in.advance, in.advance_to);
    std::printf(" %x %x %x %x %x", out.init_done, out.cmd_ready, out.cmd_done,
                out.cmd_done && out.cmd_hit, read_done ? out.cmd_due : 0);
    std::printf(" %x %x %x", out.expire_valid, out.expire_valid ? out.expire_slot : 0u,
                out.expire_valid ? out.expire_due : 0u);
    std::printf(" %x %x %x %x %x %x\n", out.now, out.lag, out.overrun, out.idle,
                out.idle && out.next_due_valid, out.idle && out.next_due_valid ? out.next_due : 0u);
    // The wheel accepts a command only after the previous command is done.
    if (in.cmd_valid && out.cmd_ready) read_ = in.cmd_op == WheelCommand::kRead;
    return out;
  }
  void reset() override { wheel_->reset(); }
  std::string name() const override { return wheel_->name(); }

 private:
  std::unique_ptr<WheelDut> wheel_ = make_checked_wheel();
  bool read_ = false;
};

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  const std::uint64_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (argc > 3 || operations == 0) {
    std::fprintf(stderr, "usage: wheel_vectors [OPERATIONS of a profile [SEED]]\n");
    return 2;
  }
  try {
    dcc::Recorded wheel;
    dcc::WheelCoverage coverage;
    dcc::WheelBench bench(wheel, coverage, true);
    for (const std::string& profile : dcc::cosim_profiles()) bench.run(profile, operations, seed);
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "wheel_vectors: %s\n", error.what());
    return 1;
  }
  return 0;
}
