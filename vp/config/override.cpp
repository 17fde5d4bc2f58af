// Applies `-c key.path=value` arguments: inserts YAML values into the value tree before parameters
// are read from it.
#include <algorithm>
#include <charconv>

#include "config/yaml_tree.h"

namespace dcc::vp {
namespace {

/// Marks `node` and all nodes below it as given by the argument; such places have line 0.
void set_source(ValueNode& node, const Place& place) {
  node.place = place;
  for (ValueNode& item : node.items) set_source(item, place);
  for (ValueNode::Entry& entry : node.entries) {
    entry.place = place;
    set_source(entry.value, place);
  }
}

ValueNode& list_item(ValueNode& list, const std::string& step, const std::string& path,
                     const Place& place) {
  if (step == "+") {  // the path step `+` appends an element to a list
    list.items.emplace_back();
    list.items.back().place = place;
    return list.items.back();
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc{} || end != step.data() + step.size()) {
    throw ConfigError(place, in_quotes(path) +
                                 " is a list: its elements are addressed by index, not " +
                                 in_quotes(step));
  }
  if (index >= list.items.size()) {
    throw ConfigError(place, in_quotes(path) + " has " + std::to_string(list.items.size()) +
                                 " elements, so no index " + step);
  }
  return list.items[index];
}

ValueNode& map_entry(ValueNode& map, const std::string& step, const Place& place) {
  if (ValueNode* const known = map.find(step)) return *known;
  ValueNode fresh;
  fresh.place = place;
  map.entries.push_back({step, place, std::move(fresh)});
  return map.entries.back().value;
}

}  // namespace

void merge(ValueNode& into, ValueNode value) {
  const bool both_maps = into.kind == ValueNode::Kind::kMap && value.kind == ValueNode::Kind::kMap;
  if (!both_maps) {
    into = std::move(value);
    return;
  }
  for (ValueNode::Entry& entry : value.entries) {
    const auto known = std::find_if(into.entries.begin(), into.entries.end(),
                                    [&](const ValueNode::Entry& e) { return e.key == entry.key; });
    if (known == into.entries.end()) {
      into.entries.push_back(std::move(entry));
      continue;
    }
    // the value comes from the upper file, so its place is used
    if (entry.place.line != 0) known->place = entry.place;
    merge(known->value, std::move(entry.value));
  }
}

void put_at(ValueNode& root, const std::string& keys, ValueNode value, const Place& place) {
  ValueNode* node = &root;
  std::string path;
  for (std::size_t start = 0; start <= keys.size();) {
    const std::size_t dot = std::min(keys.find('.', start), keys.size());
    const std::string step = keys.substr(start, dot - start);
    if (step.empty()) throw ConfigError(place, "an empty key in " + in_quotes(keys));
    if (node->kind == ValueNode::Kind::kScalar) {
      throw ConfigError(place,
                        in_quotes(path) + " is a single value, it has no " + in_quotes(step));
    }
    if (step == "+" && node->kind == ValueNode::Kind::kNull) node->kind = ValueNode::Kind::kList;
    if (node->kind == ValueNode::Kind::kList) {
      node = &list_item(*node, step, path, place);
    } else {
      node->kind = ValueNode::Kind::kMap;
      node = &map_entry(*node, step, place);
    }
    path += (path.empty() ? "" : ".") + step;
    start = dot + 1;
  }
  merge(*node, std::move(value));
}

void apply_override(ValueNode& root, const std::string& argument) {
  const Place place{"-c " + argument};
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(place, "expected key.path=value");
  }
  ValueNode value;
  const std::string text = argument.substr(equals + 1);
  if (text.find_first_not_of(' ') != std::string::npos) {
    value = parse_yaml(text, place.source);
  }
  set_source(value, place);
  put_at(root, argument.substr(0, equals), std::move(value), place);
}

}  // namespace dcc::vp
