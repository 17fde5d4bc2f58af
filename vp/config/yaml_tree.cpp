#include "config/yaml_tree.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <unordered_set>

#include "config/utf8.h"

namespace dcc::vp {
namespace {

constexpr std::size_t kMaxFileBytes = 4u << 20;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxNodes = 200'000;

std::size_t count_nodes(const ValueNode& node) {
  std::size_t count = 1;
  for (const ValueNode& item : node.items) count += count_nodes(item);
  for (const ValueNode::Entry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

std::size_t depth_of(const ValueNode& node) {
  std::size_t deepest = 0;
  for (const ValueNode& item : node.items) deepest = std::max(deepest, depth_of(item));
  for (const ValueNode::Entry& entry : node.entries) {
    deepest = std::max(deepest, depth_of(entry.value));
  }
  return deepest + 1;
}

/// Builds the value tree from the YAML parser's events. Throws at the first element that no
/// configuration may contain, before the parser's own recursion gets deep.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& source) : source_(source) {}

  ValueNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add_leaf(node_at(mark, ValueNode::Kind::kNull), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    ValueNode node = node_at(mark, ValueNode::Kind::kScalar);
    node.scalar = value;
    node.quoted = tag == "!";
    if (!node.quoted && (value == "~" || value == "null")) node.kind = ValueNode::Kind::kNull;
    add_leaf(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      throw ConfigError(place_of(mark), "the alias refers to what contains it (a cycle)");
    }
    ValueNode copy = known->second;
    copy.place = place_of(mark);
    nodes_ += count_nodes(copy);
    check_size(copy.place);
    if (open_.size() + depth_of(copy) > kMaxDepth) refuse_depth(copy.place);
    attach(std::move(copy));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(node_at(mark, ValueNode::Kind::kList), anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(node_at(mark, ValueNode::Kind::kMap), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    ValueNode node;
    YAML::anchor_t anchor;
    bool has_key = false;
    std::string key;
    Place key_place;
    std::unordered_set<std::string> keys;
  };

  Place place_of(const YAML::Mark& mark) const {
    return mark.is_null() ? Place{source_, 0, 0} : Place{source_, mark.line + 1, mark.column + 1};
  }

  ValueNode node_at(const YAML::Mark& mark, ValueNode::Kind kind) {
    ValueNode node;
    node.kind = kind;
    node.place = place_of(mark);
    ++nodes_;
    check_size(node.place);
    return node;
  }

  void check_size(const Place& place) const {
    if (nodes_ > kMaxNodes) throw ConfigError(place, "more than 200000 values (aliases counted)");
  }

  [[noreturn]] static void refuse_depth(const Place& place) {
    throw ConfigError(place, "nested more than 32 deep");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw ConfigError(place_of(mark), "YAML tags are not used here: " + in_quotes(tag));
  }

  void open(ValueNode node, YAML::anchor_t anchor) {
    if (open_.size() + 1 >= kMaxDepth) refuse_depth(node.place);
    open_.push_back({std::move(node), anchor, false, {}, {}, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = done.node;
    attach(std::move(done.node));
  }

  void add_leaf(ValueNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    attach(std::move(node));
  }

  void attach(ValueNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == ValueNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node);
    } else {
      parent.node.entries.push_back({parent.key, parent.key_place, std::move(node)});
      parent.has_key = false;
    }
  }

  static void take_key(Open& parent, const ValueNode& node) {
    if (node.kind != ValueNode::Kind::kScalar) {
      throw ConfigError(node.place, "a key must be a single word, not " + node.described());
    }
    if (!parent.keys.insert(node.scalar).second) {
      const int first = parent.node.find(node.scalar)->place.line;
      throw ConfigError(node.place, "duplicate key " + in_quotes(node.scalar) + ", first at line " +
                                        std::to_string(first));
    }
    parent.key = node.scalar;
    parent.key_place = node.place;
    parent.has_key = true;
  }

  std::string source_;
  ValueNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, ValueNode> anchors_;  // finished nodes that have an anchor, by anchor
  std::size_t nodes_ = 0;
};

std::string without_newlines(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

void check_is_text(std::string_view text, const std::string& source) {
  const TextDefect defect = find_text_defect(text);
  if (!defect.message.empty()) {
    throw ConfigError(Place{source, defect.line, defect.column}, defect.message);
  }
}

/// The first place of a tab in indentation up to a line (counted from 0); line 0 if there is none.
Place tab_in_indentation(std::string_view text, int last, const std::string& source) {
  std::size_t start = 0;
  for (int line = 0; line <= last && start < text.size(); ++line) {
    const std::size_t indented = std::min(text.find_first_not_of(' ', start), text.size());
    if (indented < text.size() && text[indented] == '\t') {
      return Place{source, line + 1, static_cast<int>(indented - start) + 1};
    }
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) break;
    start = end + 1;
  }
  return Place{source};
}

}  // namespace

ValueNode parse_yaml(std::string_view text, const std::string& source) {
  if (text.size() > kMaxFileBytes) throw ConfigError(Place{source}, "larger than 4 MiB");
  check_is_text(text, source);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(source);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw ConfigError(Place{source, 1, 1}, "empty: there is nothing to configure");
    }
    ValueNode root = builder.take();
    TreeBuilder second(source);
    if (parser.HandleNextDocument(second)) {
      throw ConfigError(second.take().place, "a second YAML document; only one is allowed");
    }
    return root;
  } catch (const YAML::DeepRecursion& e) {
    throw ConfigError(Place{source, e.mark.line + 1, e.mark.column + 1},
                      "nested more than 32 deep");
  } catch (const YAML::Exception& e) {
    const Place place =
        e.mark.is_null() ? Place{source} : Place{source, e.mark.line + 1, e.mark.column + 1};
    if (const Place tab = tab_in_indentation(text, e.mark.line, source); tab.line != 0) {
      throw ConfigError(tab, "a tab in the indentation: YAML is indented with blanks");
    }
    throw ConfigError(place, "not valid YAML: " + without_newlines(e.msg));
  }
}

namespace {

/// Reads all text of a stream, at most one byte beyond the limit that parse_yaml() checks.
std::string text_of(std::istream& in) {
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

ValueNode not_nothing(ValueNode root, const std::string& source) {
  if (root.kind == ValueNode::Kind::kNull) {
    throw ConfigError(Place{source, 1, 1}, "empty: there is nothing to configure");
  }
  return root;
}

}  // namespace

ValueNode load_yaml(const std::filesystem::path& file) {
  if (file == "-") return not_nothing(parse_yaml(text_of(std::cin), "stdin"), "stdin");
  const Place place{file.string()};
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw ConfigError(place, "no such file");
  if (std::filesystem::is_directory(status)) throw ConfigError(place, "is a folder, not a file");
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status)) {
    throw ConfigError(place, "is neither a plain file nor a pipe");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw ConfigError(place, "cannot be read");
  const std::string text = text_of(in);
  if (in.bad()) throw ConfigError(place, "cannot be read");
  return not_nothing(parse_yaml(text, file.string()), file.string());
}

}  // namespace dcc::vp
