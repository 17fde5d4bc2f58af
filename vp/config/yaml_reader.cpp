#include "config/yaml_reader.h"

#include <algorithm>
#include <set>

#include "config/check/checks.h"
#include "config/follow_network.h"
#include "config/parameter_list.h"
#include "config/plugins.h"
#include "config/schema.h"
#include "config/scheme_needs.h"
#include "config/yaml_layers.h"
#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

/// The folder that a file name is relative to: the folder of the file that contains the name
/// (`folder` for the topmost file); for an override, the working directory.
std::filesystem::path folder_of(const Place& place, const std::string& topmost,
                                const std::filesystem::path& folder) {
  if (place.line == 0) return ".";
  return place.source == topmost ? folder : std::filesystem::path(place.source).parent_path();
}

/// Reads parameter members from the value tree. Throws ConfigError for keys that the schema does
/// not have.
class Reader final : public ParameterVisitor {
 public:
  /// `name`: name of the topmost file, which lies in `folder`; other files know their own folder.
  Reader(const LayeredYaml& layers, const std::string& name, std::filesystem::path folder,
         std::map<std::string, Place>& places)
      : layers_(layers), name_(name), folder_(std::move(folder)), places_(places) {
    const ValueNode& root = layers.root;
    if (root.kind != ValueNode::Kind::kMap) {
      throw ConfigError(root.place, "expected a map of settings, not " + root.described());
    }
    frames_.push_back({&root, "", {}, {}, nullptr});
  }

  bool reading() const override { return !in_refused_condition(); }
  void finish() { refuse_unknown(frames_.back()); }

 protected:
  void leaf(const Leaf& leaf) override {
    const ValueNode* const node = take(leaf.key);
    if (node == nullptr) return;
    leaf.read(*node);
  }

  bool enter(const std::string& key, const Doc&) override {
    if (in_refused_condition()) {
      take(key);
      return false;
    }
    const ValueNode* const node = take(key);
    if (node != nullptr && node->kind != ValueNode::Kind::kMap) {
      throw ConfigError(node->place,
                        in_quotes(key) + " is a map of settings, not " + node->described());
    }
    frames_.push_back({node, path_of(key), {}, {}, nullptr});
    return true;
  }

  void enter_item(const std::string& key, std::size_t index) override {
    const ValueNode* node = nullptr;
    const ValueNode* const parent = list_;
    if (parent != nullptr) {
      node = parent->kind == ValueNode::Kind::kList ? &parent->items[index]
                                                    : &parent->entries[index].value;
      if (node->kind != ValueNode::Kind::kMap) {
        throw ConfigError(node->place, "expected a map of settings, not " + node->described());
      }
    }
    const std::string path = list_path_ + "." + key;
    if (node != nullptr) places_[path] = node->place;
    frames_.push_back({node, path, {}, {}, list_});
    saved_list_paths_.push_back(list_path_);
  }

  void leave() override {
    refuse_unknown(frames_.back());
    if (frames_.back().list != nullptr) {
      list_ = frames_.back().list;
      list_path_ = saved_list_paths_.back();
      saved_list_paths_.pop_back();
    }
    frames_.pop_back();
  }

  ListPlan begin_list(const std::string& key, const Doc&, std::size_t size) override {
    const bool refused = in_refused_condition();
    list_ = take(key);
    list_path_ = path_of(key);
    if (list_ == nullptr) return {refused ? 0 : size, false};
    if (list_->kind != ValueNode::Kind::kList) {
      throw ConfigError(list_->place, in_quotes(key) + " is a list, not " + list_->described());
    }
    return {list_->items.size(), true};
  }

  std::vector<unsigned> begin_map(const std::string& key, const Doc&,
                                  const std::vector<unsigned>& keys, unsigned limit) override {
    list_ = take(key);
    list_path_ = path_of(key);
    if (list_ == nullptr) return keys;
    if (list_->kind != ValueNode::Kind::kMap) {
      throw ConfigError(list_->place, in_quotes(key) + " is a map by " +
                                          (limit == kRates ? "rate" : "number") + ", not " +
                                          list_->described());
    }
    std::vector<unsigned> read;
    for (const ValueNode::Entry& entry : list_->entries) {
      ValueNode number;
      number.kind = ValueNode::Kind::kScalar;
      number.scalar = entry.key;
      number.place = entry.place;
      if (limit == kRates) {
        const auto rate = read_quantity<BitRate>(number, {"1Mbps", "10Tbps"});
        if (rate.bits_per_second % 1'000'000 != 0) {
          throw ConfigError(entry.place, in_quotes(entry.key) + " is not a multiple of 1Mbps");
        }
        read.push_back(static_cast<unsigned>(rate.bits_per_second / 1'000'000));
      } else {
        const std::string most = std::to_string(limit - 1);
        read.push_back(read_quantity<unsigned>(number, {"0", most.c_str()}));
      }
      if (std::count(read.begin(), read.end(), read.back()) > 1) {
        throw ConfigError(entry.place, (limit == kRates ? "rate " : "number ") +
                                           in_quotes(entry.key) + " is there twice");
      }
    }
    return read;
  }

