// Pacers in lock-step: model and hardware get the inputs of each cycle, and their answers must be
// equal.
#include "pacer_engine_lockstep.h"

#include <cstddef>
#include <cstdio>
#include <deque>
#include <utility>
#include <vector>

#include "controller/lockstep_report.h"
#include "describe/quantity_text.h"
#include "nic/pacer/pacer_model.h"

namespace dcc {
namespace {

constexpr std::size_t kLastCalls = 20;  // number of calls that a report lists

std::string in_mbps(Rate rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f Mb/s", rate.raw / 256.0);
  return text;
}

class Lockstep final : public PacerEngine {
 public:
  Lockstep(std::unique_ptr<PacerEngine> hardware, const PacerSettings& settings,
           PacerLockstepOptions options)
      : hardware_(std::move(hardware)),
        model_(PacerShape{}, settings),
        options_(std::move(options)),
        flows_(PacerShape{}.flows) {}

  PacerAnswer cycle(const PacerInputs& inputs) override {
    if (inputs.post || inputs.rate) keep(inputs);
    const PacerAnswer expected = model_.cycle(inputs);
    return compare(1, inputs, expected, hardware_->cycle(inputs));
  }
  PacerAnswer skip(std::uint64_t cycles, const PacerInputs& inputs) override {
    const PacerAnswer expected = model_.skip(cycles, inputs);
    return compare(cycles, inputs, expected, hardware_->skip(cycles, inputs));
  }
  void named(PacerFlow flow, std::uint32_t name) override { flows_[flow] = name; }

 private:
  void keep(const PacerInputs& inputs) {
    last_.push_back(inputs);
    if (last_.size() > kLastCalls) last_.pop_front();
  }
  PacerAnswer compare(std::uint64_t cycles, const PacerInputs& inputs, const PacerAnswer& expected,
                      const PacerAnswer& seen) {
    cycles_ += cycles;
    if (differed_ || expected == seen) return expected;
    // Lock-step reports only the first difference; later calls return the model's answers.
    differed_ = true;
    std::string what = "at " + text_of(inputs.now);
    if (cycles > 1) what += " and in the " + std::to_string(cycles) + " cycles from then on";
    if (expected.sent || seen.sent) {
      what += ", decision for flow " + name_of_flow(expected.sent ? expected.flow : seen.flow);
    }
    std::string report = options_.name + ": model and RTL differ after " + std::to_string(cycles_) +
                         " cycles, seed " + std::to_string(options_.seed) + ": " + what +
                         "\n  model: " + to_string(expected) + "\n  RTL:   " + to_string(seen) +
                         "\n  last calls:\n";
    for (const PacerInputs& call : last_) report += calls_of(call);
    throw LockstepMismatch(report);
  }

  std::string name_of_flow(PacerFlow flow) const { return std::to_string(flows_[flow]); }
  std::string to_string(const PacerAnswer& answer) const {
    std::string text = answer.sent ? "flow " + name_of_flow(answer.flow) + " sends " +
                                         std::to_string(answer.bytes) + " B"
                                   : std::string("no decision");
    if (answer.strict) text += ", strict by priority";
    if (!answer.post_ready) text += ", takes no post";
    if (!answer.rate_ready) text += ", takes no rate";
    if (answer.refused) text += ", post refused";
    return text;
  }
  std::string calls_of(const PacerInputs& call) const {
    std::string text;
    const std::string at = "    at " + text_of(call.now) + " ";
    if (call.rate) {
      text += at + "flow " + name_of_flow(call.rate_flow) + " rate " + in_mbps(call.rate_value) +
              ", priority " + std::to_string(call.priority) + "\n";
    }
    if (call.post) {
      text += at + "flow " + name_of_flow(call.post_flow) + " post " +
              std::to_string(call.post_bytes) + " B\n";
    }
    return text;
  }

  std::unique_ptr<PacerEngine> hardware_;
  PacerModel model_;
  PacerLockstepOptions options_;
  std::vector<std::uint32_t> flows_;  // the network's flow number of each flow number of the block
  std::deque<PacerInputs> last_;
  std::uint64_t cycles_ = 0;
  bool differed_ = false;
};

}  // namespace

std::unique_ptr<PacerEngine> make_lockstep_pacer(std::unique_ptr<PacerEngine> hardware,
                                                 const PacerSettings& settings,
                                                 const PacerLockstepOptions& options) {
  return std::make_unique<Lockstep>(std::move(hardware), settings, options);
}

}  // namespace dcc
