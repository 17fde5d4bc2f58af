#include "config/yaml_layers.h"

#include <algorithm>

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 64;

class Layers {
 public:
  LayeredYaml layered;

  /// Adds a file's tree. `identity`: canonical path that identifies the file; empty if the text is
  /// not from a file.
  void add(ValueNode node, const std::string& name, const fs::path& folder,
           const fs::path& identity) {
    open_.push_back({name, identity});
    if (node.kind == ValueNode::Kind::kMap) {
      for (const ValueNode& below : taken(node, "extends", false)) add_file(below, folder);
      for (const ValueNode& below : taken(node, "include", true)) add_file(below, folder);
    } else if (open_.size() > 1) {
      throw ConfigError(node.place, "expected a map of settings, not " + node.described());
    }
    open_.pop_back();
    layered.files.push_back(name);
    if (first_) {
      layered.root = std::move(node);
    } else {
      const Place place = node.place;
      merge(layered.root, std::move(node));
      layered.root.place = place;
    }
    first_ = false;
  }

 private:
  struct Open {
    std::string name;
    fs::path identity;
  };

  /// Removes a key from `node` and returns the file names under the key.
  static std::vector<ValueNode> taken(ValueNode& node, const char* key, bool list) {
    const auto entry = std::find_if(node.entries.begin(), node.entries.end(),
                                    [&](const ValueNode::Entry& e) { return e.key == key; });
    if (entry == node.entries.end()) return {};
    std::vector<ValueNode> names;
    if (list && entry->value.kind == ValueNode::Kind::kList) {
      names = std::move(entry->value.items);
    } else {
      names.push_back(std::move(entry->value));
    }
    for (const ValueNode& file : names) {
      if (file.kind == ValueNode::Kind::kScalar && !file.scalar.empty()) continue;
      const bool nothing = file.kind == ValueNode::Kind::kNull;
      throw ConfigError(nothing ? entry->place : file.place,
                        "expected a file name" + std::string(list ? ", or a list of them" : "") +
                            ", not " + file.described());
    }
    node.entries.erase(entry);
    return names;
  }

  void add_file(const ValueNode& said, const fs::path& folder) {
    const fs::path file = (folder / said.scalar).lexically_normal();
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
      throw ConfigError(said.place, "no such file: " + in_quotes(file.string()));
    }
    const fs::path identity = fs::canonical(file, error);
    std::string way;
    for (const Open& open : open_) {
      if (!way.empty() || open.identity == identity) way += open.name + " -> ";
    }
    if (!way.empty()) {
      throw ConfigError(said.place, "leads back to itself: " + way + file.string());
    }
    if (++count_ > kMaxFiles) throw ConfigError(said.place, "more than 64 files");
    add(load_yaml(file), file.string(), file.parent_path(), identity);
  }

  std::vector<Open> open_;
  std::size_t count_ = 0;
  bool first_ = true;
};

}  // namespace

bool LayeredYaml::is_below(const std::string& file, const std::string& other) const {
  const auto rank = [this](const std::string& name) {
    return std::find(files.rbegin(), files.rend(), name);
  };
  return rank(file) != files.rend() && rank(file) > rank(other);
}

LayeredYaml with_layers(ValueNode root, const std::string& name, const fs::path& folder) {
  std::error_code error;
  const fs::path identity = fs::canonical(name, error);
  Layers layers;
  layers.add(std::move(root), name, folder, error ? fs::path() : identity);
  return std::move(layers.layered);
}

}  // namespace dcc::vp
