// Commands of the prompt that read and set InfiniBand's congestion control as the tools of
// infiniband-diags do: ibccquery and ibccconfig.
#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "debug/console.h"
#include "describe/quantity_text.h"
#include "nic/algorithm/congestion_agent.h"

namespace dcc::vp {
namespace {

const char kQueryUse[] =
    "ibccquery CACongestionSetting HOST | CongestionControlTable HOST [BLOCK of 64 entries]\n";
const char kConfigUse[] =
    "ibccconfig CACongestionSetting HOST PORT_CONTROL CONTROL_MAP CCTI_TIMER CCTI_INCREASE "
    "TRIGGER_THRESHOLD CCTI_MIN\n"
    "  CONTROL_MAP: service levels (DSCPs) as a hexadecimal mask; CCTI_TIMER in units of 1.024 "
    "us\n";
constexpr unsigned kBlock = 64;

std::optional<std::uint64_t> number(const std::string& text, std::uint64_t most, int base = 10) {
  const bool hexadecimal = text.compare(0, 2, "0x") == 0;
  const std::string digits = hexadecimal ? text.substr(2) : text;
  const char* const allowed = base == 16 || hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  if (digits.empty() || digits.size() > 16 || digits.find_first_not_of(allowed) != digits.npos) {
    return std::nullopt;
  }
  try {
    const std::uint64_t value = std::stoull(digits, nullptr, hexadecimal ? 16 : base);
    if (value <= most) return value;
  } catch (const std::out_of_range&) {
  }
  return std::nullopt;
}

void print_settings(std::ostream& out, const CongestionAgent& agent) {
  out << "Port_Control: "
      << (agent.controls_queue_pairs() ? "0 (queue pairs)" : "1 (service levels)")
      << ", CCTI_Limit: " << agent.limit() << '\n';
  for (unsigned first = 0; first < CongestionAgent::kLevels;) {
    const CongestionAgent::Setting setting = agent.setting(static_cast<std::uint8_t>(first));
    unsigned last = first;
    while (last + 1 < CongestionAgent::kLevels &&
           agent.setting(static_cast<std::uint8_t>(last + 1)) == setting) {
      ++last;
    }
    out << fmt::format("SL {}-{}: CCTI_Increase {}, CCTI_Timer {} ({}), CCTI_Min {}\n", first, last,
                       setting.increase, setting.timer.count / CongestionAgent::kTimerUnit,
                       QuantityText<PicoSeconds>::format(setting.timer), setting.min);
    first = last + 1;
  }
}

void print_table(std::ostream& out, const CongestionAgent& agent, std::uint64_t block) {
  out << "CCTI_Limit: " << agent.limit() << '\n';
  for (auto i = static_cast<unsigned>(block) * kBlock;
       i <= agent.limit() && i < (block + 1) * kBlock; ++i) {
    out << "  " << i << ": " << QuantityText<PicoSeconds>::format(agent.entry(i)) << '\n';
  }
}

/// Sets the levels of the map. Returns a sentence if a value is refused.
std::string configure(CongestionAgent& agent, const std::vector<std::string>& words) {
  const auto control = number(words[3], 1), map = number(words[4], ~std::uint64_t{0}, 16);
  const auto timer = number(words[5], 65'535), increase = number(words[6], 65'535);
  const auto trigger = number(words[7], 65'535), least = number(words[8], 65'535);
  if (!control || !map || !timer || !increase || !trigger || !least) return kConfigUse;
  if (*control != (agent.controls_queue_pairs() ? 0u : 1u)) {
    return "PORT_CONTROL cannot change during a run (per_qp)\n";
  }
  if (*trigger != 0) return "TRIGGER_THRESHOLD is 0: events are not logged\n";
  const CongestionAgent::Setting setting{
      static_cast<unsigned>(*increase), static_cast<unsigned>(*least),
      PicoSeconds(static_cast<std::int64_t>(*timer) * CongestionAgent::kTimerUnit)};
  for (unsigned level = 0; level < CongestionAgent::kLevels; ++level) {
    if ((*map >> level & 1) == 0) continue;
    if (!agent.set(static_cast<std::uint8_t>(level), setting)) {
      return fmt::format(
          "refused: CCTI_INCREASE and CCTI_TIMER are 1 or more, CCTI_MIN at most {}\n",
          agent.limit());
    }
  }
  return "";
}

}  // namespace

Console::Then Console::congestion(const std::vector<std::string>& words) {
  const bool sets = words[0] == "ibccconfig";
  const bool about_settings = words.size() > 1 && words[1] == "CACongestionSetting";
  const bool about_table = !sets && words.size() > 1 && words[1] == "CongestionControlTable";
  const std::size_t most = sets ? 9 : about_table ? 4 : 3, least = sets ? 9 : 3;
  if ((!about_settings && !about_table) || words.size() < least || words.size() > most) {
    out_ << (sets ? kConfigUse : kQueryUse);
    return Then::kStay;
  }
  const std::string digits = words[2].compare(0, 4, "host") == 0 ? words[2].substr(4) : words[2];
  const auto host = number(digits, c_.hosts.size() - 1);
  auto* const agent = host ? dynamic_cast<CongestionAgent*>(c_.hosts[*host]->algorithm()) : nullptr;
  if (agent == nullptr) {
    out_ << (host ? "this host's algorithm is not ibcc\n" : "there is no such host\n");
    return Then::kStay;
  }
  if (about_table) {
    const auto block = words.size() > 3 ? number(words[3], agent->limit() / kBlock)
                                        : std::optional<std::uint64_t>(0);
    if (!block) {
      out_ << "blocks are 0 to " << agent->limit() / kBlock << '\n';
    } else {
      print_table(out_, *agent, *block);
    }
    return Then::kStay;
  }
  if (!sets) {
    print_settings(out_, *agent);
    return Then::kStay;
  }
  const std::string refused = configure(*agent, words);
  if (!refused.empty()) {
    out_ << refused;
    return Then::kStay;
  }
  // Going back to a moment after this change must not replay the run without the change.
  if (history_) {
    if (const std::optional<ReverseRequest> request = history_->mark(moment())) {
      serve(*request);
      return Then::kResume;
    }
  }
  return Then::kStay;
}

}  // namespace dcc::vp