  void end_list() override { list_ = nullptr; }

  bool begin_condition(bool applies, const char* condition) override {
    conditions_.push_back({applies, condition});
    return true;
  }
  void end_condition() override { conditions_.pop_back(); }

  std::string resolve(const ValueNode& node) const override {
    const std::filesystem::path path(node.scalar);
    const std::filesystem::path base = folder_of(node.place, name_, folder_);
    std::error_code error;
    const auto absolute = std::filesystem::absolute(base / path, error);
    return error ? node.scalar : absolute.lexically_normal().string();
  }

 private:
  struct Refused {
    std::string key;
    std::string condition;
  };
  struct Frame {
    const ValueNode* node;  // node of the section; null if the YAML does not contain the section
    std::string path;
    std::set<std::string> known;
    std::vector<Refused> refused;
    const ValueNode* list;  // list or map node that contains this element
  };
  struct Condition {
    bool applies;
    const char* text;
  };

  bool in_refused_condition() const {
    return std::any_of(conditions_.begin(), conditions_.end(),
                       [](const Condition& c) { return !c.applies; });
  }

  std::string path_of(const std::string& key) const {
    const std::string& path = frames_.back().path;
    return path.empty() ? key : path + "." + key;
  }

  /// Returns the node of a key of the current section and marks the key as known. Returns null if
  /// the key is absent or does not apply here; a key that does not apply is refused at the end of
  /// the section.
  const ValueNode* take(const std::string& key) {
    Frame& frame = frames_.back();
    for (const Condition& condition : conditions_) {
      if (condition.applies) continue;
      frame.refused.push_back({key, condition.text});
      return nullptr;
    }
    frame.known.insert(key);
    if (frame.node == nullptr) return nullptr;
    const ValueNode* const node = frame.node->find(key);
    if (node == nullptr) return nullptr;
    if (node->kind == ValueNode::Kind::kNull) {
      const bool from_file = node->place.line != 0;
      throw ConfigError(from_file ? place_of_key(*frame.node, key) : node->place,
                        in_quotes(key) + " has no value");
    }
    places_[path_of(key)] = node->place;
    return node;
  }

  static const Place& place_of_key(const ValueNode& map, const std::string& key) {
    return std::find_if(map.entries.begin(), map.entries.end(),
                        [&](const ValueNode::Entry& entry) { return entry.key == key; })
        ->place;
  }

  void refuse_unknown(const Frame& frame) const {
    if (frame.node == nullptr) return;
    for (const ValueNode::Entry& entry : frame.node->entries) {
      if (frame.known.count(entry.key) != 0) continue;
      const std::string conditions = conditions_of(frame, entry.key);
      if (!conditions.empty() && is_left_behind(frame, entry)) continue;
      if (!conditions.empty()) {
        throw ConfigError(is_overridden(entry.value) ? entry.value.place : entry.place,
                          in_quotes(entry.key) + " applies only with " + conditions +
                              instead_of(frame, entry.key));
      }
      throw ConfigError(entry.place, "unknown key " + in_quotes(entry.key) + where(frame) +
                                         hint(frame, entry.key));
    }
  }

  /// Returns "; did you mean …?" with the accepted keys that end with `key` as a word (host_link
  /// and fabric_link for link), or else with the nearest key. Empty if there is no such key.
  static std::string instead_of(const Frame& frame, const std::string& key) {
    std::string names;
    for (const std::string& known : frame.known) {
      const std::size_t before = known.size() - std::min(known.size(), key.size() + 1);
      if (known.compare(before, std::string::npos, "_" + key) != 0) continue;
      names += (names.empty() ? "" : " or ") + in_quotes(known);
    }
    if (names.empty()) {
      const std::string near = nearest(key, frame.known);
      if (!near.empty()) names = in_quotes(near);
    }
    return names.empty() ? "" : "; did you mean " + names + "?";
  }

