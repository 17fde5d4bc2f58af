#include "controller/rate_calls.h"

#include <sstream>
#include <utility>

namespace dcc {
namespace {

struct CallLine {
  std::ostringstream text;
  template <class... Numbers>
  std::string operator()(const char* word, Numbers... numbers) {
    text << word;
    ((text << ' ' << std::uint64_t{numbers}), ...);
    return text.str();
  }
};

std::string call_line(const RateRegisters& r) {
  std::string line = "registers";
  regs::dcc_map::each_rate_register(r, [&](const char*, std::uint64_t value, unsigned, unsigned) {
    line += " " + std::to_string(value);
  });
  return line;
}
std::string call_line(const RateTableWrite& w) {
  return CallLine{}("write", static_cast<std::uint8_t>(w.table), w.index, w.word);
}
std::string call_line(const DecreaseRequest& r) {
  return CallLine{}("decrease", r.rc, r.rt, r.alpha, r.delta, r.dscp, r.marks, r.first);
}
std::string call_line(const IncreaseRequest& r) {
  return CallLine{}("increase", r.rc, r.rt, r.dscp, static_cast<std::uint8_t>(r.stage), r.packets);
}

}  // namespace

std::string to_string(const RateCall& call) {
  return std::visit([](const auto& c) { return call_line(c); }, call);
}
std::string to_string(const DecreaseResult& r) {
  return "rc " + std::to_string(r.rc) + " rt " + std::to_string(r.rt) + " alpha " +
         std::to_string(r.alpha);
}
std::string to_string(const IncreaseResult& r) {
  return "rc " + std::to_string(r.rc) + " rt " + std::to_string(r.rt) +
         (r.at_maximum ? " at the maximum" : "");
}

void RateCalls::add(const RateCall& call) {
  if (current_.calls.size() >= kKept) {
    previous_ = std::move(current_);
    current_ = {state(), {}};
  }
  current_.calls.push_back(call);
  if (const auto* registers = std::get_if<RateRegisters>(&call)) registers_ = *registers;
  if (const auto* write = std::get_if<RateTableWrite>(&call)) {
    tables_.write(write->table, write->index, write->word);
  }
}

std::vector<RateCall> RateCalls::state() const {
  std::vector<RateCall> calls{registers_};
  for (int i = 0; i < kRateTables; ++i) {
    const auto table = static_cast<RateTable>(i);
    for (std::uint32_t k = 0; k < entries(table); ++k) {
      calls.push_back(RateTableWrite{table, k, tables_.read(table, k)});
    }
  }
  return calls;
}

std::vector<RateCall> RateCalls::all() const {
  std::vector<RateCall> calls = previous_.calls.empty() ? current_.before : previous_.before;
  calls.insert(calls.end(), previous_.calls.begin(), previous_.calls.end());
  calls.insert(calls.end(), current_.calls.begin(), current_.calls.end());
  return calls;
}

std::vector<RateCall> RateCalls::last(std::size_t count) const {
  std::vector<RateCall> calls = all();
  if (calls.size() > count) {
    calls.erase(calls.begin(), calls.end() - static_cast<std::ptrdiff_t>(count));
  }
  return calls;
}

}  // namespace dcc
