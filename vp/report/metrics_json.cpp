#include "report/metrics_json.h"

#include <algorithm>
#include <charconv>

#include "report/numbers.h"

namespace dcc::vp {
namespace {

using Json = nlohmann::ordered_json;

/// Converts a figure to JSON: numbers with nine digits, times exactly.
struct ToJson {
  std::string_view unit;
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(std::uint64_t value) const { return value; }
  Json operator()(double value) const { return rounded(value); }
  Json operator()(std::string_view value) const { return value; }
  Json operator()(PicoSeconds time) const {
    return unit == "us" ? static_cast<double>(time.count) / 1e6 : exact_seconds(time);
  }
  Json operator()(const Ratio& ratio) const {  // a whole number stays an integer in JSON
    return ratio.denominator == 1 ? Json(ratio.numerator) : Json(rounded(ratio.value()));
  }
};

class JsonWriter final : public MetricVisitor {
 public:
  Json take() { return std::move(root_); }
  void null_group(std::string_view name) override { add(name, nullptr); }
  void texts(std::string_view name, const std::vector<std::string>& list,
             const MetricAbout&) override {
    add(name, list);
  }

 private:
  void visit(const VisitedMetric& figure) override {
    add(figure.name, std::visit(ToJson{figure.about.unit}, figure.value));
  }
  void begin_group(std::string_view name) override { open_.push_back(&add(name, Json::object())); }
  void begin_element() override {
    open_.back()->push_back(Json::object());
    open_.push_back(&open_.back()->back());
  }
  void end_group() override { open_.pop_back(); }
  void begin_list(std::string_view name, std::size_t) override {
    open_.push_back(&add(name, Json::array()));
  }
  void end_list() override { open_.pop_back(); }
  /// Appends a member without searching for an equal name, since no group has a name twice. The
  /// document starts with room for 64 members, because growth would copy long lists.
  Json& add(std::string_view name, Json value) {
    auto& group = open_.back()->get_ref<Json::object_t&>();
    if (group.size() == group.capacity()) {
      group.reserve(std::max<std::size_t>(open_.size() == 1 ? 64 : 8, 2 * group.size()));
    }
    return group.emplace_back(std::string(name), std::move(value)).second;
  }

  Json root_ = Json::object();
  std::vector<Json*> open_{&root_};  // open JSON groups, from the document to the innermost group
};

const Json* find_path(const Json& root, const std::string& path) {
  const Json* node = &root;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string step = path.substr(start, dot - start);
    start = dot + 1;
    if (node->is_object()) {
      const auto found = node->find(step);
      if (found == node->end()) return nullptr;
      node = &*found;
    } else if (node->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
      if (error != std::errc{} || end != step.data() + step.size() || index >= node->size()) {
        return nullptr;
      }
      node = &(*node)[index];
    } else {
      return nullptr;
    }
  }
  return node;
}

}  // namespace

Json metrics_json(const RunResults& results, const Metrics& metrics) {
  JsonWriter writer;
  describe_metrics(writer, results, metrics);
  return writer.take();
}

std::vector<std::string> broken_expectations(const PlatformConfig& config, const Json& metrics) {
  std::vector<std::string> broken;
  for (const ExpectConfig& expect : config.expect) {
    const Json* const value = find_path(metrics, expect.metric);
    if (value == nullptr) {
      broken.push_back("expectation: metrics.json has no " + expect.metric);
      continue;
    }
    if (!value->is_number() && !value->is_boolean()) {
      broken.push_back("expectation: " + expect.metric + " is " + value->dump() + ", not a number");
      continue;
    }
    const double number = value->is_boolean() ? value->get<bool>() : value->get<double>();
    if (expect.min && number < *expect.min) {
      broken.push_back("expectation: " + expect.metric + " is " + number_text(number) + ", below " +
                       number_text(*expect.min));
    }
    if (expect.max && number > *expect.max) {
      broken.push_back("expectation: " + expect.metric + " is " + number_text(number) + ", above " +
                       number_text(*expect.max));
    }
  }
  return broken;
}

}  // namespace dcc::vp