  /// Returns the conditions under which a refused key applies: "kind: lmc"; values of one key are
  /// joined: "algorithm: dcc or dcqcn". Empty if the key is unknown.
  static std::string conditions_of(const Frame& frame, const std::string& key) {
    std::string all;
    std::string shared;
    for (const Refused& refused : frame.refused) {
      if (refused.key != key) continue;
      const std::string& condition = refused.condition;
      const std::string before = condition.substr(0, condition.find(": ") + 2);
      if (all.empty()) {
        all = condition;
      } else if (before == shared) {
        all += " or " + condition.substr(before.size());
      } else {
        all += "; or " + condition;
      }
      shared = before;
    }
    return all;
  }

  /// True if an override has set this value or a value inside it.
  static bool is_overridden(const ValueNode& value) {
    return value.place.line == 0 ||
           std::any_of(value.items.begin(), value.items.end(), is_overridden) ||
           std::any_of(value.entries.begin(), value.entries.end(),
                       [](const ValueNode::Entry& e) { return is_overridden(e.value); });
  }

  /// True if the key belongs to a choice that was replaced. An override or an upper file that
  /// chooses another algorithm (kind, driver) leaves the parameters of the first choice unused. The
  /// reader ignores these parameters, so that algorithms can be exchanged, but never ignores keys
  /// that an override sets.
  bool is_left_behind(const Frame& frame, const ValueNode::Entry& entry) const {
    if (entry.place.line == 0 || is_overridden(entry.value)) return false;
    for (const char* const key : {"algorithm", "kind", "driver"}) {
      const ValueNode* node = frame.node->find(key);
      if (node == nullptr) node = inherited(frame, key);
      if (node == nullptr) continue;
      if (node->place.line == 0 || layers_.is_below(entry.place.source, node->place.source))
        return true;
    }
    return false;
  }

  /// Returns the value in section `host` for a key that an element of `hosts` lacks; null: none.
  const ValueNode* inherited(const Frame& frame, const char* key) const {
    if (frame.path.rfind("hosts.", 0) != 0) return nullptr;
    const ValueNode* const host = layers_.root.find("host");
    return host == nullptr ? nullptr : host->find(key);
  }

  static std::string where(const Frame& frame) {
    return frame.path.empty() ? "" : " in " + frame.path;
  }

  static std::string hint(const Frame& frame, const std::string& key) {
    const std::string near = nearest(key, frame.known);
    if (!near.empty()) return "; did you mean '" + near + "'?";
    for (const ParameterRow& row : list_parameters()) {
      const std::size_t dot = row.path.rfind('.');
      if (row.path.substr(dot + 1) == key) return "; did you mean '" + row.path + "'?";
    }
    std::string known;
    for (const std::string& k : frame.known) known += (known.empty() ? "" : ", ") + k;
    return " (known: " + known + ")";
  }

  const LayeredYaml& layers_;
  const std::string& name_;
  std::filesystem::path folder_;
  std::map<std::string, Place>& places_;
  std::vector<Frame> frames_;
  std::vector<Condition> conditions_;
  const ValueNode* list_ = nullptr;
  std::string list_path_;
  std::vector<std::string> saved_list_paths_;
};

/// Loads plug-ins before parameters are read, because plug-ins add names and parameters.
void load_plugins(const LayeredYaml& layers, const std::string& name,
                  const std::filesystem::path& folder) {
  const ValueNode* const list = layers.root.find("plugins");
  if (list == nullptr) return;
  const std::vector<ValueNode> one{*list};
  for (const ValueNode& item : list->kind == ValueNode::Kind::kList ? list->items : one) {
    // an entry of the plug-in list that is not text is refused later, when the key is read
    if (item.kind != ValueNode::Kind::kScalar || item.scalar.empty()) continue;
    if (item.scalar == "none" && &item == &one.front()) continue;
    try {
      load_plugin(find_plugin(item.scalar, folder_of(item.place, name, folder)));
    } catch (const std::runtime_error& e) {
      throw ConfigError(item.place, "plug-in " + in_quotes(item.scalar) + ": " + e.what());
    }
  }
}

/// True if an override set the value at this path.
bool is_overridden(const LoadedConfig& loaded, const std::string& path) {
  const auto place = loaded.places.find(path);
  return place != loaded.places.end() && place->second.line == 0;
}

