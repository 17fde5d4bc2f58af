#include "measure/counter_totals.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "measure/program_results.h"

namespace dcc::vp {
namespace {

template <class Counters>
void list(std::string_view of, std::vector<CounterInfo>& figures, bool optional = false) {
  Counters::describe([&](auto, std::string_view name, const CounterAbout& about) {
    const auto known = std::find_if(figures.begin(), figures.end(),
                                    [&](const CounterInfo& figure) { return figure.name == name; });
    CounterInfo& figure = known != figures.end()
                              ? *known
                              : figures.emplace_back(CounterInfo{name, about, {}, optional});
    if (figure.over.empty() || figure.over.back() != of) figure.over.push_back(of);
  });
}

/// All structs of counters. Their order is the order of figures in metrics.json.
std::vector<CounterInfo> list_all() {
  std::vector<CounterInfo> figures;
  list<LinkCounters>("links", figures);
  list<PfcCounters>("switches", figures);
  list<SwitchCounters>("switches", figures);
  list<NicCounters>("hosts", figures);
  list<AlgorithmCounters>("hosts", figures);
  list<ProgramCounters>("hosts", figures, true);
  list<FlowRecord>("flows", figures);
  return figures;
}

}  // namespace

const std::vector<CounterInfo>& CounterTotals::described() {
  static const std::vector<CounterInfo> figures = list_all();
  return figures;
}

std::size_t CounterTotals::index_of(std::string_view name) {
  const std::vector<CounterInfo>& figures = described();
  std::size_t i = 0;
  while (i < figures.size() && figures[i].name != name) ++i;
  if (i == figures.size()) {
    throw std::logic_error("counter '" + std::string(name) + "' is of a struct that is not listed");
  }
  return i;
}

}  // namespace dcc::vp
