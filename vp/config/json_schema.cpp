#include "config/json_schema.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "config/schema.h"

namespace dcc::vp {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> split(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = text.find(between, start)) != std::string::npos;
       start = end + between.size()) {
    parts.push_back(text.substr(start, end - start));
  }
  parts.push_back(text.substr(start));
  return parts;
}

Json any_of(std::vector<Json> forms) {
  return forms.size() == 1 ? forms.front() : Json{{"anyOf", std::move(forms)}};
}

Json typed(const char* type) { return Json{{"type", type}}; }

Json list_of(Json item) { return Json{{"type", "array"}, {"items", std::move(item)}}; }

/// JSON Schema pattern for a number with one of the units.
Json quantity(const std::string& units) {
  std::string pattern;
  for (const std::string& unit : split(units, " ")) pattern += (pattern.empty() ? "" : "|") + unit;
  return Json{{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+)?(" + pattern + ")$"}};
}

/// Schema of an integer, with bounds from its range "least … most".
Json integer(const std::string& range) {
  Json form = typed("integer");
  form["minimum"] = 0;
  const std::vector<std::string> ends = split(range, " … ");
  if (ends.size() == 2) {
    form["minimum"] = std::stoull(ends[0]);
    form["maximum"] = std::stoull(ends[1]);
  }
  return form;
}

Json form_of(const Leaf& leaf) {
  const std::string& type = leaf.type;
  if (type == "choice") {
    Json values = Json::array();
    for (const std::string& word : split(leaf.range, " | ")) {
      values.push_back(word);
      // YAML reads a word of digits as a number.
      if (word.find_first_not_of("0123456789") == std::string::npos) {
        values.push_back(std::stoull(word));
      }
    }
    return Json{{"enum", values}};
  }
  // In a range text, words that may replace the number stand before the range.
  std::vector<std::string> words = split(leaf.range, " | ");
  const std::string range = words.back();
  words.pop_back();
  std::vector<Json> forms;
  if (!leaf.unit.empty()) {
    forms.push_back(quantity(leaf.unit));
  } else if (type == "integer") {
    forms.push_back(integer(range));
  } else if (type == "address") {
    forms.push_back(typed("integer"));
    forms.push_back(Json{{"type", "string"}, {"pattern", "^(0x[0-9a-fA-F]+|[0-9]+)$"}});
  } else if (type == "number") {
    forms.push_back(typed("number"));
  } else if (type == "ratio") {
    forms.push_back(typed("number"));
    forms.push_back(Json{{"type", "string"}, {"pattern", "^[0-9.]+(%|/[0-9]+)?$"}});
  } else if (type == "true or false") {
    forms.push_back(typed("boolean"));
  } else if (type == "list of integers") {
    forms.push_back(list_of(typed("integer")));
  } else if (type == "map of settings") {
    return typed("object");
  } else if (type == "map of integers") {
    forms.push_back(Json{{"type", "object"}, {"additionalProperties", typed("integer")}});
  } else if (type == "text" || type == "file") {
    return Json{{"type", Json::array({"string", "number", "boolean"})}};
  } else {  // schema of hosts, flows and names: one value or a list of values
    const Json one{{"type", Json::array({"string", "integer"})}};
    return any_of({one, list_of(one)});
  }
  if (!words.empty()) forms.push_back(Json{{"enum", words}});
  return any_of(std::move(forms));
}

class SchemaWriter final : public ParameterVisitor {
 public:
  SchemaWriter() { open_.push_back(section_form("")); }
  Json take() { return std::move(open_.back()); }

 protected:
  void leaf(const Leaf& leaf) override {
    Json form = form_of(leaf);
    std::string text = std::string(leaf.doc.meaning) + " (" + leaf.range + ")";
    for (const std::string& condition : conditions_) text += "; only with " + condition;
    form["description"] = text;
    form["default"] = leaf.show();
    add(leaf.key, std::move(form));
  }
  bool enter(const std::string& key, const Doc& doc) override {
    keys_.push_back(key);
    open_.push_back(section_form(doc.meaning));
    return true;
  }
  void enter_item(const std::string&, std::size_t) override {
    keys_.emplace_back();
    open_.push_back(section_form(""));
  }
  void leave() override {
    const std::string key = take_key();
    Json done = std::move(open_.back());
    open_.pop_back();
    if (!key.empty()) {
      add(key, std::move(done));
    } else if (open_.back()["type"] == "array") {
      open_.back()["items"] = std::move(done);
    } else {
      open_.back()["patternProperties"] =
          Json{{by_rate_ ? "^[0-9.]+ ?[kMGT]?bps$" : "^[0-9]+$", std::move(done)}};
    }
  }
  ListPlan begin_list(const std::string& key, const Doc& doc, std::size_t size) override {
    keys_.push_back(key);
    open_.push_back(Json{{"type", "array"}, {"description", doc.meaning}});
    return {1, size == 0};
  }
  std::vector<unsigned> begin_map(const std::string& key, const Doc& doc,
                                  const std::vector<unsigned>& keys, unsigned limit) override {
    by_rate_ = limit == kRates;
    keys_.push_back(key);
    open_.push_back(
        Json{{"type", "object"}, {"description", doc.meaning}, {"additionalProperties", false}});
    return keys.empty() ? std::vector<unsigned>{0} : std::vector<unsigned>{keys.front()};
  }
  void end_list() override {
    const std::string key = take_key();
    Json done = std::move(open_.back());
    open_.pop_back();
    add(key, std::move(done));
  }
  bool begin_condition(bool, const char* condition) override {
    conditions_.emplace_back(condition);
    return true;
  }
  void end_condition() override { conditions_.pop_back(); }

 private:
  static Json section_form(const std::string& meaning) {
    Json form = typed("object");
    if (!meaning.empty()) form["description"] = meaning;
    form["properties"] = Json::object();
    form["additionalProperties"] = false;
    return form;
  }
  std::string take_key() {
    std::string key = std::move(keys_.back());
    keys_.pop_back();
    return key;
  }
  /// A key may have different forms under different conditions; the schema accepts any of them.
  void add(const std::string& key, Json form) {
    Json& properties = open_.back()["properties"];
    if (!properties.contains(key)) {
      properties[key] = std::move(form);
      return;
    }
    Json& known = properties[key];
    if (known.contains("anyOf") && known.contains("alternatives")) {
      known["anyOf"].push_back(std::move(form));
    } else {
      known =
          Json{{"anyOf", Json::array({std::move(known), std::move(form)})}, {"alternatives", true}};
    }
  }

  std::vector<Json> open_;
  bool by_rate_ = false;  // true if the map of the open element has rates as keys
  std::vector<std::string> keys_;
  std::vector<std::string> conditions_;
};

/// Removes the marks `alternatives` from the schema, which only the writer needs.
void drop_marks(Json& node) {
  if (node.is_object()) node.erase("alternatives");
  for (Json& child : node) {
    if (child.is_structured()) drop_marks(child);
  }
}

}  // namespace

std::string json_schema() {
  PlatformConfig defaults;
  SchemaWriter writer;
  describe(writer, defaults);
  Json root{{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", "Configuration of dccvp"}};
  root.update(writer.take());
  const Json name = typed("string");
  root["properties"]["extends"] =
      Json{{"type", "string"}, {"description", "a file that this one is put over: maps merge"}};
  root["properties"]["include"] = any_of({name, list_of(name)});
  drop_marks(root);
  return root.dump(1);
}

}  // namespace dcc::vp
