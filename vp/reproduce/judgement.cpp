#include "reproduce/judgement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dcc::vp {

namespace {

std::optional<double> at_path(const nlohmann::json& node, const std::string& path) {
  if (path.empty()) {
    if (node.is_number()) return node.get<double>();
    if (node.is_boolean()) return node.get<bool>() ? 1.0 : 0.0;
    return std::nullopt;
  }
  const std::size_t dot = path.find('.');
  const std::string head = path.substr(0, dot);
  const std::string rest = dot == std::string::npos ? "" : path.substr(dot + 1);
  if (node.is_object()) {
    const auto found = node.find(head);
    return found == node.end() ? std::nullopt : at_path(*found, rest);
  }
  if (!node.is_array()) return std::nullopt;
  if (head == "*") {
    std::optional<double> greatest;
    for (const nlohmann::json& item : node) {
      const std::optional<double> one = at_path(item, rest);
      if (one && (!greatest || *one > *greatest)) greatest = one;
    }
    return greatest;
  }
  if (head.empty() || head.size() > 6 ||
      !std::all_of(head.begin(), head.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  const std::size_t index = std::stoul(head);
  return index < node.size() ? at_path(node[index], rest) : std::nullopt;
}

bool inside(const Figure& f, double value) {
  if (f.within && std::fabs(value - *f.published) > *f.within) return false;
  if (f.within_share && std::fabs(value - *f.published) > *f.within_share * std::fabs(*f.published))
    return false;
  if (f.at_most && value > *f.at_most) return false;
  return !f.at_least || value >= *f.at_least;
}

}  // namespace

std::optional<double> figure_value(const nlohmann::json& metrics, const Figure& figure) {
  const std::string divided_by = " / ";
  const std::size_t slash = figure.value.find(divided_by);
  std::optional<double> value = at_path(metrics, figure.value.substr(0, slash));
  if (value && slash != std::string::npos) {
    const std::optional<double> divisor =
        at_path(metrics, figure.value.substr(slash + divided_by.size()));
    if (!divisor || *divisor == 0) return std::nullopt;
    *value /= *divisor;
  }
  if (value) *value /= figure.per;
  return value;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kInside:
      return "inside";
    case Verdict::kExplained:
      return "outside, explained";
    case Verdict::kOutside:
      return "OUTSIDE";
    case Verdict::kMissing:
      return "MISSING";
    case Verdict::kShown:
      break;
  }
  return "-";
}

double Judgement::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double Judgement::least() const { return *std::min_element(values.begin(), values.end()); }
double Judgement::greatest() const { return *std::max_element(values.begin(), values.end()); }

Judgement judge(const Figure& figure, std::vector<double> values, std::size_t seeds) {
  Judgement judgement;
  judgement.figure = &figure;
  judgement.values = std::move(values);
  if (judgement.values.size() < seeds || judgement.values.empty()) return judgement;
  const bool bounded = figure.within || figure.within_share || figure.at_most || figure.at_least;
  if (!bounded) {
    judgement.verdict = Verdict::kShown;
  } else if (inside(figure, judgement.mean())) {
    judgement.verdict = Verdict::kInside;
  } else {
    judgement.verdict = figure.reason.empty() ? Verdict::kOutside : Verdict::kExplained;
  }
  return judgement;
}

}  // namespace dcc::vp
