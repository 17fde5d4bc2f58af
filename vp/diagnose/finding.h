// Findings of diagnoses, which metrics.json lists under `diagnoses`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dcc::vp {

/// A number or a name on which a finding rests. The figure's name ends in the unit, as in
/// "silence_s".
struct FindingFigure {
  FindingFigure(const char* its_name, std::string text) : name(its_name), value(std::move(text)) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  FindingFigure(const char* its_name, Number number)
      : name(its_name), value(static_cast<double>(number)) {}
  std::string name;
  std::variant<double, std::string> value;
};

/// A finding of a diagnosis. `text` says in whole sentences what happened, where it happened, and
/// what the user should write instead. The text begins with a capital letter and ends without a
/// full stop.
struct Finding {
  std::string id;
  std::string text;
  std::vector<FindingFigure> figures;
};

}  // namespace dcc::vp
