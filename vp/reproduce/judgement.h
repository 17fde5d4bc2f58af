// What became of a figure: its values over the seeds, and the verdict.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reproduce/experiment.h"

namespace dcc::vp {

/// A value of metrics.json as Figure::value describes; empty: there is no such number.
std::optional<double> figure_value(const nlohmann::json& metrics, const Figure& figure);

enum class Verdict {
  kInside,
  kExplained,  // outside, with the reason given
  kOutside,
  kMissing,  // a run failed, or has no such value
  kShown,    // no published value: for the reader
};
const char* name_of(Verdict verdict);

struct Judgement {
  const Figure* figure = nullptr;
  std::vector<double> values;  // one a seed
  Verdict verdict = Verdict::kMissing;
  double mean() const;
  double least() const;
  double greatest() const;
};

/// Judges the mean of the seeds. Precondition: values has an element for each seed, or is short.
Judgement judge(const Figure& figure, std::vector<double> values, std::size_t seeds);

}  // namespace dcc::vp