/// Shortens the measurement window `measure` of a configuration file, and adds a note, if an
/// override of `duration` ends the run before the window ends. The shortened window ends with the
/// run. A window that would begin after the end of the run begins after a quarter of the run.
void clip_measure(LoadedConfig& loaded) {
  PlatformConfig& c = loaded.config;
  const auto set_here = [&](const char* path) { return is_overridden(loaded, path); };
  if (!set_here("duration") || set_here("measure")) return;
  if (c.measure.to && *c.measure.to > c.duration && !set_here("measure.to")) {
    loaded.notes.push_back("measure.to: " + text_of(*c.measure.to) +
                           " is after the end of the run; statistics are taken to the end, " +
                           text_of(c.duration));
    c.measure.to.reset();
  }
  if (c.measure.from >= c.duration && !set_here("measure.from")) {
    const PicoSeconds from(c.duration.count / 4);
    loaded.notes.push_back("measure.from: " + text_of(c.measure.from) +
                           " is not before the end of the run, " + text_of(c.duration) +
                           "; statistics are taken from a quarter of the run on, " + text_of(from));
    c.measure.from = from;
  }
}

LoadedConfig read_layers(const LayeredYaml& layers, const std::string& name,
                         const std::filesystem::path& folder,
                         const LoadedConfig* at_the_beginning = nullptr) {
  LoadedConfig loaded;
  loaded.file = name;
  Reader reader(layers, name, folder, loaded.places);
  describe(reader, loaded.config);
  reader.finish();
  clip_measure(loaded);
  check_topology(loaded);
  const LoadedConfig& beginning = at_the_beginning != nullptr ? *at_the_beginning : loaded;
  // the base RTT stays that of the beginning: a change of the MTU moves no value that follows the
  // network
  LongestPath path(beginning.config);
  bring_needs(loaded);
  follow_network(loaded, path);
  check(loaded);
  follow_marking_rule(loaded, path, beginning);
  follow_step_rule(loaded, path, beginning);
  return loaded;
}

/// Computes the configuration after each of `changes`: reads the tree again with the new values, so
/// that every error in a value is found as at the beginning of the run.
void resolve_changes(LayeredYaml layers, const std::string& name,
                     const std::filesystem::path& folder, LoadedConfig& loaded) {
  LoadedConfig before = loaded;
  for (ChangeConfig& change : loaded.config.changes) {
    for (const ValueNode::Entry& entry : change.set.entries) {
      put_at(layers.root, entry.key, entry.value, entry.place);
    }
    LoadedConfig after = read_layers(layers, name, folder, &loaded);
    check_change(before, after, change);
    change.config = std::make_shared<const PlatformConfig>(after.config);
    before = std::move(after);
  }
}

LoadedConfig read_tree(ValueNode root, const std::string& name, const std::filesystem::path& folder,
                       const std::vector<std::string>& overrides) {
  LayeredYaml layers = with_layers(std::move(root), name, folder);
  for (const std::string& argument : overrides) apply_override(layers.root, argument);
  load_plugins(layers, name, folder);
  LoadedConfig loaded = read_layers(layers, name, folder);
  resolve_changes(std::move(layers), name, folder, loaded);
  return loaded;
}

}  // namespace

Place LoadedConfig::place_of(const std::string& path) const {
  for (std::string at = path;;) {
    const auto place = places.find(at);
    if (place != places.end()) return place->second;
    const std::size_t dot = at.rfind('.');
    if (dot == std::string::npos) break;
    at.resize(dot);
  }
  return file.empty() ? Place{"configuration"} : Place{file, 1, 1};
}

LoadedConfig load_config(const std::filesystem::path& file,
                         const std::vector<std::string>& overrides) {
  const std::string name = file == "-" ? "stdin" : file.string();
  return read_tree(load_yaml(file), name, file.parent_path(), overrides);
}

LoadedConfig load_config_text(std::string_view text, const std::string& name,
                              const std::filesystem::path& folder,
                              const std::vector<std::string>& overrides) {
  return read_tree(parse_yaml(text, name), name, folder, overrides);
}

LoadedConfig default_config(const std::vector<std::string>& overrides) {
  ValueNode root;
  root.kind = ValueNode::Kind::kMap;
  root.place = Place{"defaults"};
  return read_tree(std::move(root), "", ".", overrides);
}

}  // namespace dcc::vp
