#include "schemes/indigo/indigo.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "schemes/indigo/trained_policy.h"
#include "sim/random.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<IndigoParameters> kIndigo{
    "indigo", "a window moved by the actions of a trained policy",
    kMakesAlgorithm<Indigo, &AlgorithmContext::mtu>};

/// Level of a value in the policy table: level 0 lies below 2^first, and then each octave has four
/// levels.
std::size_t level_of(long double value, int first) {
  const long double bounded = std::min(value, 1024.0L) * 4294967296.0L;
  const int quarters =
      bounded < 1 ? -1000
                  : static_cast<int>(log2_q32(static_cast<std::uint64_t>(bounded)) >> 30) - 4 * 32;
  return static_cast<std::size_t>(
      std::clamp(quarters - 4 * first + 1, 0, static_cast<int>(IndigoPolicy::kLevels) - 1));
}

constexpr const char* kTrained = "trained";  // name of the policy that is built in

IndigoPolicy policy_of(const std::string& policy) {
  return policy == kTrained ? IndigoPolicy(kTrainedPolicy) : IndigoPolicy::read(policy);
}
}  // namespace

IndigoPolicy::IndigoPolicy(std::string_view text) {
  const auto refuse = [](std::size_t line, const std::string& what) {
    throw std::invalid_argument("line " + std::to_string(line) + ": " + what);
  };
  const std::size_t digits = kLevels * kActions;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (line.size() != digits) {
      refuse(number, std::to_string(line.size()) + " characters; a line of a policy has " +
                         std::to_string(digits) + " digits");
    }
    for (const char c : line) {
      if (c < '0' || c > '4') {
        refuse(number, "a character that is no action; actions are the digits 0 to 4");
      }
      actions_.push_back(static_cast<std::uint8_t>(c - '0'));
    }
    if (actions_.size() > kLevels * digits) {
      refuse(number, "a policy has " + std::to_string(kLevels) + " lines of digits, not more");
    }
  }
  if (actions_.size() != kLevels * digits) {
    throw std::invalid_argument(std::to_string(actions_.size() / digits) +
                                " lines of digits; a policy has " + std::to_string(kLevels));
  }
}

IndigoPolicy IndigoPolicy::read(const std::string& path) {
  constexpr std::size_t kMost = 64 * 1024;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMost + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) throw std::invalid_argument("cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMost) throw std::invalid_argument("longer than 64 KiB; no policy is");
  return IndigoPolicy(text);
}

IndigoPolicy::Action IndigoPolicy::action(long double delay, long double window,
                                          Action before) const {
  const std::size_t row = level_of(delay, -5) * kLevels + level_of(window, -6);
  return static_cast<Action>(actions_[row * kActions + before]);
}

void IndigoParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Pantheon, ATC'18";
  v.path("policy", policy, {kTrained},
         {"file of a policy, a table of actions (models/schemes/indigo/README.md); trained: the "
          "one that comes with the product",
          paper});
  v.field("step", step, {"1/10000", "1"},
          {"share of line rate x base RTT that an action adds or takes away", paper});
  describe_limits(v, "upper limit of a window; auto: four times line rate x base RTT");
}

void IndigoParameters::check(Bytes largest_packet) const {
  DelayWindowParameters::check(largest_packet);
  try {
    policy_of(policy);
  } catch (const std::invalid_argument& error) {
    throw ParameterError({"policy"}, policy + ": " + error.what() +
                                         "; write one with tool.py indigo-policy --out FILE");
  }
}

Indigo::Indigo(AlgorithmHost& host, const IndigoParameters& parameters, std::uint32_t mtu)
    : DelayWindow(host, parameters, mtu, 0),
      policy_(policy_of(parameters.policy)),
      step_(to_real(parameters.step)),
      line_(to_mbps(host.line_rate())) {}

void Indigo::release(FlowNumber flow) {
  DelayWindow::release(flow);
  states_.drop(flow);
}

void Indigo::begin(FlowNumber number, const Flow& flow) {
  State& state = states_.keep(number);
  state = State{};
  state.base_rtt = flow.least_rtt;
  state.product = std::max(line_ * flow.least_rtt / 8e6L, mtu());
}

long double Indigo::next_window(FlowNumber number, const Flow& flow) {
  State& state = states_[number];
  // The flow's base RTT is unknown, so its first measured round trip replaces the base RTT.
  if (state.base_rtt <= 0) {
    state.base_rtt = flow.least_rtt;
    state.product = std::max(line_ * flow.least_rtt / 8e6L, mtu());
  }
  const long double mean = flow.round_sum / flow.round_acks;
  const long double delay = std::max(0.0L, mean - flow.least_rtt) / state.base_rtt;
  state.before = policy_.action(delay, flow.window / state.product, state.before);
  switch (state.before) {
    case IndigoPolicy::kHalve:
      return flow.window / 2;
    case IndigoPolicy::kLess:
      return flow.window - step_ * state.product;
    case IndigoPolicy::kMore:
      return flow.window + step_ * state.product;
    case IndigoPolicy::kDouble:
      return flow.window * 2;
    case IndigoPolicy::kStay:
      break;
  }
  return flow.window;
}

}  // namespace dcc
