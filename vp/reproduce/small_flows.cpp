#include "reproduce/small_flows.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "observe/metrics.h"

namespace dcc::vp {

namespace {

constexpr long long kSmall = 10'000;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

void add_small_flows(nlohmann::json& metrics, const std::filesystem::path& run) {
  std::ifstream in(run / "flows.csv");
  std::string line;
  if (!std::getline(in, line)) return;
  const std::vector<std::string> head = cells_of(line);
  const auto bytes =
      static_cast<std::size_t>(std::find(head.begin(), head.end(), "bytes") - head.begin());
  const auto fct =
      static_cast<std::size_t>(std::find(head.begin(), head.end(), "fct_s") - head.begin());
  std::vector<double> times;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() <= std::max(bytes, fct) || cells[bytes].empty() || cells[fct].empty())
      continue;
    if (std::atoll(cells[bytes].c_str()) > kSmall) continue;
    times.push_back(std::strtod(cells[fct].c_str(), nullptr) * 1e6);
  }
  if (times.empty()) return;
  nlohmann::json& small = metrics["small_flows"];
  small["flows"] = times.size();
  small["fct_us_p50"] = percentile(times, 50);
  small["fct_us_p99"] = percentile(times, 99);
}

}  // namespace dcc::vp
